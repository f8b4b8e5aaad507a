//! The line that distinguishes pages of one kind in a list: authors, year and venue of a paper;
//! program, project and day of a conversation.

use findling_engine::{PageHit, SectionHit};
use serde_json::{Map, Value};

use crate::safe_text::line;
use crate::sources::UNKNOWN;

/// The name of the further data of a paper that has its citation.
pub const CSL: &str = "csl";

/// Returns the citation of a paper as its reader wrote it: an item of CSL-JSON. Empty for others.
pub fn csl(meta: &[(String, String)]) -> Map<String, Value> {
    let found = meta.iter().find(|(name, _)| name == CSL);
    let item = found.and_then(|(_, text)| serde_json::from_str::<Value>(text).ok());
    match item {
        Some(Value::Object(item)) => item,
        _ => Map::new(),
    }
}

/// Returns whether a page is a paper: it has all attributes that describe papers.
pub fn is_paper(attributes: &Map<String, Value>) -> bool {
    ["authors", "venue", "doi", "type"].iter().all(|name| attributes.contains_key(*name))
}

/// Returns whether a page is a conversation.
pub fn is_conversation(attributes: &Map<String, Value>) -> bool {
    attributes.contains_key("roles")
        && ["agent", "project", "session", "updated"]
            .iter()
            .any(|name| attributes.contains_key(*name))
}

/// Returns the line that distinguishes a page from others of its kind; `None` for pages of a site.
/// Harmless, on one line.
pub fn byline(page: &PageHit, section: Option<&SectionHit>) -> Option<String> {
    let parts = if is_paper(&page.attributes) {
        of_paper(page)
    } else if is_conversation(&page.attributes) {
        of_conversation(page, section)
    } else {
        Vec::new()
    };
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

fn of_paper(page: &PageHit) -> Vec<String> {
    vec![authors_and_year(page), known(&page.attributes, "venue")]
}

/// Returns authors and year as texts cite them: `Smith et al. (2023)`.
pub fn authors_and_year(page: &PageHit) -> String {
    let year = page.attributes.get("year").and_then(Value::as_f64);
    let year = year.map_or_else(|| "n.d.".to_owned(), |year| format!("{year}"));
    match authors(page) {
        authors if authors.is_empty() => format!("({year})"),
        authors => format!("{authors} ({year})"),
    }
}

/// Returns the surnames of the authors: one, two, or the first of several.
fn authors(page: &PageHit) -> String {
    let item = csl(&page.meta);
    let people = item.get("author").and_then(Value::as_array);
    let surname = |person: &Value| {
        let part = |name: &str| person.get(name).and_then(Value::as_str).unwrap_or_default();
        let whole = [part("non-dropping-particle"), part("family"), part("literal")];
        let known: Vec<&str> = whole.into_iter().filter(|part| !part.is_empty()).collect();
        line(&known.join(" ")).into_owned()
    };
    let names: Vec<String> = match people {
        Some(people) => people.iter().map(surname).collect(),
        None => {
            let names = page.attributes.get("authors").and_then(Value::as_array);
            let names = names.into_iter().flatten().filter_map(Value::as_str);
            let names = names.filter(|name| *name != UNKNOWN);
            names.map(|name| line(last_word(name)).into_owned()).collect()
        }
    };
    let has_more = item.get("others") == Some(&Value::Bool(true));
    match &names[..] {
        [] => String::new(),
        [one] if !has_more => one.clone(),
        [one, two] if !has_more => format!("{one} and {two}"),
        [one, ..] => format!("{one} et al."),
    }
}

fn last_word(name: &str) -> &str {
    name.split_whitespace().next_back().unwrap_or(name)
}

/// Returns an attribute that is known, on one line.
pub fn known(attributes: &Map<String, Value>, name: &str) -> String {
    let text = attributes.get(name).and_then(Value::as_str).unwrap_or_default();
    if text == UNKNOWN { String::new() } else { line(text).into_owned() }
}

fn of_conversation(page: &PageHit, section: Option<&SectionHit>) -> Vec<String> {
    let own = |name: &str| section.map(|one| known(&one.attributes, name)).unwrap_or_default();
    let day = |text: String| text.get(..10).map(str::to_owned).unwrap_or_default();
    let when = match day(own("time")) {
        day if day.is_empty() => {
            known(&page.attributes, "updated").get(..10).unwrap_or("").to_owned()
        }
        day => day,
    };
    let agent = known(&page.attributes, "agent");
    let project = short_project(&known(&page.attributes, "project"));
    vec![agent, project, when, own("role")]
}

/// Returns the last two names of a path, which distinguish projects in a list.
pub fn short_project(project: &str) -> String {
    let trimmed = project.trim_end_matches(['/', '\\']);
    if !trimmed.contains(['/', '\\']) {
        return trimmed.to_owned();
    }
    let parts: Vec<&str> = trimmed.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    match &parts[..] {
        [.., above, last] if parts.len() > 2 => format!("…/{above}/{last}"),
        _ => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(attributes: Value, meta: &[(&str, &str)]) -> PageHit {
        let Value::Object(attributes) = attributes else { panic!("an object") };
        PageHit {
            id: "a".into(),
            url: String::new(),
            title: "Title".into(),
            language: String::new(),
            score: 1.0,
            attributes,
            meta: meta.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            sections: vec![],
            n_sections: 0,
            copies: 0,
            pinned: false,
        }
    }

    #[test]
    fn papers_have_authors_year_and_venue() {
        let paper = |authors: Value, csl: &str| {
            let attributes = json!({"authors": authors, "year": 2023.0, "venue": "Icarus",
                "doi": "unknown", "type": "article"});
            byline(&page(attributes, &[("csl", csl)]), None).unwrap()
        };
        let people = r#"{"author":[{"family":"Smith","given":"A"},{"family":"Li","given":"B"},
            {"literal":"The Group"}]}"#;
        assert_eq!(paper(json!(["A Smith", "B Li"]), people), "Smith et al. (2023) · Icarus");
        let more = r#"{"author":[{"family":"Smith","given":"A"}],"others":true}"#;
        assert_eq!(paper(json!(["A Smith"]), more), "Smith et al. (2023) · Icarus");
        assert_eq!(paper(json!(["A Smith", "B Li"]), "{}"), "Smith and Li (2023) · Icarus");
        assert_eq!(paper(json!(["unknown"]), "not JSON"), "(2023) · Icarus");
    }

    #[test]
    fn conversations_have_agent_project_and_day() {
        let attributes = json!({"roles": ["user"], "agent": "Codex",
            "project": "/home/ana/src/shop", "updated": "2025-07-18T10:00:00Z"});
        let line = byline(&page(attributes, &[]), None).unwrap();
        assert_eq!(line, "Codex · …/src/shop · 2025-07-18");
        assert_eq!(short_project("incidents"), "incidents");
        assert_eq!(short_project("C:\\srv\\api"), "…/srv/api");
        assert_eq!(byline(&page(json!({"title": "x"}), &[]), None), None);
    }
}
