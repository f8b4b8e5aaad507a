//! An open bundle: the engine, and the rounds of files that it requests. The same code runs in a
//! page and in a worker.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use findling_bundle::ShardId;
use findling_engine::{Mode, Notice, Request, Response, Step, Suggest};
use js_sys::futures::spawn_local;

use crate::Error;
use crate::browser::{self, Side, join_all, with_side};
use crate::engine::Engine;
use crate::info::Info;
use crate::source::Source;

/// Rounds after which a search fails. Searches take two to four, and a few more for corrections and
/// phrases. More would be an endless loop.
const MAX_ROUNDS: usize = 16;

/// Bytes of memory for shards between searches, depending on how vectors are fetched.
const DEFAULT_MEMORY: [usize; 2] = [96 << 20, 24 << 20];

/// Milliseconds without a search before files are written to the cache.
const WRITING_PAUSE: i32 = 200;

/// Takes the answer by the query's own words.
pub type OnWords<'a> = &'a dyn Fn(Response);

/// An open bundle.
pub struct Bundle {
    source: Rc<Source>,
    engine: RefCell<Rc<Engine>>,
    streamed: bool,
    memory: Option<usize>,
    n_searching: Cell<u32>,
    is_pruned: Cell<bool>,
}

/// A search under way. When it ends, or is given up, the bundle tidies up.
struct Running(Rc<Bundle>);

impl Running {
    fn new(bundle: &Rc<Bundle>) -> Self {
        bundle.n_searching.set(bundle.n_searching.get() + 1);
        Self(bundle.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let left = self.0.n_searching.get() - 1;
        self.0.n_searching.set(left);
        if left == 0 {
            self.0.tidy();
        }
    }
}

impl Bundle {
    /// Opens the bundle at an absolute address.
    pub async fn open(
        url: &str,
        streamed: bool,
        memory: Option<usize>,
        caches: bool,
    ) -> Result<Rc<Self>, Error> {
        let source = Source::open(url, caches).await;
        let streamed = streamed && source.is_directory();
        let engine = open_engine(&source, source.entry().await?, streamed).await?;
        Ok(Rc::new(Self {
            source: Rc::new(source),
            engine: RefCell::new(Rc::new(engine)),
            streamed,
            memory,
            n_searching: Cell::new(0),
            is_pruned: Cell::new(false),
        }))
    }

    pub fn info(&self) -> Info {
        self.engine().info()
    }

    fn engine(&self) -> Rc<Engine> {
        self.engine.borrow().clone()
    }

    /// Loads the deployed build if it is another one; returns whether it is. Searches under way
    /// keep the engine that they began with.
    pub async fn refresh(&self) -> Result<bool, Error> {
        let entry = self.source.entry().await?;
        if *self.engine().entry() == entry {
            return Ok(false);
        }
        let engine = open_engine(&self.source, entry, self.streamed).await?;
        *self.engine.borrow_mut() = Rc::new(engine);
        self.is_pruned.set(false);
        Ok(true)
    }

    /// Answers a request. `on_words` is called at most once, before the answer, while the search
    /// waits for more files than its words need.
    pub async fn search(
        self: &Rc<Self>,
        request: &Request,
        on_words: Option<OnWords<'_>>,
    ) -> Result<Response, Error> {
        let _running = Running::new(self);
        let mut answer = self.run(request, on_words).await;
        // A missing or damaged shard mostly means that the site was deployed again.
        if answer.as_ref().is_err_and(Error::is_stale) && self.refresh().await.unwrap_or(false) {
            answer = self.run(request, None).await;
        }
        let error = match answer {
            Err(error) if self.can_do_without_meaning(request, &error) => error,
            answer => return answer,
        };
        // If the search by words also fails, the first error is more informative.
        let Ok(mut words) = self.run(&lexical(request), None).await else { return Err(error) };
        words.notices.retain(|notice| notice.code != "encoder-missing");
        let message = format!("Searched by words only: {error}");
        words.notices.insert(0, Notice { code: "meaning-missing".into(), message });
        Ok(words)
    }

    fn can_do_without_meaning(&self, request: &Request, error: &Error) -> bool {
        error.is_of_files() && request.mode == Mode::Hybrid && self.engine().has_vectors()
    }

    /// Runs one search: the engine asks for shards, round after round, until it has the answer.
    async fn run(
        &self,
        request: &Request,
        on_words: Option<OnWords<'_>>,
    ) -> Result<Response, Error> {
        let engine = self.engine();
        let mut embedded = request.clone();
        engine.embed(&mut embedded);
        let mut search = engine.index.borrow().search(embedded)?;
        let mut on_words = on_words.filter(|_| request.mode != Mode::Semantic);
        let mut words: Option<Side> = None;
        for round in 0..MAX_ROUNDS {
            let step = search.step(&engine.index.borrow())?;
            let shards = match step {
                Step::Done(response) => return Ok(*response),
                Step::Need(shards) => shards,
            };
            if round > 0
                && let Some(tell) = on_words
                && let Some(answering) = self.answer_words(&engine, request, &shards, tell)
            {
                (words, on_words) = (Some(answering), None);
            }
            let loads = shards.into_iter().map(|shard| engine.load(&self.source, shard));
            for loaded in with_side(&mut words, join_all(loads)).await {
                loaded?;
            }
        }
        Err(Error::new(
            "internal",
            format!("The search did not end: expected at most {MAX_ROUNDS} rounds of files."),
        ))
    }

    /// Returns the search by the query's own words, while the whole search waits for files; `None`
    /// if words would wait for the same files, so that the next round is the right time.
    fn answer_words<'a>(
        &'a self,
        engine: &Rc<Engine>,
        request: &Request,
        waiting: &[ShardId],
        tell: OnWords<'a>,
    ) -> Option<Side<'a>> {
        let request = Request { verbatim: true, suggest: Suggest(false), ..lexical(request) };
        let engine = engine.clone();
        let mut search = engine.index.borrow().search(request).ok()?;
        let first = search.step(&engine.index.borrow()).ok()?;
        if let Step::Need(shards) = &first
            && shards.iter().all(|shard| waiting.contains(shard))
        {
            return None;
        }
        Some(Box::pin(async move {
            let mut step = first;
            for _ in 0..MAX_ROUNDS {
                let shards = match step {
                    Step::Done(response) => return tell(*response),
                    Step::Need(shards) => shards,
                };
                let loads = shards.into_iter().map(|shard| engine.load(&self.source, shard));
                // The whole search goes on and reports its own errors.
                if join_all(loads).await.iter().any(Result::is_err) {
                    return;
                }
                let Ok(next) = search.step(&engine.index.borrow()) else { return };
                step = next;
            }
        }))
    }

    /// Keeps memory within its limit between searches, and writes new files to the cache. Once all
    /// files of the build are known, removes other files from the cache.
    fn tidy(self: &Rc<Self>) {
        let engine = self.engine();
        {
            let mut index = engine.index.borrow_mut();
            let default = DEFAULT_MEMORY[usize::from(index.is_streamed())];
            index.shrink(self.memory.unwrap_or(default));
        }
        let bundle = self.clone();
        spawn_local(async move {
            browser::pause(WRITING_PAUSE).await;
            if bundle.n_searching.get() > 0 {
                return;
            }
            bundle.source.store.write().await;
            if let Some(paths) = engine.paths().filter(|_| !bundle.is_pruned.get()) {
                bundle.is_pruned.set(true);
                let paths = paths.into_iter().collect();
                bundle.source.prune(paths, engine.entry(), &engine.revision()).await;
            }
        });
    }
}

/// Returns the engine over the build that an entry names.
async fn open_engine(
    source: &Source,
    entry: findling_bundle::EntryFile,
    streamed: bool,
) -> Result<Engine, Error> {
    for fresh in [false, true] {
        let opened = match source.manifest(&entry, fresh).await {
            Ok(opened) => Engine::open(entry, opened, streamed),
            Err(error) => Err(error),
        };
        match opened {
            // A cache may have damaged the manifest.
            Err(error) if !fresh && matches!(error.code(), "bundle" | "inconsistent") => {}
            Err(error) if error.code() == "bundle" => {
                return Err(Error::new(
                    "manifest-changed",
                    format!(
                        "{error}. Deploy all files of the bundle together, and let caches keep \
                         findling.idx for minutes at most."
                    ),
                ));
            }
            opened => return opened,
        }
    }
    Err(Error::new("internal", "The manifest could not be read."))
}

/// Returns the request without meaning.
fn lexical(request: &Request) -> Request {
    Request { mode: Mode::Lexical, vector: None, also_vectors: Vec::new(), ..request.clone() }
}
