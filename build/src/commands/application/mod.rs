//! `findling serve` without a bundle: the collections of this machine, in a browser.
//!
//! The server answers in JSON; its pages and scripts are static files in this program. Answers
//! contain only data: no text of a collection is ever part of a page's markup.
//!
//! | request | answer |
//! |---|---|
//! | `GET /`, `/search`, `/read` | the page, the same for all; its script reads the address |
//! | `GET /app.js`, `/app.css`, `/icon.svg` | what the page loads |
//! | `GET /file/KEY` | a PDF of a collection, for which [`read`] gave out the key |
//! | `POST /api/NAME` | JSON for JSON, only with the token: see [`Guard`] |

mod address;
mod assets;
mod cards;
mod files;
mod guard;
mod jobs;
mod marks;
mod paper;
mod read;
mod respond;
mod search;
mod source;
mod text;

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use findling_engine::Limit;
use serde_json::Value;
use tokio::net::TcpListener;

use super::bundles::Bundles;
use super::require_fresh::RequireFresh;
use super::vector_name::VectorName;
use crate::collections::{Freshness, Home, Name, Registry, Target};
use crate::host::EncoderChoice;
use crate::output::UsageError;
use crate::serve::body::read_body;
use crate::serve::listen::{self, Limits};
use crate::standard_streams::stdout;
use crate::ui::{Ui, count};
use files::Files;
use guard::Guard;
use jobs::Jobs;

/// Maximum number of bytes of a request's body.
const MAX_BODY: usize = 64 << 10;

/// The bundles, the jobs and the files from which requests are answered.
struct Application {
    bundles: Bundles,
    guard: Guard,
    jobs: Jobs,
    files: Files,
}

/// Serves the application until it is interrupted.
///
/// # Errors
/// If the port is taken, or this program has no pages.
pub fn run(port: u16, syncs: bool, ui: &Ui) -> Result<ExitCode> {
    assets::check()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(wanted).await.with_context(|| {
            format!("cannot listen on {wanted}; `--port 0` takes any port that is free")
        })?;
        let address = listener.local_addr()?;
        let (guard, token) = Guard::new(address)?;
        let application = Arc::new(Application {
            bundles: Bundles::new(
                Vec::new(),
                EncoderChoice::Auto,
                VectorName::default(),
                RequireFresh::default(),
            ),
            guard,
            jobs: Jobs::default(),
            files: Files::default(),
        });
        // Without this, the first search would wait for the encoder.
        let warmed = application.clone();
        std::thread::spawn(move || warm(&warmed.bundles));
        let (stale, console) = (application.clone(), ui.clone());
        std::thread::spawn(move || tell_of_changes(&stale, syncs, &console));
        // The address is the output of this command: a script that uses port 0 reads it. Browsers
        // send no fragment, so the token stays on this machine.
        writeln!(stdout(), "http://{address}/#token={token}")?;
        ui.status("Serving", "your collections at the address above; Ctrl-C ends");
        listen::serve(listener, router(application), Limits::default(), async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await;
        Ok(ExitCode::SUCCESS)
    });
    // A search or a sync under way would keep the process from ending.
    runtime.shutdown_background();
    outcome
}

fn router(application: Arc<Application>) -> Router {
    Router::new().fallback(handle).with_state(application)
}

async fn handle(State(application): State<Arc<Application>>, request: Request) -> Response {
    let mut response = match application.guard.check_host(request.headers()) {
        Ok(()) => route(application, request).await,
        Err(refusal) => respond::failure(StatusCode::FORBIDDEN, &refusal.into()),
    };
    respond::secure(response.headers_mut());
    response
}

async fn route(application: Arc<Application>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    match (path.as_str(), is_read) {
        (path, true) if path.starts_with("/file/") => {
            let key = path["/file/".len()..].to_owned();
            blocking(move || application.files.response(&key)).await
        }
        (path, true) => assets::response(path),
        (path, false) if *request.method() == Method::POST => match path.strip_prefix("/api/") {
            Some(name) => ask(application, name.to_owned(), request).await,
            None => respond::missing(),
        },
        _ => respond::failure(
            StatusCode::METHOD_NOT_ALLOWED,
            &usage("method", "expected GET of a page or POST of a question, found another method"),
        ),
    }
}

/// Answers a question of a page.
async fn ask(application: Arc<Application>, name: String, request: Request) -> Response {
    if let Err(refusal) = application.guard.check_caller(request.headers()) {
        return respond::failure(StatusCode::UNAUTHORIZED, &refusal.into());
    }
    let body = match read_body(request.into_body(), MAX_BODY).await {
        Ok(body) => body,
        Err(fault) => {
            let message = format!("{fault}: a question has at most 64 KiB");
            return respond::failure(fault.status(), &usage("request", &message));
        }
    };
    blocking(move || {
        let answer = serde_json::from_slice(&body)
            .map_err(|error| usage("request", &format!("expected JSON, found none: {error}")))
            .and_then(|input| answer(&application, &name, input));
        match answer {
            Ok(json) => respond::json(StatusCode::OK, json),
            Err(error) => respond::error(&error),
        }
    })
    .await
}

/// Returns the answer to a question, as JSON.
fn answer(application: &Application, name: &str, input: Value) -> Result<String> {
    match name {
        "collections" => cards::collections(application),
        "freshness" => cards::freshness(&text_of(&input, "collection")?),
        "jobs" => cards::jobs(application),
        "sync" => cards::sync(application, &text_of(&input, "collection")?),
        "search" => search::answer(&application.bundles, input),
        "read" => read::answer(application, &input),
        other => Err(usage("request", &format!("expected a known question, found `{other}`"))),
    }
}

/// Returns a text of the input.
fn text_of(input: &Value, name: &str) -> Result<String> {
    let text = input.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
    text.ok_or_else(|| usage("request", &format!("expected `{name}`, a text; found none")))
}

fn usage(code: &'static str, message: &str) -> anyhow::Error {
    UsageError { code, message: message.to_owned() }.into()
}

/// Runs blocking code on its own thread.
async fn blocking(run: impl FnOnce() -> Response + Send + 'static) -> Response {
    tokio::task::spawn_blocking(run).await.unwrap_or_else(|_| {
        let message = "the answer could not be made; this is a mistake in findling";
        respond::failure(StatusCode::INTERNAL_SERVER_ERROR, &usage("internal", message))
    })
}

/// Reports which collections are older than their sources, and begins to sync them. They can be
/// searched meanwhile.
fn tell_of_changes(application: &Application, syncs: bool, ui: &Ui) {
    let names = || -> Result<Vec<Name>> {
        Ok(Registry::read(&Home::default_location()?)?.collections().keys().cloned().collect())
    };
    for name in names().unwrap_or_default() {
        let freshness = || -> Result<Option<Freshness>> {
            Ok(Target::of_collection(&Home::default_location()?, &name)?.freshness()?)
        };
        let Ok(Some(freshness)) = freshness() else { continue };
        if !freshness.stale {
            continue;
        }
        let changed = count(freshness.changed_files as u64, "files");
        let have = if freshness.changed_files == 1 { "has" } else { "have" };
        let since = freshness.synced.unwrap_or_else(|| "its last sync".to_owned());
        let is_started = syncs && application.jobs.start(&name).is_ok();
        let what = match is_started {
            true => "it is being synced",
            false => "`findling sync` brings it up to date",
        };
        ui.status("Stale", format!("{name}: {changed} {have} changed since {since}; {what}"));
    }
}

/// Opens all bundles and loads their encoders.
fn warm(bundles: &Bundles) {
    for name in bundles.names().unwrap_or_default() {
        let Ok(mut asked) = bundles.get(&name) else { continue };
        let request = findling_engine::Request {
            query: "a".to_owned(),
            limit: Limit(0),
            ..findling_engine::Request::default()
        };
        // The first search reports an error.
        let _ = asked.answer(request, bundles.encoders(), &Ui::silent());
    }
}

#[cfg(test)]
mod tests;
