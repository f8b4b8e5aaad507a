//! The layout of Antora: modules with pages, partials and examples, and attributes in `antora.yml`.

use super::file::File;
use super::includes::Includes;
use super::tree::Tree;

/// Largest `antora.yml` that is read, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// The place of a file in a module: the path above the modules, the module, the family, and the
/// path in the family.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub above: &'a str,
    pub module: &'a str,
    pub family: &'a str,
    pub path: &'a str,
}

/// Returns the place of a file, if it is in a module.
pub(super) fn place(id: &str) -> Option<Place<'_>> {
    let at = if id.starts_with("modules/") { 0 } else { id.find("/modules/")? + 1 };
    let (module, rest) = id[at + "modules/".len()..].split_once('/')?;
    let (family, path) = rest.split_once('/').unwrap_or(("", rest));
    Some(Place { above: &id[..at], module, family, path })
}

/// Returns whether a file of a module is not a page.
pub(super) fn is_no_page(file: &File) -> bool {
    place(&file.id).is_some_and(|place| {
        matches!(place.family, "" | "partials" | "examples" | "attachments" | "images")
    })
}

/// Returns the path of a page below the site, without the directories of its layout.
pub(super) fn path_of_page(id: &str) -> Option<String> {
    let place = place(id).filter(|place| place.family == "pages")?;
    let module = if place.module == "ROOT" { "" } else { place.module };
    let slash = if module.is_empty() { "" } else { "/" };
    Some(format!("{}{module}{slash}{}", place.above, place.path))
}

/// Returns the path of a resource, such as `partial$limits.adoc`, below the root.
pub(super) fn resource(id: &str, target: &str) -> Option<String> {
    let place = place(id)?;
    let (front, path) = target.split_once('$')?;
    let (coordinates, family) = front.rsplit_once(':').map_or(("", front), |(c, f)| (c, f));
    let family = match family {
        "partial" => "partials",
        "example" => "examples",
        "page" => "pages",
        "attachment" => "attachments",
        _ => return None,
    };
    let module = coordinates.rsplit(':').next().filter(|module| !module.is_empty());
    let module = module.unwrap_or(place.module);
    Some(format!("/{}modules/{module}/{family}/{path}", place.above))
}

/// Returns the attributes that the component gives its pages.
pub(super) fn attributes(file: &File, tree: &Tree) -> Vec<(String, String)> {
    let Some(found) = place(&file.id) else { return Vec::new() };
    let depth = file.id.len() - found.above.len();
    let below = file.id[file.id.len() - depth..].split('/').count();
    let Some(directory) = file.path.ancestors().nth(below) else { return Vec::new() };
    let path = directory.join("antora.yml");
    if tree.len(&path).is_ok_and(|len| len > MAX_BYTES) {
        return Vec::new();
    }
    let Ok(bytes) = tree.read(&path) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    let Ok(component) = serde_saphyr::from_str::<serde_json::Value>(&text) else {
        return Vec::new();
    };
    let attributes = component.pointer("/asciidoc/attributes").and_then(|found| found.as_object());
    let value = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => Some(text.trim_end_matches('@').to_owned()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(true) => Some(String::new()),
        _ => None,
    };
    let named = attributes.into_iter().flatten();
    named.filter_map(|(name, found)| Some((name.clone(), value(found)?))).collect()
}

/// Returns a text in which references without a text have the titles of the pages that they lead
/// to.
pub(super) fn with_titles(text: &str, file: &File, includes: &Includes) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("xref:") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find("[]").filter(|end| !rest[..*end].contains(char::is_whitespace));
        let Some(end) = end else {
            out.push_str("xref:");
            rest = &rest["xref:".len()..];
            continue;
        };
        let target = &rest["xref:".len()..end];
        match title(target, file, includes) {
            Some(title) => out.push_str(&format!("xref:{target}[{title}]")),
            None => out.push_str(&rest[..end + 2]),
        }
        rest = &rest[end + 2..];
    }
    out.push_str(rest);
    out
}

/// Returns the title of the page that a reference leads to.
fn title(target: &str, file: &File, includes: &Includes) -> Option<String> {
    let (page, fragment) = target.split_once('#').unwrap_or((target, ""));
    if !fragment.is_empty() || !page.ends_with(".adoc") {
        return None;
    }
    let target = match place(&file.id) {
        Some(found) => {
            let path = page.rsplit_once('@').map_or(page, |(_, path)| path);
            let (module, path) = path.rsplit_once(':').unwrap_or((found.module, path));
            let module = module.rsplit(':').next().unwrap_or(module);
            format!("/{}modules/{module}/pages/{path}", found.above)
        }
        None => page.to_owned(),
    };
    let text = includes.look(&target)?;
    let mut lines = text.lines().take(40);
    let title = lines.find_map(|line| line.strip_prefix("= "))?.trim();
    (!title.is_empty() && !title.contains([']', '['])).then(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_the_directories_of_the_layout() {
        for (id, path) in [
            ("modules/ROOT/pages/index.adoc", Some("index.adoc")),
            ("modules/ops/pages/a/locks.adoc", Some("ops/a/locks.adoc")),
            ("docs/modules/ops/pages/locks.adoc", Some("docs/ops/locks.adoc")),
            ("modules/ROOT/nav.adoc", None),
            ("pages/index.adoc", None),
        ] {
            assert_eq!(path_of_page(id).as_deref(), path, "{id}");
        }
    }

    #[test]
    fn resources_are_found_in_their_module() {
        let id = "docs/modules/ROOT/pages/index.adoc";
        for (target, path) in [
            ("partial$limits.adoc", Some("/docs/modules/ROOT/partials/limits.adoc")),
            ("ops:partial$a/b.adoc", Some("/docs/modules/ops/partials/a/b.adoc")),
            ("example$moor.rb", Some("/docs/modules/ROOT/examples/moor.rb")),
            ("limits.adoc", None),
        ] {
            assert_eq!(resource(id, target).as_deref(), path, "{target}");
        }
    }
}
