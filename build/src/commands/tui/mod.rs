//! `findling tui`: searches while the user types.
//!
//! The main thread draws and reads keys; it never waits for other work. Three threads work for it:
//! [`searcher`] answers queries, [`reader`] reads pages for the preview, [`index_state`] watches
//! whether the bundles are current. [`app`] is what is on the screen; [`view`] draws it.

mod app;
pub(super) mod facets;
mod index_state;
mod kept;
mod keys;
mod line_edit;
pub(super) mod modes;
mod offer;
mod preview;
mod reader;
mod rows;
mod screen;
mod searcher;
mod span;
mod styled;
mod theme;
mod view;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Result, bail};
use ratatui::crossterm::event::{Event, KeyEventKind, poll, read};

use super::last::Opener;
use super::search::{Output, finish};
use super::vector_name::VectorName;
use crate::output::Exit;
use crate::safe_text::line;
use crate::ui::Ui;
use app::{App, Effect};
use index_state::State;
use reader::Preview;
use screen::Screen;
use searcher::{Bundle, News, Wanted};
use theme::Theme;

/// Time to wait for a key, while an answer is under way and otherwise.
const BUSY: Duration = Duration::from_millis(5);
const IDLE: Duration = Duration::from_millis(50);

/// Maximum number of hits that are kept for `findling open`.
const MAX_KEPT: usize = 20;

/// Search in a terminal while typing, with a preview
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle
    #[arg(help = concat!(
        "Bundle: ", bundle_forms!(),
        ". By default all collections, or the directory one stands in"
    ))]
    target: Option<PathBuf>,
    /// Which vectors are searched.
    #[command(flatten)]
    vectors: VectorName,
}

/// The messages of the threads to the main thread.
#[derive(Debug)]
enum Message {
    Search(News),
    Preview(Box<Preview>),
    Index(Vec<(String, State)>),
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let mut signal = None;
    let outcome = finish(&Output::default(), ui, || {
        signal = start(args)?;
        Ok(Exit::Found)
    });
    if let Some(signal) = signal {
        screen::die_of(signal);
    }
    outcome
}

/// Runs until the reader ends it, or a signal does, which is returned.
fn start(Args { target, vectors }: Args) -> Result<Option<i32>> {
    let name = match &target {
        Some(target) => target.to_string_lossy().into_owned(),
        None => "all collections".to_owned(),
    };
    let session = kept::read(&name);
    let mut screen = Screen::take()?;
    let (tell, news) = channel();
    let (search, questions) = channel();
    let (read, pages) = channel();
    let (watch, opened) = channel();
    let wanted = Wanted { targets: target.into_iter().collect(), vectors };
    let searching = searcher::spawn(wanted, questions, tell.clone())?;
    let reading = reader::spawn(pages, tell.clone())?;
    let watching = index_state::spawn(opened, search.clone(), tell)?;
    let app = App::new(&name, session);
    let threads = [searching, reading, watching];
    let mut program =
        Program { app, theme: Theme::of_environment(), news, search, read, watch, threads };
    // Reading keys from a closed terminal can fail before its signal arrives.
    let ended = program.run(&mut screen).or_else(|error| {
        std::thread::sleep(IDLE);
        screen.signal().map(Some).ok_or(error)
    });
    drop(screen);
    // The next search writes it again, so nothing is lost.
    if ended.is_ok() {
        let _ = kept::keep(&name, program.app.session());
    }
    let last = program.app.last(MAX_KEPT);
    if !last.hits.is_empty() {
        let _ = last.keep(None);
        #[cfg(feature = "history")]
        super::history::remember(&last, &Ui::silent());
    }
    ended
}

struct Program {
    app: App,
    theme: Theme,
    news: Receiver<Message>,
    search: Sender<searcher::Job>,
    read: Sender<reader::Job>,
    watch: Sender<Vec<Bundle>>,
    threads: [JoinHandle<()>; 3],
}

/// Whether the program goes on.
enum Next {
    On,
    End,
}

impl Program {
    fn run(&mut self, screen: &mut Screen) -> Result<Option<i32>> {
        let mut changed = true;
        loop {
            if let Some(signal) = screen.signal() {
                return Ok(Some(signal));
            }
            if screen.has_new_size() {
                screen.renew()?;
                changed = true;
            }
            if changed {
                screen.terminal().draw(|frame| view::draw(frame, &mut self.app, self.theme))?;
            }
            changed = false;
            let wait = if self.app.summary.is_waiting { BUSY } else { IDLE };
            // All keys that have come are taken before the screen is drawn again.
            let mut ready = poll(wait)?;
            while ready {
                changed = true;
                if let Next::End = self.take(read()?, screen)? {
                    return Ok(None);
                }
                ready = poll(Duration::ZERO)?;
            }
            while let Ok(message) = self.news.try_recv() {
                changed = true;
                self.hear(message, screen)?;
            }
            if self.threads.iter().any(JoinHandle::is_finished) {
                // The thread's last message may contain the reason.
                while let Ok(message) = self.news.try_recv() {
                    self.hear(message, screen)?;
                }
                bail!("a thread of the program has stopped");
            }
        }
    }

    /// Takes a key, pasted text or a new size.
    fn take(&mut self, event: Event, screen: &mut Screen) -> Result<Next> {
        let effect = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                keys::action(key).and_then(|action| self.app.act(action))
            }
            Event::Paste(text) => self.app.paste(&text),
            Event::Resize(..) => {
                screen.renew()?;
                None
            }
            _ => None,
        };
        match effect {
            Some(effect) => self.perform(effect, screen),
            None => Ok(Next::On),
        }
    }

    fn hear(&mut self, message: Message, screen: &mut Screen) -> Result<()> {
        let effect = match message {
            Message::Search(News::Failed(error)) => return Err(error),
            Message::Search(News::Opened(bundles)) => Some(self.opened(bundles)),
            Message::Search(News::Kept) => Some(self.app.ask_again()),
            Message::Search(News::Answer(answer)) => self.app.answer(*answer),
            Message::Preview(preview) => {
                self.app.read(*preview);
                None
            }
            Message::Index(states) => {
                self.app.states = states;
                None
            }
        };
        if let Some(effect) = effect {
            self.perform(effect, screen)?;
        }
        Ok(())
    }

    fn opened(&mut self, bundles: Vec<Bundle>) -> Effect {
        let pairs = bundles.iter().map(|one| (one.location.clone(), one.sources.clone()));
        // A thread that has stopped is noticed elsewhere.
        let _ = self.read.send(reader::Job::Bundles(pairs.collect()));
        let _ = self.watch.send(bundles.clone());
        self.app.opened(bundles)
    }

    fn perform(&mut self, effect: Effect, screen: &mut Screen) -> Result<Next> {
        match effect {
            Effect::Ask => match self.app.question() {
                Ok(question) => {
                    self.app.error = None;
                    let _ = self.search.send(searcher::Job::Ask(question));
                }
                Err(error) => self.fail(&error),
            },
            Effect::Read => {
                let id = self.app.next_read();
                if let Some(row) = self.app.rows.current() {
                    let page = Box::new(row.page.clone());
                    let _ = self.read.send(reader::Job::Read { id, bundle: row.bundle, page });
                }
            }
            Effect::Open { in_browser } => {
                if let Err(error) = self.open(in_browser, screen) {
                    self.fail(&error);
                }
            }
            Effect::Install(name) => {
                let installed = install(&name, screen);
                match installed {
                    Ok(()) => return self.perform(Effect::Ask, screen),
                    Err(error) => self.fail(&error),
                }
            }
            Effect::Suspend => screen.suspend()?,
            Effect::Quit => return Ok(Next::End),
        }
        Ok(Next::On)
    }

    fn fail(&mut self, error: &anyhow::Error) {
        self.app.summary.is_waiting = false;
        self.app.error = Some(line(&format!("{error:#}")).into_owned());
    }

    /// Opens the selected row. An editor takes over the terminal; a browser opens its own window.
    fn open(&self, in_browser: bool, screen: &mut Screen) -> Result<()> {
        let Some(hit) = self.app.hit(self.app.rows.selected()) else { return Ok(()) };
        let opener = Opener::of(&hit, in_browser)?;
        let mut process = opener.process()?;
        if opener.is_editor {
            screen.lend(process)?;
            return Ok(());
        }
        process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut browser = process.spawn()?;
        std::thread::spawn(move || browser.wait());
        Ok(())
    }
}

/// Installs a model with the progress that the command shows, on the ordinary terminal screen.
fn install(name: &str, screen: &mut Screen) -> Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["models", "install", name, "--yes"]);
    let status = screen.lend(command)?;
    if !status.success() {
        bail!("{name} was not installed: `findling models install {name}` says why");
    }
    Ok(())
}
