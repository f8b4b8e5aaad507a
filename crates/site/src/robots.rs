//! Rules of `robots.txt` for every robot, and pages that `sitemap.xml` lists. The files for
//! assistants agree with both.
//!
//! Rules follow RFC 9309: the longest rule that matches a path decides; of two rules of equal
//! length, the one that allows.

use std::fs;
use std::path::{Path, PathBuf};

/// Largest file that is read, in bytes: RFC 9309 lets robots stop there.
const MAX_BYTES: u64 = 500 << 10;
/// Largest sitemap that is read, in bytes: the limit of sitemaps.org.
const MAX_SITEMAP_BYTES: u64 = 50 << 20;

/// Maximum number of sitemaps of an index that are read.
const MAX_SITEMAPS: usize = 100;

/// The rules for robots that no other group names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Robots {
    /// Whether a rule allows, and its path, which may have `*` and end with `$`.
    rules: Vec<(bool, String)>,
}

impl Robots {
    /// Returns the rules in a directory's `robots.txt`; none without the file.
    pub fn read(directory: &Path) -> Self {
        small_text(&directory.join("robots.txt"), MAX_BYTES)
            .map_or_else(Self::default, |text| Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let mut rules = Vec::new();
        let (mut is_ours, mut begins) = (false, true);
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "user-agent" => {
                    // The rules that follow apply to several names in a row.
                    is_ours = (is_ours && !begins) || value == "*";
                    begins = false;
                }
                "allow" | "disallow" => {
                    begins = true;
                    if is_ours && !value.is_empty() {
                        rules.push((key == "allow", value.to_owned()));
                    }
                }
                _ => {}
            }
        }
        Self { rules }
    }

    /// Returns whether a path, which begins with `/`, may be read.
    pub fn allows(&self, path: &str) -> bool {
        let matching = self.rules.iter().filter(|(_, rule)| matches(rule, path));
        matching
            .max_by_key(|(allows, rule)| (rule.len(), *allows))
            .is_none_or(|(allows, _)| *allows)
    }
}

/// Returns whether a path matches a rule from its beginning. `*` matches any characters; `$` at the
/// end matches the end.
fn matches(rule: &str, path: &str) -> bool {
    let (rule, to_end) = match rule.strip_suffix('$') {
        Some(rule) => (rule, true),
        None => (rule, false),
    };
    let mut parts = rule.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (at, part) in parts.iter().enumerate() {
        let is_last = at + 1 == parts.len();
        if is_last && to_end {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(found) => rest = &rest[found + part.len()..],
            None => return false,
        }
    }
    !to_end || rest.is_empty()
}

/// Returns the addresses that the sitemap in a directory lists; none without one. The sitemap is
/// `sitemap.xml` or `sitemap-index.xml`. Each may be an index of several, whose files are read if
/// they are below the directory.
pub fn sitemap(directory: &Path) -> Vec<String> {
    let read = |path: &Path| small_text(path, MAX_SITEMAP_BYTES);
    let names = ["sitemap.xml", "sitemap-index.xml"];
    let Some(text) = names.iter().find_map(|name| read(&directory.join(name))) else {
        return Vec::new();
    };
    if !text.contains("<sitemapindex") {
        return locations(&text);
    }
    let parts = locations(&text).into_iter().take(MAX_SITEMAPS);
    let texts = parts.filter_map(|part| read(&file_below(directory, &path_of(&part))?));
    // An index in an index is not followed.
    let lists = texts.filter(|text| !text.contains("<sitemapindex"));
    lists.flat_map(|text| locations(&text)).collect()
}

/// Returns the addresses in a sitemap, or in an index of sitemaps.
fn locations(text: &str) -> Vec<String> {
    let parts = text.split("<loc>").skip(1).filter_map(|part| part.split_once("</loc>"));
    parts.map(|(address, _)| address.trim().replace("&amp;", "&")).collect()
}

/// Returns the file of a path of the site. The directory may lie below the site's root: then the
/// path begins with the names of the directories between.
fn file_below(directory: &Path, path: &str) -> Option<PathBuf> {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    if names.iter().any(|name| matches!(*name, "." | "..") || name.contains('\\')) {
        return None;
    }
    let files = (0..names.len()).map(|at| directory.join(names[at..].join("/")));
    files.into_iter().find(|file| file.is_file())
}

/// Returns the path of an address below its host, without query and fragment.
pub fn path_of(address: &str) -> String {
    let behind = match address.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => address,
    };
    let path = behind.split(['?', '#']).next().unwrap_or_default();
    if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

/// Returns the common part of all spellings of a page's path: `/a/`, `/a/index.html`, `/a.html`,
/// `/a`.
pub fn page_of(path: &str) -> &str {
    let path = path.strip_suffix(".html").or_else(|| path.strip_suffix(".htm")).unwrap_or(path);
    let path = path.strip_suffix("/index").unwrap_or(path);
    path.trim_end_matches('/')
}

fn small_text(path: &Path, most: u64) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= most);
    is_small.then(|| fs::read(path).ok()).flatten().map(|bytes| {
        // Addresses are ASCII; a path that is not UTF-8 equals none of them.
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_decides_and_of_equals_the_one_that_allows() {
        let robots = Robots::parse(
            "User-agent: other\nDisallow: /\n\nuser-agent: *\nUser-agent: third # both\n\
             Disallow: /private # not this\nAllow: /private/open\nDisallow: /*.pdf$\n\
             Disallow: /same\nAllow: /same\nDisallow:\nSitemap: https://x.org/sitemap.xml\n\
             Disallow: /later\n\nUser-agent: last\nDisallow: /a\n",
        );
        for (path, expect) in [
            ("/", true),
            ("/a", true),
            ("/private", false),
            ("/private/x", false),
            ("/private/open/x", true),
            ("/files/x.pdf", false),
            ("/files/x.pdf.html", true),
            ("/same/x", true),
            ("/later", false),
        ] {
            assert_eq!(robots.allows(path), expect, "{path}");
        }
        assert!(Robots::default().allows("/"));
        assert!(!Robots::parse("user-agent: *\ndisallow: /").allows("/"));
    }

    #[test]
    fn stars_stand_for_anything() {
        for (rule, path, expect) in [
            ("/a*b", "/axxb/c", true),
            ("/a*b$", "/axxb/c", false),
            ("/a*b$", "/axbxb", true),
            ("/*", "/", true),
            ("*/x", "/y/x", true),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
        ] {
            assert_eq!(matches(rule, path), expect, "{rule} {path}");
        }
    }

    #[test]
    fn spellings_of_a_page_are_one() {
        for address in
            ["https://x.org/a/", "https://x.org/a/index.html", "/a.html", "a", "/a/?b=1#c"]
        {
            assert_eq!(page_of(&path_of(address)), "/a", "{address}");
        }
        for address in ["https://x.org", "https://x.org/", "/index.html", ""] {
            assert_eq!(page_of(&path_of(address)), "", "{address}");
        }
    }

    #[test]
    fn a_sitemap_lists_addresses_and_an_index_lists_sitemaps() {
        let dir = tempfile::tempdir().unwrap();
        assert!(sitemap(dir.path()).is_empty());
        let write = |name: &str, text: &str| {
            let path = dir.path().join("docs").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let index = "<sitemapindex><sitemap><loc>https://x.org/docs/sitemap-0.xml</loc></sitemap>\
                     <sitemap><loc>/docs/en/map.xml</loc></sitemap>\
                     <sitemap><loc>/docs/missing.xml</loc></sitemap>\
                     <sitemap><loc>/../outside.xml</loc></sitemap></sitemapindex>";
        write("sitemap-index.xml", index);
        write("sitemap-0.xml", "<urlset><url><loc>/docs/a/</loc></url></urlset>");
        write("en/map.xml", "<urlset><url><loc>/docs/en/</loc></url></urlset>");
        fs::write(dir.path().join("outside.xml"), "<loc>/secret/</loc>").unwrap();
        let docs = dir.path().join("docs");
        assert_eq!(sitemap(&docs), ["/docs/a/", "/docs/en/"]);
        let pages = "<urlset><url><loc> https://x.org/a?b=1&amp;c=2 </loc></url>\
                     <url><loc>/d/</loc></url></urlset>";
        write("sitemap.xml", pages);
        assert_eq!(sitemap(&docs), ["https://x.org/a?b=1&c=2", "/d/"]);
    }
}
