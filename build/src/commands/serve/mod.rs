//! `findling serve`: serves a bundle, a site with its bundle, or all collections, on this machine.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use axum::extract::Request;
use tokio::net::TcpListener;

use super::application;
use crate::collections::Target;
use crate::serve::{Layout, router};
use crate::standard_streams::stdout;
use crate::ui::Ui;

/// Serve your collections, a bundle, or a site with its bundle, on this machine
///
/// Without a bundle it serves an application that searches all collections, reads what is found
/// (conversations, source code, papers, documents) and brings collections up to date. Open the
/// address that it prints: it has the token without which the application answers nobody.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle: a directory, a .findling file, or the name of a collection. Without one, all
    /// collections
    bundle: Option<PathBuf>,
    /// Port to listen on; 0 takes any free port
    #[arg(short, long, default_value_t = 8900)]
    port: u16,
    /// Directory of the site, served at /, with the bundle at --mount. Repeatable: the first
    /// directory that has a file serves it
    #[arg(short, long, value_name = "DIR", requires = "bundle")]
    site: Vec<PathBuf>,
    /// Path of the bundle below the site
    #[arg(long, value_name = "PATH", default_value = "/findling/", requires = "site")]
    mount: String,
}

impl Args {
    /// Serves a site at `port`, with its bundle where it lies.
    pub fn of_site(site: PathBuf, bundle: PathBuf, port: u16) -> Self {
        let below = bundle.strip_prefix(&site).map(PathBuf::from);
        let mount = below.unwrap_or_else(|_| "pagefind".into()).to_string_lossy().into_owned();
        Self { bundle: Some(bundle), port, site: vec![site], mount }
    }
}

/// Runs the command until it is interrupted.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let Some(bundle) = &args.bundle else { return application::run(args.port, ui) };
    let target = Target::find(bundle)?;
    if target.is_copy() {
        bail!(
            "{}: expected a bundle on this machine, found the address of a site, which serves it \
             itself",
            target.given()
        );
    }
    for dir in &args.site {
        if !dir.exists() {
            bail!("{}: expected a directory, found none", dir.display());
        }
    }
    let mount = format!("/{}/", args.mount.trim_matches('/'));
    if mount == "//" && !args.site.is_empty() {
        bail!("--mount {}: expected a path below the site, such as /findling/", args.mount);
    }
    let mut layout = Layout { bundle: target.path().to_owned(), mount, sites: args.site };
    let mut page = layout.mount.clone();
    if layout.bundle.is_file() {
        // A single-file bundle is served under its name, together with the files beside it.
        let name = layout.bundle.file_name().unwrap_or_default().to_string_lossy().into_owned();
        layout.bundle =
            layout.bundle.parent().map(PathBuf::from).filter(|p| p != "").unwrap_or(".".into());
        page.push_str(&name);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
        let listener = TcpListener::bind(wanted).await.with_context(|| {
            format!("cannot listen on {wanted}; `--port 0` takes any port that is free")
        })?;
        let address = listener.local_addr()?;
        let bundle_at = if layout.sites.is_empty() {
            page.trim_start_matches(&layout.mount)
        } else {
            &page[1..]
        };
        // The address is the output of this command: a script that uses port 0 reads it.
        writeln!(stdout(), "http://{address}/")?;
        ui.status("Serving", format!("the bundle at http://{address}/{bundle_at}; Ctrl-C ends"));
        axum::serve(listener, axum::ServiceExt::<Request>::into_make_service(router(&layout)))
            .with_graceful_shutdown(async {
                let _ = tokio::signal::ctrl_c().await;
            })
            .await?;
        Ok(ExitCode::SUCCESS)
    })
}
