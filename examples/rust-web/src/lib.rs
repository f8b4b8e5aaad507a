//! A page in Rust that searches a bundle while the reader types: results with marked snippets, a
//! filter by the first attribute that is a facet, and suggestions where nothing is found.
//!
//! `?page` in the address searches on the page's own thread instead of in a worker.

use std::cell::Cell;
use std::rc::Rc;

use findling_web::api::{Facet, PageHit};
use findling_web::{Error, Index, OpenOptions, Request, Response, parts};
use js_sys::futures::spawn_local;
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, HtmlInputElement, HtmlSelectElement, UrlSearchParams, Window};

/// Address of the bundle, relative to the page.
const BUNDLE: &str = "findling/";

/// Begins when the page has loaded the module.
#[wasm_bindgen(start)]
pub fn main() {
    // The search runs in a copy of this program, which draws nothing.
    if findling_web::in_worker() {
        return;
    }
    spawn_local(async {
        let Some(page) = Page::find() else { return };
        match page.open().await {
            Ok(index) => page.listen(index),
            Err(error) => page.status.set_text_content(Some(error.message())),
        }
    });
}

/// The elements of the page.
#[derive(Clone)]
struct Page {
    window: Window,
    document: Document,
    query: HtmlInputElement,
    filter: HtmlSelectElement,
    status: Element,
    results: Element,
}

impl Page {
    fn find() -> Option<Self> {
        let window = web_sys::window()?;
        let document = window.document()?;
        let by_id = |id| document.get_element_by_id(id);
        let (query, filter) = (by_id("query")?.dyn_into().ok()?, by_id("filter")?);
        let filter = filter.dyn_into().ok()?;
        let (status, results) = (by_id("status")?, by_id("results")?);
        Some(Self { window, document, query, filter, status, results })
    }

    async fn open(&self) -> Result<Index, Error> {
        let query = self.window.location().search().unwrap_or_default();
        let stays = UrlSearchParams::new_with_str(&query).is_ok_and(|query| query.has("page"));
        let options = OpenOptions { worker: !stays, ..OpenOptions::default() };
        Index::open_with(BUNDLE, options).await
    }

    /// Searches whenever the reader changes something.
    fn listen(self, index: Index) {
        let place = if index.runs_in_worker() { "a worker" } else { "the page" };
        let told = format!("{} pages, searched in {place}", index.info().pages);
        self.status.set_text_content(Some(&told));
        let (inputs, filters) = (self.query.clone(), self.filter.clone());
        let (page, newest) = (Rc::new(self), Rc::new(Cell::new(0)));
        let on_input = Closure::<dyn FnMut()>::new(move || {
            let (page, index, newest) = (page.clone(), index.clone(), newest.clone());
            let number = newest.get() + 1;
            newest.set(number);
            spawn_local(async move {
                let answer = page.search(&index).await;
                // An answer to an earlier query may come after the one to a later query.
                if newest.get() == number {
                    page.show(&index, answer);
                }
            });
        });
        for element in [inputs.as_ref() as &Element, filters.as_ref()] {
            // An element that is there takes a listener.
            let _ = element
                .add_event_listener_with_callback("input", on_input.as_ref().unchecked_ref());
        }
        on_input.forget();
    }

    async fn search(&self, index: &Index) -> Result<Response, Error> {
        let facet = index.info().attributes.into_iter().find(|attribute| attribute.facet);
        let facets = facet.map(|facet| facet.name).into_iter().collect();
        let filter = Some(self.filter.value()).filter(|filter| !filter.is_empty());
        let request = Request {
            query: self.query.value(),
            prefix: true,
            filter: filter.map(Into::into),
            facets,
            facets_instead: true,
            ..Request::default()
        };
        index.search(request).await
    }

    fn show(&self, index: &Index, answer: Result<Response, Error>) {
        self.results.set_inner_html("");
        let response = match answer {
            Ok(response) => response,
            Err(error) => return self.status.set_text_content(Some(error.message())),
        };
        for hit in &response.results {
            let _ = self.draw(index, hit);
        }
        if let Some(facet) = response.facets.first() {
            let _ = self.offer(facet);
        }
        let told = match response.suggestions.first() {
            Some(suggestion) => format!("Nothing found. Try: {}", suggestion.query),
            None => {
                let by = if response.encoder.is_some() { "words and meaning" } else { "words" };
                format!("{} pages, by {by}", response.total.pages)
            }
        };
        self.status.set_text_content(Some(&told));
    }

    /// Adds a result to the list.
    fn draw(&self, index: &Index, hit: &PageHit) -> Result<(), JsValue> {
        let item = self.document.create_element("li")?;
        let link = self.document.create_element("a")?;
        let section = hit.sections.first();
        let url = section.map_or(&hit.url, |section| &section.url);
        if let Some(href) = index.href(url) {
            link.set_attribute("href", &href)?;
        }
        link.set_text_content(Some(&hit.title));
        item.append_child(&link)?;
        let text = self.document.create_element("p")?;
        for part in section.map(|section| parts(&section.snippet)).unwrap_or_default() {
            let name = match (part.marked, part.code) {
                (true, _) => "mark",
                (false, true) => "code",
                (false, false) => "span",
            };
            let shown = self.document.create_element(name)?;
            shown.set_text_content(Some(part.text));
            text.append_child(&shown)?;
        }
        item.append_child(&text)?;
        self.results.append_child(&item)?;
        Ok(())
    }

    /// Lists the values of an attribute with their counts, the chosen one still chosen.
    fn offer(&self, facet: &Facet) -> Result<(), JsValue> {
        let chosen = self.filter.value();
        self.filter.set_inner_html("");
        let all = [(String::new(), "all".to_owned())].into_iter();
        let values = facet.values.iter().map(|(value, count)| {
            (format!("{}={}", facet.name, quoted(value)), format!("{value} ({count})"))
        });
        for (condition, label) in all.chain(values) {
            let option = self.document.create_element("option")?;
            option.set_attribute("value", &condition)?;
            option.set_text_content(Some(&label));
            self.filter.append_child(&option)?;
        }
        self.filter.set_value(&chosen);
        Ok(())
    }
}

/// Returns a value as filters write it.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
