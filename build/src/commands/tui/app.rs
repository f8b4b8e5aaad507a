//! The state of the screen, and how keys and answers change it. It uses no terminal and no thread.

use anyhow::Result;
use findling_engine::Facet;
use serde_json::Value;

use super::facets::{Chosen, Entry, entries};
use super::index_state::State;
use super::kept::{Search, Session};
use super::keys::Action;
use super::line_edit::{Edit, LineEdit};
use super::modes::Mode;
use super::offer::Offer;
use super::preview::PreviewPane;
use super::reader::Preview;
use super::rows::Rows;
use super::searcher::{Answer, Bundle, Question};
use super::span::Span;
use crate::commands::search::{parse_filter, with_conditions};
use crate::output::{Last, LastHit};
use crate::safe_text::line;

/// The part of the screen that has the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    #[default]
    Query,
    Filter,
    Facets,
}

/// The program's next step after a key or an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Ask the question that [`App::question`] returns.
    Ask,
    /// Read the page of the selected row.
    Read,
    /// Open the selected row, in the browser if the value is true.
    Open {
        in_browser: bool,
    },
    Suspend,
    /// Install the model that was offered.
    Install(String),
    Quit,
}

/// About the answer that is shown.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub pages: u64,
    pub sections: u64,
    pub words: String,
    /// Whether a better answer follows.
    pub is_waiting: bool,
}

/// The state of the screen.
pub struct App {
    pub query: LineEdit,
    pub filter: LineEdit,
    pub focus: Focus,
    pub mode: Mode,
    pub span: Span,
    /// The page to which similar pages are shown instead of the query's results: its bundle, id and
    /// title.
    pub like: Option<(usize, String, String)>,
    pub rows: Rows,
    pub summary: Summary,
    pub remarks: Vec<String>,
    pub facets: Vec<Facet>,
    pub chosen: Chosen,
    pub shows_facets: bool,
    /// The selected line of the facets.
    pub facet: usize,
    pub preview: PreviewPane,
    pub shows_help: bool,
    pub explains: bool,
    /// A model that the program offers to install.
    pub offer: Option<Offer>,
    /// Models that the reader does not want.
    refused: Vec<String>,
    pub bundles: Vec<Bundle>,
    pub states: Vec<(String, State)>,
    /// The last error.
    pub error: Option<String>,
    /// Number of rows of the list when it was drawn last.
    pub page_rows: usize,
    /// The number of the last question.
    asked: u64,
    /// The number of the answer shown, which may belong to an earlier question.
    shown: u64,
    /// Whether the last question repeats the earlier question, over a new bundle or with facets.
    /// The selected row then stays.
    is_again: bool,
    /// The number of the page that the preview waits for.
    read: u64,
}

impl App {
    /// Returns a screen in the state of the session.
    pub fn new(target: &str, session: Session) -> Self {
        let Session { mode, explains, refused, search } = session;
        Self {
            query: LineEdit::new(search.query),
            filter: LineEdit::new(search.filter),
            focus: Focus::Query,
            mode,
            span: Span::All,
            like: None,
            rows: Rows::default(),
            summary: Summary::default(),
            remarks: Vec::new(),
            facets: Vec::new(),
            chosen: search.chosen,
            shows_facets: search.facets,
            facet: 0,
            preview: PreviewPane::default(),
            shows_help: false,
            explains,
            offer: None,
            refused,
            bundles: Vec::new(),
            states: vec![(line(target).into_owned(), State::Opening)],
            error: None,
            page_rows: 1,
            asked: 0,
            shown: 0,
            is_again: false,
            read: 0,
        }
    }

    /// Returns the state that the next run begins with.
    pub fn session(&self) -> Session {
        let search = Search {
            query: self.query.text().to_owned(),
            filter: self.filter.text().to_owned(),
            chosen: self.chosen.clone(),
            facets: self.shows_facets,
            ..Search::default()
        };
        let refused = self.refused.clone();
        Session { mode: self.mode, explains: self.explains, refused, search }
    }

    /// Returns the question to ask now.
    ///
    /// # Errors
    /// If the filter cannot be read.
    pub fn question(&mut self) -> Result<Question> {
        self.asked += 1;
        self.summary.is_waiting = true;
        Ok(Question {
            id: self.asked,
            query: self.query.text().to_owned(),
            mode: self.mode,
            since: self.span.since(),
            like: self.like.as_ref().map(|(bundle, id, _)| (*bundle, id.clone())),
            filter: self.condition()?,
            facets: self.shows_facets,
        })
    }

    fn condition(&self) -> Result<Option<Value>> {
        let text = self.filter.text().trim();
        let typed = (!text.is_empty()).then(|| parse_filter(text)).transpose();
        let typed = typed.map_err(|error| anyhow::anyhow!("filter: {error}"))?;
        Ok(with_conditions(typed, self.chosen.condition().into_iter().collect())?)
    }

    /// Takes an answer.
    pub fn answer(&mut self, answer: Answer) -> Option<Effect> {
        if answer.id != self.asked {
            return None;
        }
        self.summary.is_waiting = !answer.is_last;
        let missing = answer.missing_model.and_then(|name| Offer::of(&name, &self.refused));
        self.offer = self.offer.take().or(missing);
        if answer.is_refused {
            // Earlier results stay visible: the results of an earlier stage, or results to read
            // while the user corrects the query or the filter.
            if self.shown == answer.id {
                self.remarks = answer.remarks;
            } else {
                self.error = answer.remarks.into_iter().next();
            }
            return None;
        }
        let before = self.rows.current().map(|row| (row.bundle, row.page.clone()));
        if self.shown == answer.id || self.is_again {
            self.rows.improve(answer.rows);
        } else {
            self.rows.replace(answer.rows);
        }
        self.shown = answer.id;
        self.is_again = false;
        self.summary = Summary {
            pages: answer.pages,
            sections: answer.sections,
            words: format!("{}, {:.0} ms", answer.stage.name(), answer.took.as_secs_f64() * 1e3),
            is_waiting: !answer.is_last,
        };
        self.remarks = answer.remarks;
        if let Some((_, _, title)) = &self.like {
            self.remarks.insert(0, format!("like {title}"));
        }
        if !self.span.name().is_empty() {
            self.remarks.insert(0, self.span.name().to_owned());
        }
        if self.shows_facets {
            self.facets = answer.facets;
            self.keep_facet_on_a_value(0);
        }
        self.error = None;
        let now = self.rows.current().map(|row| (row.bundle, row.page.clone()));
        (before != now).then_some(Effect::Read)
    }

    /// Takes the bundles that were opened, or opened again.
    pub fn opened(&mut self, bundles: Vec<Bundle>) -> Effect {
        self.is_again = !self.bundles.is_empty();
        self.bundles = bundles;
        Effect::Ask
    }

    /// Repeats a question that may be unanswered because the bundles were being opened.
    pub fn ask_again(&mut self) -> Effect {
        self.is_again = true;
        Effect::Ask
    }

    /// Returns the number of the page that is read next.
    pub fn next_read(&mut self) -> u64 {
        self.read += 1;
        self.read
    }

    /// Takes a page for the preview, unless another one is waited for.
    pub fn read(&mut self, preview: Preview) {
        if preview.id == self.read {
            self.preview.show(preview);
        }
    }

    /// Returns the hit of a row, to be opened.
    pub fn hit(&self, number: usize) -> Option<LastHit> {
        let row = self.rows.list().get(number)?;
        let bundle = self.bundles.get(row.bundle)?;
        let collection = (self.bundles.len() > 1).then_some(&*bundle.name);
        let of = &bundle.lasting_name;
        Some(LastHit::of(number + 1, &row.page, &bundle.sources, collection, of))
    }

    /// Returns the hits shown, for `findling open` and `findling last`.
    pub fn last(&self, most: usize) -> Last {
        let hits = (0..self.rows.list().len().min(most)).filter_map(|number| self.hit(number));
        Last::new(self.query.text(), hits.collect())
    }

    /// Inserts pasted text at the cursor.
    pub fn paste(&mut self, text: &str) -> Option<Effect> {
        if self.offer.is_some() {
            return None;
        }
        match self.focus {
            Focus::Filter => self.filter.paste(text),
            Focus::Query | Focus::Facets => self.query.paste(text),
        }
        Some(Effect::Ask)
    }

    /// Performs the action of a key.
    pub fn act(&mut self, action: Action) -> Option<Effect> {
        if let Some(offer) = &self.offer
            && !matches!(action, Action::Quit | Action::Suspend)
        {
            let name = offer.name.clone();
            return self.reply(name, action);
        }
        if self.shows_help && !matches!(action, Action::Quit | Action::Suspend) {
            self.shows_help = false;
            return None;
        }
        match action {
            Action::Up => return self.move_by(-1),
            Action::Down => return self.move_by(1),
            Action::PageUp => return self.move_by(-(self.page_rows as isize)),
            Action::PageDown => return self.move_by(self.page_rows as isize),
            Action::First => return self.move_by(isize::MIN),
            Action::Last => return self.move_by(isize::MAX),
            Action::PreviewUp => self.preview.scroll_by(-1),
            Action::PreviewDown => self.preview.scroll_by(1),
            Action::PreviewPageUp => self.preview.scroll_pages(-1),
            Action::PreviewPageDown => self.preview.scroll_pages(1),
            Action::Help => self.shows_help = true,
            Action::Explain => self.explains = !self.explains,
            Action::Suspend => return Some(Effect::Suspend),
            Action::Quit => return Some(Effect::Quit),
            Action::Back => return self.back(),
            Action::Enter => return self.enter(),
            Action::OpenInBrowser => return Some(Effect::Open { in_browser: true }),
            Action::Filter => {
                self.focus = if self.focus == Focus::Filter { Focus::Query } else { Focus::Filter };
            }
            Action::Facets => return self.toggle_facets(),
            Action::ClearFilters => {
                (self.filter, self.chosen) = (LineEdit::default(), Chosen::default());
                self.span = Span::All;
                return Some(Effect::Ask);
            }
            Action::NextMode => {
                self.mode = self.mode.next();
                return Some(Effect::Ask);
            }
            Action::NextSpan => {
                self.span = self.span.next();
                return Some(Effect::Ask);
            }
            Action::Similar => {
                let row = self.rows.current()?;
                let title = row.names.first().cloned().unwrap_or_default();
                self.like = Some((row.bundle, row.page.id.clone(), title));
                return Some(Effect::Ask);
            }
            Action::Edit(edit) => {
                let edited =
                    if self.focus == Focus::Filter { &mut self.filter } else { &mut self.query };
                let is_changed = edited.apply(edit);
                if is_changed && self.focus != Focus::Filter {
                    self.like = None;
                }
                return is_changed.then_some(Effect::Ask);
            }
        }
        None
    }

    /// Takes the reply to the offer of a model. Keys that the offer does not name are ignored.
    fn reply(&mut self, name: String, action: Action) -> Option<Effect> {
        match action {
            Action::Edit(Edit::Insert('y' | 'Y')) => {
                self.offer = None;
                Some(Effect::Install(name))
            }
            Action::Edit(Edit::Insert('n' | 'N')) | Action::Back => {
                self.offer = None;
                self.refused.push(name);
                None
            }
            _ => None,
        }
    }

    fn back(&mut self) -> Option<Effect> {
        match self.focus {
            Focus::Query if self.like.take().is_some() => Some(Effect::Ask),
            Focus::Query => Some(Effect::Quit),
            Focus::Filter => {
                self.focus = Focus::Query;
                None
            }
            Focus::Facets => self.toggle_facets(),
        }
    }

    fn enter(&mut self) -> Option<Effect> {
        match self.focus {
            Focus::Query => Some(Effect::Open { in_browser: false }),
            Focus::Filter => {
                self.focus = Focus::Query;
                None
            }
            Focus::Facets => {
                let listed = entries(&self.facets, &self.chosen);
                let Some(Entry::Value { name, value, .. }) = listed.get(self.facet) else {
                    return None;
                };
                let (name, value) = ((*name).to_owned(), (*value).to_owned());
                self.chosen.toggle(&name, &value);
                Some(Effect::Ask)
            }
        }
    }

    fn toggle_facets(&mut self) -> Option<Effect> {
        if self.focus == Focus::Facets {
            (self.focus, self.shows_facets) = (Focus::Query, false);
            return None;
        }
        (self.focus, self.shows_facets) = (Focus::Facets, true);
        self.facet = 0;
        self.is_again = true;
        Some(Effect::Ask)
    }

    fn move_by(&mut self, by: isize) -> Option<Effect> {
        if self.focus == Focus::Facets {
            self.keep_facet_on_a_value(by);
            return None;
        }
        let before = self.rows.selected();
        self.rows.move_by(by);
        (self.rows.selected() != before).then_some(Effect::Read)
    }

    /// Moves the selected line of the facets, past names of attributes.
    fn keep_facet_on_a_value(&mut self, by: isize) {
        let listed = entries(&self.facets, &self.chosen);
        let is_value = |at: usize| matches!(listed.get(at), Some(Entry::Value { .. }));
        let last = listed.len().saturating_sub(1);
        let wanted = self.facet.saturating_add_signed(by).min(last);
        let down = (wanted..listed.len()).find(|&at| is_value(at));
        let up = (0..=wanted).rev().find(|&at| is_value(at));
        let found = if by < 0 { up.or(down) } else { down.or(up) };
        self.facet = found.unwrap_or(0);
    }
}
