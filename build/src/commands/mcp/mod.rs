//! `findling mcp`: answers assistants by the Model Context Protocol.

mod answers;
mod code_text;
mod http;
mod json_rpc;
mod progress;
mod resources;
mod server;
mod sessions;
mod stdio;
mod text;
mod types;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use rmcp::ServiceExt;

use super::bundles::Bundles;
use super::require_fresh::RequireFresh;
use super::vector_name::VectorName;
use crate::collections::Target;
use crate::host::{EncoderChoice, Host};
use crate::ui::Ui;
use http::Access;
use server::Server;
use stdio::Lines;

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
    /// Serve HTTP on this machine instead of standard input and output. Prints the address, and on
    /// the next line the configuration of a client with the token that each request needs
    #[arg(long)]
    http: bool,
    /// File with the token of --http; if there is none, a new token is written into it. Without
    /// this option, the variable FINDLING_MCP_TOKEN has the token, or it is new each time
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Port of --http; 0 takes any free port
    #[arg(short, long, default_value_t = 8901, requires = "http")]
    port: u16,
}

/// Runs the command until the client closes the connection, or it is interrupted.
pub fn run(args: Args) -> Result<ExitCode> {
    check(&args.targets, &args.vectors)?;
    // Notices are part of the answers, so the console shows none.
    let ui = Ui::silent();
    let access = args.http.then(|| Access::new(args.token_file.as_deref())).transpose()?;
    let Args { targets, query_encoder, vectors, fresh, .. } = args;
    let bundles = Arc::new(Bundles::new(targets, query_encoder, vectors, fresh));
    // Besides the threads of calls, other threads read and write the lines.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(2 * server::MAX_CALLS)
        .enable_all()
        .build()?;
    let outcome = match access {
        Some(access) => runtime.block_on(http::serve(bundles, args.port, access, ui)),
        None => runtime.block_on(serve_stdio(bundles, ui)),
    };
    // A read of standard input that is pending would keep the process from ending.
    runtime.shutdown_background();
    outcome.map(|()| ExitCode::SUCCESS)
}

/// Checks that a bundle can be opened, so that the command fails now instead of later, when an
/// assistant uses it. If only some can be opened, the answers of the tools name the others.
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
    let (input, output) = rmcp::transport::stdio();
    let service = Server::new(bundles, ui).serve(Lines::new(input, output)).await;
    let service = service.context("the client did not begin a session of the protocol")?;
    tokio::select! {
        ended = service.waiting() => ended.map(drop)?,
        _ = tokio::signal::ctrl_c() => {}
    }
    Ok(())
}
