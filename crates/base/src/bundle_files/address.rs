//! Addresses of bundles on the web.

use std::fmt;
use std::net::IpAddr;

use findling_bundle::{entry, hash128, hex};

use super::web::{Error, NAMES};
use crate::private_network::is_this_machine;

const EXPECTED: &str =
    "an address such as https://example.org/findling/ (http only for this machine)";

/// The longest address.
const MAX_LEN: usize = 2_000;

/// A checked address: `https`, or `http` for this machine; no user, no query, no fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address(String);

/// Returns whether a target is an address rather than a path or a name.
pub fn is_address(given: &str) -> bool {
    let scheme = given.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https"))
}

impl Address {
    /// Parses an address.
    ///
    /// # Errors
    /// [`Error::Address`].
    pub fn parse(given: &str) -> Result<Self, Error> {
        let refuse = |found: &str| Error::Address {
            address: given.to_owned(),
            expected: EXPECTED,
            found: found.to_owned(),
        };
        let (scheme, rest) = given.split_once("://").ok_or_else(|| refuse("no scheme"))?;
        let scheme = scheme.to_ascii_lowercase();
        let rest = rest.split('#').next().unwrap_or_default();
        let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let host = host.to_ascii_lowercase();
        if given.len() > MAX_LEN {
            return Err(refuse("more than 2,000 bytes"));
        }
        if host.is_empty() || host.contains(['@', '\\', ' ', '%']) {
            return Err(refuse("no host, or one with a user"));
        }
        if path.contains('?') {
            return Err(refuse("a query"));
        }
        let has_dots = path.split('/').any(|name| matches!(name, "." | ".."));
        if has_dots || path.contains(['\\', ' ']) || path.contains(char::is_control) {
            return Err(refuse("a path with spaces, backslashes or dots as names"));
        }
        match scheme.as_str() {
            "https" => {}
            "http" if is_this_machine(without_port(&host)) => {}
            "http" => return Err(refuse("http")),
            _ => return Err(refuse("another scheme")),
        }
        let path = if path.is_empty() { "/" } else { path };
        Ok(Self(format!("{scheme}://{host}{path}")))
    }

    /// Returns whether the address leads to a file with a whole bundle.
    pub fn is_single_file(&self) -> bool {
        self.0.ends_with(".findling")
    }

    /// Returns the host, without its port. An IPv6 address is in brackets.
    pub fn host(&self) -> &str {
        without_port(self.0.split('/').nth(2).unwrap_or_default())
    }

    /// Returns the host if it is a numeric address.
    pub fn ip(&self) -> Option<IpAddr> {
        self.host().trim_matches(['[', ']']).parse().ok()
    }

    /// Returns the files that may begin the bundle, in the order in which they are requested.
    pub fn candidates(&self) -> Vec<Self> {
        if self.is_single_file() || self.0.ends_with(&format!("/{}", entry::FILE_NAME)) {
            return vec![self.clone()];
        }
        let base = self.0.trim_end_matches('/');
        NAMES.iter().map(|name| Self(format!("{base}/{name}"))).collect()
    }

    /// Returns the address of another file, by its path from the directory of this one. A path that
    /// leads out of the directory is refused, because the path comes from the site.
    ///
    /// # Errors
    /// [`Error::Address`].
    pub fn beside(&self, path: &str) -> Result<String, Error> {
        let is_plain = |name: &str| {
            !name.is_empty()
                && !name.starts_with('.')
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        if !path.split('/').all(is_plain) {
            return Err(Error::Address {
                address: self.0.clone(),
                expected: "files inside of the bundle",
                found: format!("the path `{path}`"),
            });
        }
        let directory = self.0.rfind('/').map_or("", |end| &self.0[..=end]);
        Ok(format!("{directory}{path}"))
    }

    /// Returns the name of the directory of its copy: the host, so that a person recognises it, and
    /// a hash.
    pub fn directory_name(&self) -> String {
        let host = self.0.split('/').nth(2).unwrap_or_default();
        let host: String = host
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' })
            .take(60)
            .collect();
        let hash = hash128(self.0.trim_end_matches('/').as_bytes());
        format!("{host}-{}", hex(&hash[..8]))
    }
}

/// Returns the host of an authority.
fn without_port(authority: &str) -> &str {
    match authority.find(']') {
        Some(end) => &authority[..=end],
        None => authority.split(':').next().unwrap_or_default(),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_https_or_this_machine() {
        for (given, expect) in [
            ("https://Example.org", Some("https://example.org/")),
            ("HTTPS://example.org/a/", Some("https://example.org/a/")),
            ("https://example.org/a/#b", Some("https://example.org/a/")),
            ("http://127.0.0.1:80/x", Some("http://127.0.0.1:80/x")),
            ("http://[::1]:80/x", Some("http://[::1]:80/x")),
            ("http://localhost/x", Some("http://localhost/x")),
            ("http://example.org/", None),
            ("http://localhost.example.org/", None),
            ("http://127.0.0.1.example.org/", None),
            ("https://user@example.org/", None),
            ("https:///x", None),
            ("https://example.org/?q", None),
            ("https://example.org/../x", None),
            ("https://example.org/a\u{1b}b", None),
            ("file:///etc/passwd", None),
            ("ftp://example.org/", None),
        ] {
            let parsed = Address::parse(given).ok();
            assert_eq!(parsed.map(|address| address.0).as_deref(), expect, "{given}");
        }
        assert!(is_address("https://x") && !is_address("name") && !is_address("./https:/x"));
    }

    #[test]
    fn a_host_has_no_port() {
        for (given, host, ip) in [
            ("https://Example.org:8080/a:b", "example.org", None),
            ("https://10.0.0.5:443/", "10.0.0.5", Some("10.0.0.5")),
            ("https://[fd00::5]:443/", "[fd00::5]", Some("fd00::5")),
            ("https://[fd00::5]/", "[fd00::5]", Some("fd00::5")),
        ] {
            let address = Address::parse(given).unwrap();
            assert_eq!(address.host(), host);
            assert_eq!(address.ip(), ip.map(|ip| ip.parse().unwrap()));
        }
    }

    #[test]
    fn a_site_cannot_name_files_outside_of_its_bundle() {
        let entry = Address::parse("https://example.org/docs/findling.idx").unwrap();
        assert_eq!(
            entry.beside("shards/ab.bin").unwrap(),
            "https://example.org/docs/shards/ab.bin"
        );
        for path in
            ["../x", "/x", "//evil.example/x", "a//b", "https://e/x", "a?b", "a\\b", ".x", ""]
        {
            assert!(entry.beside(path).is_err(), "{path}");
        }
    }

    #[test]
    fn a_directory_may_be_the_bundle_or_the_site() {
        let names = |given: &str| -> Vec<String> {
            let address = Address::parse(given).unwrap();
            address.candidates().iter().map(|url| url.0.replace("https://e", "")).collect()
        };
        assert_eq!(
            names("https://e/d/"),
            ["/d/findling.idx", "/d/findling/findling.idx", "/d/bundle.findling"]
        );
        assert_eq!(names("https://e/d/findling.idx"), ["/d/findling.idx"]);
        assert_eq!(names("https://e/d/x.findling"), ["/d/x.findling"]);
        let copy = |given: &str| Address::parse(given).unwrap().directory_name();
        assert_eq!(copy("https://e/d"), copy("https://e/d/"));
        assert_ne!(copy("https://e/d"), copy("https://e/c"));
    }
}
