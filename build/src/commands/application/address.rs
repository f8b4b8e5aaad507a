//! Addresses of pages of collections, and paths of their files.

use std::path::{MAIN_SEPARATOR, Path};

use serde_json::{Map, Value};

use crate::output::byline::is_paper;
use crate::safe_text;

/// Returns the address at which a page or its section is read: its own web address if it has one,
/// otherwise the application's reader. A paper is read in the application, which shows what is
/// known about it.
pub fn of(
    collection: &str,
    id: &str,
    url: &str,
    anchor: Option<&str>,
    attributes: &Map<String, Value>,
    query: &str,
) -> String {
    web(url)
        .filter(|_| !is_paper(attributes))
        .unwrap_or_else(|| reader(collection, id, query, anchor))
}

/// Returns a web address, if it is one.
pub fn web(url: &str) -> Option<String> {
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    (is_web && safe_text::is_link(url)).then(|| safe_text::url(url))
}

/// Returns the address of a page in the reader.
pub fn reader(collection: &str, id: &str, query: &str, anchor: Option<&str>) -> String {
    let mut address = format!("/read?in={}&page={}", encoded(collection), encoded(id));
    if !query.is_empty() {
        address.push_str("&q=");
        address.push_str(&encoded(query));
    }
    if let Some(anchor) = anchor.filter(|anchor| !anchor.is_empty()) {
        address.push('#');
        address.push_str(&encoded(anchor));
    }
    address
}

/// Returns a path for people: the home directory is `~`.
pub fn shown(path: &Path) -> String {
    shown_below(path, std::env::home_dir().as_deref())
}

fn shown_below(path: &Path, home: Option<&Path>) -> String {
    // The home directory may be an empty path, which every path is below.
    let home = home.filter(|home| home.parent().is_some());
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~{MAIN_SEPARATOR}{}", rest.display()),
        None => path.display().to_string(),
    }
}

/// Percent-encodes everything but letters, digits and `-._~`.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_for_people_has_a_short_name_for_their_home_directory() {
        let shown = |path: &str, home| shown_below(Path::new(path), home);
        let ann = Some(Path::new("/home/ann"));
        let notes = ["~", "notes"].join(std::path::MAIN_SEPARATOR_STR);
        assert_eq!(shown("/home/ann/notes", ann), notes);
        assert_eq!(shown("/home/ann", ann), "~");
        assert_eq!(shown("/home/anna/notes", ann), "/home/anna/notes");
        for none in [None, Some(Path::new("")), Some(Path::new("/"))] {
            assert_eq!(shown("/srv/notes", none), "/srv/notes");
        }
    }

    #[test]
    fn a_page_of_the_web_is_read_there_and_a_paper_here() {
        let none = Map::new();
        let of = |id: &str, url: &str, anchor: &str, attributes: &Map<String, Value>| {
            super::of("my notes", id, url, Some(anchor), attributes, "a b")
        };
        assert_eq!(of("a.html", "https://x.org/a#b", "b", &none), "https://x.org/a#b");
        let here = "/read?in=my%20notes&page=s%2F1&q=a%20b#turn-3";
        assert_eq!(of("s/1", "/s/1#turn-3", "turn-3", &none), here);
        for harmful in ["javascript:alert(1)", "data:text/html,x", "//x.org/", "file:///etc"] {
            assert!(of("x", harmful, "", &none).starts_with("/read?"), "{harmful}");
        }
        let paper = json!({"type": "article", "doi": "1/x", "venue": "J", "authors": ["A"]});
        let Value::Object(paper) = paper else { panic!("an object") };
        let address = of("a.bib/x", "https://doi.org/1/x", "page=3", &paper);
        assert_eq!(address, "/read?in=my%20notes&page=a.bib%2Fx&q=a%20b#page%3D3");
    }
}
