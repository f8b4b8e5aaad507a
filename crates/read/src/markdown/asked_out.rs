//! Front matter by which authors keep a page out of searches, in the words of many generators.

use std::time::SystemTime;

use serde_json::Value;

use super::super::attributes;

/// Returns the reason why a field keeps the page out of searches, if it does.
pub(super) fn reason(name: &str, value: &Value) -> Option<String> {
    let plain: String =
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let is = |wanted: bool| truth(value) == Some(wanted);
    let asks = || Some(format!("asks not to be searched ({name}: {})", shown(value)));
    match plain.as_str() {
        "draft" if is(true) => Some("a draft".to_owned()),
        "published" | "publish" if is(false) => Some("not published".to_owned()),
        "headless" if is(true) => Some("is not a page by itself (headless: true)".to_owned()),
        "search" | "pagefind" | "searchable" | "indexable" | "insearch" | "includeinsearch"
        | "searchindex" | "lunr" | "algolia" | "docsearch"
            if is(false) =>
        {
            asks()
        }
        "noindex" | "searchexclude" | "excludesearch" | "excludefromsearch" | "searchexcluded"
        | "hidefromsearch" | "hideinsearch" | "hiddenfromsearch" | "searchhidden"
        | "searchhide" | "nosearch" | "disablesearch" | "searchdisabled" | "searchdisable"
        | "searchignore" | "ignoresearch" | "ignoreinsearch" | "skipsearch" | "notsearchable"
        | "unlisted" | "excludeindex" | "excludefromindex" | "donotindex"
            if is(true) =>
        {
            asks()
        }
        "search" | "pagefind" | "algolia" => {
            let object = value.as_object()?;
            let excluded = object.iter().any(|(name, value)| {
                matches!(name.as_str(), "exclude" | "hidden" | "disable" | "ignore" | "disabled")
                    && truth(value) == Some(true)
                    || matches!(name.as_str(), "index" | "enable" | "enabled" | "include")
                        && truth(value) == Some(false)
            });
            excluded.then(|| format!("asks not to be searched ({name}: exclude: true)"))
        }
        "robots" | "metarobots" | "robotsmeta" => forbids(value).then(asks)?,
        "seo" | "metadata" | "meta" => {
            let object = value.as_object()?;
            let forbidden = object.iter().any(|(name, value)| match name.as_str() {
                "noindex" | "noIndex" => truth(value) == Some(true),
                "robots" => forbids(value),
                _ => false,
            });
            forbidden.then(|| format!("asks not to be searched ({name}: noindex)"))
        }
        "head" => {
            let is_robots = |tag: &Value| {
                let text = tag.to_string();
                text.contains("\"robots\"") && text.contains("noindex")
            };
            let tags = value.as_array()?;
            tags.iter()
                .any(is_robots)
                .then(|| "asks not to be indexed (robots: noindex)".to_owned())
        }
        "build" => {
            let render = value.get("render")?;
            let never = truth(render) == Some(false) || render.as_str() == Some("never");
            never.then(|| "is not a page by itself (build: render: never)".to_owned())
        }
        "expirydate" | "expires" | "expiry" | "unpublishdate" | "expiredate" => {
            let date = attributes::date(value.as_str()?)?;
            (date <= now()?).then(|| format!("has expired ({name}: {})", shown(value)))
        }
        "publishdate" | "pubdate" | "releasedate" | "publishon" | "publishat" => {
            let date = attributes::date(value.as_str()?)?;
            (date > now()?).then(|| format!("is not published yet ({name}: {})", shown(value)))
        }
        _ => None,
    }
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns whether instructions for robots forbid indexing: a text, a list, or fields.
fn forbids(value: &Value) -> bool {
    match value {
        Value::String(text) => text
            .split([',', ' ', ';'])
            .any(|word| word.eq_ignore_ascii_case("noindex") || word.eq_ignore_ascii_case("none")),
        Value::Array(list) => list.iter().any(forbids),
        Value::Object(fields) => {
            fields.get("index").and_then(truth) == Some(false)
                || fields.get("noindex").and_then(truth) == Some(true)
        }
        _ => false,
    }
}

/// Returns milliseconds since 1970: for a reproducible build its nominal time, otherwise the time
/// of the clock.
fn now() -> Option<i64> {
    if let Some(seconds) = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse().ok()) {
        let seconds: i64 = seconds;
        return seconds.checked_mul(1000);
    }
    // If a site is built in a browser, there is no clock.
    if cfg!(target_family = "wasm") {
        return None;
    }
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn flags_of_many_generators_keep_a_page_out() {
        for (name, value) in [
            ("excludeSearch", json!(true)),
            ("search-exclude", json!("yes")),
            ("exclude_from_search", json!(true)),
            ("hide_from_search", json!(true)),
            ("nosearch", json!(true)),
            ("disableSearch", json!(true)),
            ("searchHidden", json!(true)),
            ("robots", json!("NOINDEX, nofollow")),
            ("robots", json!(["noindex"])),
            ("robots", json!({"index": false})),
            ("seo", json!({"noindex": true})),
            ("head", json!([["meta", {"name": "robots", "content": "noindex"}]])),
            ("search", json!({"exclude": true})),
            ("_build", json!({"render": "never"})),
            ("build", json!({"render": false})),
            ("expiryDate", json!("2020-01-01")),
            ("publishDate", json!("2999-01-01T10:00:00Z")),
            ("published", json!(false)),
            ("draft", json!(true)),
        ] {
            assert!(reason(name, &value).is_some(), "{name}: {value}");
        }
    }

    #[test]
    fn other_fields_do_not() {
        for (name, value) in [
            ("search", json!(true)),
            ("search", json!({"boost": 2})),
            ("robots", json!("index, follow")),
            ("excludeSearch", json!(false)),
            ("hidden", json!(true)),
            ("expiryDate", json!("2999-01-01")),
            ("publishDate", json!("2020-01-01")),
            ("build", json!({"list": "never"})),
            ("sidebar", json!({"hidden": true})),
        ] {
            assert_eq!(reason(name, &value), None, "{name}: {value}");
        }
    }
}
