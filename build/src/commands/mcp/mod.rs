//! `findling mcp`: answers assistants by the Model Context Protocol.

mod answers;
mod progress;
mod resources;
mod server;
mod text;
mod types;

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use rmcp::ServiceExt;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::bundles::Bundles;
use super::require_fresh::RequireFresh;
use super::vector_name::VectorName;
use crate::collections::Target;
use crate::host::{EncoderChoice, Host};
use crate::standard_streams::stdout;
use crate::ui::Ui;
use server::Server;

/// Answer assistants: a server of the Model Context Protocol
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundles: directories, .findling files, https addresses, or names of collections. Without
    /// any: all collections
    #[arg(value_name = "BUNDLE")]
    targets: Vec<PathBuf>,
    /// Encoder of the queries, as for `findling search`
    #[arg(long, value_name = "NAME", default_value = "auto")]
    query_encoder: EncoderChoice,
    /// Which vectors are searched.
    #[command(flatten)]
    vectors: VectorName,
    /// How old an index may be. A tool that would answer from an older one fails.
    #[command(flatten)]
    fresh: RequireFresh,
    /// Serve HTTP on this machine instead of standard input and output
    #[arg(long)]
    http: bool,
    /// Port of --http; 0 takes any free port
    #[arg(short, long, default_value_t = 8901, requires = "http")]
    port: u16,
}

/// Runs the command until the client closes the connection, or it is interrupted.
pub fn run(args: Args) -> Result<ExitCode> {
    check(&args.targets, &args.vectors)?;
    // Notices are part of the answers, so the console shows none.
    let ui = Ui::silent();
    let Args { targets, query_encoder, vectors, fresh, .. } = args;
    let bundles = Arc::new(Bundles::new(targets, query_encoder, vectors, fresh));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = if args.http {
        runtime.block_on(serve_http(bundles, args.port, ui))
    } else {
        runtime.block_on(serve_stdio(bundles, ui))
    };
    // A read of standard input that is pending would hold the process.
    runtime.shutdown_background();
    outcome.map(|()| ExitCode::SUCCESS)
}

/// Without a bundle that can be opened, the command ends now, not later for an assistant. If only
/// some can be, the answers of the tools name the others.
fn check(targets: &[PathBuf], vectors: &VectorName) -> Result<()> {
    let open = |path: &PathBuf| -> Result<Host> {
        Host::open(vectors.of(Target::find(path)?)?.location())
    };
    let mut failed = None;
    for path in targets {
        match open(path) {
            Ok(_) => return Ok(()),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(()), Err)
}

async fn serve_stdio(bundles: Arc<Bundles>, ui: Ui) -> Result<()> {
    let service = Server::new(bundles, ui).serve(stdio()).await;
    let service = service.context("the client did not begin a session of the protocol")?;
    tokio::select! {
        ended = service.waiting() => ended.map(drop)?,
        _ = tokio::signal::ctrl_c() => {}
    }
    Ok(())
}

/// Serves on the loopback interface. Requests of web pages are refused by their `Origin`.
async fn serve_http(bundles: Arc<Bundles>, port: u16, ui: Ui) -> Result<()> {
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = TcpListener::bind(wanted).await.with_context(|| {
        format!("cannot listen on {wanted}; `--port 0` takes any port that is free")
    })?;
    let ended = CancellationToken::new();
    let config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        .with_cancellation_token(ended.child_token());
    let service = StreamableHttpService::new(
        move || Ok(Server::new(bundles.clone(), ui.clone())),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    // The address is the output of this command: a script that uses port 0 reads it.
    writeln!(stdout(), "http://{}/mcp", listener.local_addr()?)?;
    axum::serve(listener, router)
        .with_graceful_shutdown(async move {
            let _ = tokio::signal::ctrl_c().await;
            ended.cancel();
        })
        .await?;
    Ok(())
}
