//! The bundle that is searched: opened by the first request, and again after each new build.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use findling_bundle::hex;
use findling_engine::{Mode, Request, Response};

use crate::collections::Target;
use crate::commands::bundles::lock;
use crate::commands::open_bundle::OpenBundle;
use crate::commands::search::is_no_page;
use crate::host::{EncoderChoice, QueryEncoder, SharedHost};
use crate::ui::Ui;

/// Interval at which to look for another build.
const REVISION_CHECK: Duration = Duration::from_secs(1);

/// The bundle, and the options of searching it.
pub struct Site {
    given: PathBuf,
    choice: EncoderChoice,
    streamed: bool,
    ui: Ui,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    build: Option<Arc<Build>>,
    checked: Option<Instant>,
}

/// A build of the bundle.
pub struct Build {
    shared: SharedHost,
    encoder: Option<QueryEncoder>,
    /// The engine's own encoder for requests that name none.
    engines_own: findling_engine::EncoderChoice,
    path: PathBuf,
    /// The hash of its manifest.
    pub revision: String,
    /// The number of pages.
    pub pages: u32,
    /// The number of sections.
    pub sections: u32,
    /// The program that built the bundle.
    pub generator: String,
}

impl Site {
    /// Returns a bundle that is not open yet.
    pub fn new(given: PathBuf, choice: EncoderChoice, streamed: bool, ui: Ui) -> Self {
        Self { given, choice, streamed, ui, open: Mutex::default() }
    }

    /// Returns the current build. If it cannot be opened, the earlier one continues to answer.
    ///
    /// # Errors
    /// If there is no bundle, or it cannot be opened.
    pub fn build(&self) -> Result<Arc<Build>> {
        let mut open = lock(&self.open);
        let is_due = open.checked.is_none_or(|checked| checked.elapsed() >= REVISION_CHECK);
        match &open.build {
            Some(build) if !is_due || self.is_current(build) => {
                let build = build.clone();
                if is_due {
                    open.checked = Some(Instant::now());
                }
                return Ok(build);
            }
            _ => {}
        }
        match (self.open(), &open.build) {
            (Ok(build), _) => {
                let build = Arc::new(build);
                *open = Open { build: Some(build.clone()), checked: Some(Instant::now()) };
                Ok(build)
            }
            (Err(error), Some(earlier)) => {
                self.ui.warn(format!("the earlier build goes on answering: {error:#}"));
                let earlier = earlier.clone();
                open.checked = Some(Instant::now());
                Ok(earlier)
            }
            (Err(error), None) => Err(error),
        }
    }

    fn is_current(&self, build: &Build) -> bool {
        let target = Target::find(&self.given);
        target.is_ok_and(|target| target.path() == build.path)
            && build.shared.host().files().is_current()
    }

    fn open(&self) -> Result<Build> {
        let target = Target::find(&self.given)?;
        let path = target.path().to_owned();
        let mut host = OpenBundle::open(target)?.host;
        host.set_streamed(self.streamed);
        let encoder = match QueryEncoder::load(&host, &self.choice) {
            Err(error) if self.choice == EncoderChoice::Auto => {
                self.ui.warn(format!("searching by words only: {error:#}"));
                None
            }
            loaded => loaded?,
        };
        let manifest = host.manifest();
        Ok(Build {
            encoder,
            engines_own: self.choice.of_engine(),
            path,
            revision: hex(&host.files().entry().manifest_hash),
            pages: manifest.stats.n_pages,
            sections: manifest.stats.n_sections,
            generator: manifest.generator.clone(),
            shared: SharedHost::new(host),
        })
    }

    /// Answers a request. A page in the request may be given by an address below `addresses`, which
    /// are the addresses of the site. If files of the build are gone, the current build answers.
    ///
    /// # Errors
    /// Errors of the engine, and of reading.
    pub fn answer(
        &self,
        build: &Arc<Build>,
        request: &Request,
        addresses: &[String],
    ) -> Result<Response> {
        let answer = build.answer(request);
        let Err(error) = &answer else { return answer };
        if is_no_page(error) {
            return match without_address(request, addresses) {
                Some(relative) => build.answer(&relative),
                None => answer,
            };
        }
        if error.chain().any(|cause| cause.is::<std::io::Error>()) && !self.is_current(build) {
            lock(&self.open).checked = None;
            return self.build()?.answer(request);
        }
        answer
    }
}

impl Build {
    fn answer(&self, request: &Request) -> Result<Response> {
        let mut request = request.clone();
        if request.encoder == findling_engine::EncoderChoice::Auto {
            request.encoder = self.engines_own;
        }
        let embeds = request.mode != Mode::Lexical
            && request.encoder == findling_engine::EncoderChoice::Auto
            && request.similar_to.is_none()
            && !request.query.trim().is_empty();
        let encoder = self.encoder.as_ref().filter(|_| embeds);
        if let Some(encoder) = encoder {
            encoder.embed(&mut request)?;
        }
        self.shared.search_as_meant(encoder, &request)
    }
}

/// Returns the request with its page's address made relative to the site; `None` if the request has
/// no address below the site's addresses.
fn without_address(request: &Request, addresses: &[String]) -> Option<Request> {
    let mut relative = request.clone();
    let fields = [&mut relative.similar_to, &mut relative.read, &mut relative.why];
    let field = fields.into_iter().flatten().next()?;
    let rest = addresses.iter().find_map(|address| field.strip_prefix(address.as_str()))?;
    *field = rest.to_owned();
    Some(relative)
}
