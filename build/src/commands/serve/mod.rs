//! `findling serve`: serves a bundle, a site with its bundle, or all collections, on this machine.

mod endpoint;

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use axum::http::HeaderValue;
use tokio::net::TcpListener;

use super::application;
use crate::bundle_files::{NoBundle, entry_at};
use crate::collections::Target;
use crate::host::EncoderChoice;
use crate::serve::files::Files;
use crate::serve::hosts::hosts;
use crate::serve::listen::{self, Limits};
use crate::serve::{Layout, router};
use crate::standard_streams::stdout;
use crate::ui::Ui;
use endpoint::{Endpoint, LogLevel};

/// Serve your collections, a bundle, or a site with its bundle, on this machine
///
/// A bundle is served as files, for browsers, and searched for programs: GET /search, /similar,
/// /suggest, /page, /health and /openapi.json answer as the endpoint for Workers does. Only the
/// bundle's own files and the client are served, not what else lies in the directory; other files
/// are those of --site.
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
    /// Do not sync collections whose sources have changed; only say which these are
    #[arg(long, conflicts_with = "bundle")]
    no_sync: bool,
    /// Directory of the site, served at /, with the bundle at --mount. Hidden files, and links that
    /// lead out of it, are not served. Repeatable: the first directory that has a file serves it
    #[arg(short, long, value_name = "DIR", requires = "bundle")]
    site: Vec<PathBuf>,
    /// Path of the bundle below the site
    #[arg(long, value_name = "PATH", default_value = "/findling/", requires = "site")]
    mount: String,
    /// How programs are answered.
    #[command(flatten)]
    endpoint: EndpointArgs,
}

/// Maximum number of requests under way.
const MAX_REQUESTS: usize = 256;

/// Options of the routes for programs.
#[derive(Debug, clap::Args)]
struct EndpointArgs {
    /// Path in front of the routes for programs, such as /api
    #[arg(long, value_name = "PATH", default_value = "", requires = "bundle")]
    prefix: String,
    /// Encoder of queries: as `findling search` has it
    #[arg(long, value_name = "NAME", default_value = "auto", requires = "bundle")]
    query_encoder: EncoderChoice,
    /// Search as a browser does: in the cells near the query instead of in all vectors
    #[arg(long, requires = "bundle")]
    streamed: bool,
    /// Most searches under way. Further ones are refused with 503 and Retry-After
    #[arg(long, value_name = "N", default_value_t = MAX_REQUESTS, requires = "bundle")]
    max_requests: usize,
    /// Origin of a site whose scripts may read answers, such as https://example.org; * for any site
    #[arg(long, value_name = "ORIGIN", requires = "bundle")]
    allow_origin: Option<String>,
    /// Name by which this server may be asked, besides localhost: the one that a proxy in front
    /// sends on. Repeatable
    #[arg(long, value_name = "NAME", requires = "bundle")]
    allow_host: Vec<String>,
    /// What is logged to standard error
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t, requires = "bundle")]
    log: LogLevel,
}

impl Default for EndpointArgs {
    fn default() -> Self {
        Self {
            prefix: String::new(),
            query_encoder: EncoderChoice::default(),
            streamed: false,
            max_requests: MAX_REQUESTS,
            allow_origin: None,
            allow_host: Vec::new(),
            log: LogLevel::default(),
        }
    }
}

impl EndpointArgs {
    /// Returns the options of the endpoint of a bundle at `mount`.
    fn options(&self, mount: &str) -> Result<endpoint::Options> {
        let prefix = match self.prefix.trim_matches('/') {
            "" => String::new(),
            path => format!("/{path}"),
        };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
        if !prefix.bytes().all(is_plain) {
            bail!("--prefix {}: expected a path of letters and digits, such as /api", self.prefix);
        }
        let origin = |origin: &String| {
            HeaderValue::from_str(origin)
                .with_context(|| format!("--allow-origin {origin}: expected an origin, or *"))
        };
        // The bundle lies in a directory of the site.
        let above = mount.trim_end_matches('/').rsplit_once('/').map_or("", |(above, _)| above);
        Ok(endpoint::Options {
            prefix,
            site_path: format!("{above}/"),
            encoder: self.query_encoder.clone(),
            streamed: self.streamed,
            max_requests: self.max_requests,
            allow_origin: self.allow_origin.as_ref().map(origin).transpose()?,
            log: self.log,
        })
    }
}

impl Args {
    /// Serves a site at `port`, with its bundle at the bundle's place in the site.
    pub fn of_site(site: PathBuf, bundle: PathBuf, port: u16) -> Self {
        let below = bundle.strip_prefix(&site).map(PathBuf::from);
        let mount = below.unwrap_or_else(|_| "pagefind".into()).to_string_lossy().into_owned();
        let endpoint = EndpointArgs::default();
        Self { bundle: Some(bundle), port, no_sync: false, site: vec![site], mount, endpoint }
    }
}

/// Runs the command until it is interrupted.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let Some(bundle) = &args.bundle else { return application::run(args.port, !args.no_sync, ui) };
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
    let options = args.endpoint.options(&mount)?;
    let routes = Endpoint::new(bundle.clone(), options, ui).routes();
    let files = Files::of_bundle(target.path());
    if files.single_name().is_some() && entry_at(target.path()).is_none() {
        return Err(NoBundle::found(target.given(), "another kind of file").into());
    }
    let layout = Layout { bundle: files, mount, sites: args.site };
    let mut page = layout.mount.clone();
    if let Some(name) = layout.bundle.single_name() {
        page.push_str(&name.to_string_lossy());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
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
        let router = hosts(router(&layout, routes), args.endpoint.allow_host);
        listen::serve(listener, router, Limits::default(), async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await;
        Ok(ExitCode::SUCCESS)
    });
    // A search under way would keep the process from ending.
    runtime.shutdown_background();
    outcome
}
