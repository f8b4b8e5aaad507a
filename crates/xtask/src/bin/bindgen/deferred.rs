//! The list of what the engine's first part leaves to others, by the names of functions.
//!
//! A line is a part of a name, and what it names goes into the rest. One that ends in `::*` names
//! functions that are a part each, called by what follows: `text::languages::*` makes a part `es`
//! of `text::languages::es` and of what that alone needs. Lines with `!` in front make exceptions
//! of both. Empty lines and those with `#` in front are passed over.

/// The part with all that has none of its own.
pub const REST: &str = "rest";

/// Which functions can wait.
#[derive(Hash)]
pub struct Deferred {
    with: Vec<String>,
    without: Vec<String>,
    /// What stands before the name of a part.
    each: Vec<String>,
}

impl Deferred {
    /// Reads a list.
    pub fn parse(list: &str) -> Self {
        let mut deferred = Self { with: Vec::new(), without: Vec::new(), each: Vec::new() };
        for line in
            list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            if let Some(exception) = line.strip_prefix('!') {
                deferred.without.push(exception.to_owned());
            } else if let Some(before) =
                line.strip_suffix('*').filter(|before| before.ends_with("::"))
            {
                deferred.each.push(before.to_owned());
            } else {
                deferred.with.push(line.to_owned());
            }
        }
        deferred
    }

    /// The part that a function waits for, if it does.
    pub fn part_of(&self, name: &str) -> Option<String> {
        let name = without_hashes(name);
        let any = |parts: &[String]| parts.iter().any(|part| name.contains(part.as_str()));
        if any(&self.without) {
            return None;
        }
        match self.each.iter().find_map(|before| name.strip_prefix(before.as_str())) {
            Some(behind) => {
                Some(behind.chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect())
            }
            None => any(&self.with).then(|| REST.to_owned()),
        }
    }

    /// A line that is true of none of these functions.
    pub fn idle<'a>(&self, names: impl Iterator<Item = &'a str>) -> Option<&str> {
        let names: Vec<String> = names.map(without_hashes).collect();
        let mut lines = self.with.iter().chain(&self.without).chain(&self.each);
        lines
            .find(|line| !names.iter().any(|name| name.contains(line.as_str())))
            .map(String::as_str)
    }
}

/// `core[c5930c85a12de822]::fmt` as `core::fmt`.
fn without_hashes(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once(']') {
            Some((hash, after))
                if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) =>
            {
                rest = after
            }
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_parts() {
        let list = Deferred::parse(
            "# comment\n\nengine::filter\n!filter::date\ntext::languages::*\n!languages::en\n",
        );
        for (name, expect) in [
            ("engine[0123456789abcdef]::filter::eval #7", Some(REST)),
            ("<engine::filter::A as core::fmt::Debug>::fmt", Some(REST)),
            ("engine::filter::date::format", None),
            ("engine::rank", None),
            ("text[0123456789abcdef]::languages::es #12", Some("es")),
            ("text::languages::es::{closure#0}", Some("es")),
            ("text::languages::en", None),
            ("text::rules::es", None),
            ("<text::languages::es as core::ops::Fn>::call", None),
        ] {
            assert_eq!(list.part_of(name).as_deref(), expect, "{name}");
        }
        let names = ["engine::filter::date", "text::languages::en"];
        assert_eq!(list.idle(names.into_iter()), None);
        assert_eq!(list.idle(names.into_iter().skip(1)), Some("engine::filter"));
    }
}
