//! The hosts of bundles: how shards are laid out for them, their limits, and the file that
//! sets headers there. `docs/hosting.md` has the sources of these numbers.

use std::fs;
use std::path::{Path, PathBuf};

use findling_base::progress::{Progress, thousands};
use findling_base::replace_file;
use findling_index::packs::Limits;
use findling_index::write::{Shape, Written};

use crate::error::{Error, Result};

/// Bytes of a pack. Larger packs make fewer files; smaller ones cost less if a host ignores ranges
/// and sends whole files.
const PACK_BYTES: usize = 4 << 20;
/// Maximum number of bytes of a file on Cloudflare.
pub const MAX_CLOUDFLARE_FILE_BYTES: usize = 25 << 20;
/// Maximum number of files on Cloudflare, of the whole site, on its free plan.
pub const MAX_CLOUDFLARE_FILES: u64 = 20_000;
/// Maximum number of bytes of a file if a host sets no limit that matters.
const MAX_FILE_BYTES: usize = 1 << 30;
/// Maximum number of bytes of a file in a repository of GitHub.
const MAX_GITHUB_FILE_BYTES: usize = 100 << 20;

/// The marks around Findling's lines in a file of headers.
const BEGIN: &str = "# Findling: begin";
const END: &str = "# Findling: end";

/// Where a bundle will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hosting {
    /// Any host: packs so short that a host that ignores ranges sends little, and no more of them
    /// than pages
    Auto,
    /// Any web server or storage that answers range requests
    Plain,
    /// A file for each shard, for servers that do not answer range requests
    Files,
    /// GitHub Pages
    GithubPages,
    /// Cloudflare Pages, which ignores ranges: packs as for any host; writes rules into _headers
    CloudflarePages,
    /// Static assets of Cloudflare Workers: as Cloudflare Pages
    Workers,
    /// Netlify; writes rules into _headers
    Netlify,
    /// Amazon S3 and storage like it
    S3,
}

impl Hosting {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Auto,
        Self::Plain,
        Self::Files,
        Self::GithubPages,
        Self::CloudflarePages,
        Self::Workers,
        Self::Netlify,
        Self::S3,
    ];

    /// Returns the layout of shards.
    pub fn shape(self) -> Shape {
        let (file_bytes, by_pages) = match self {
            Self::Files => return Shape::Directory,
            Self::Auto => (MAX_FILE_BYTES, true),
            Self::CloudflarePages | Self::Workers => (MAX_CLOUDFLARE_FILE_BYTES, true),
            Self::Plain | Self::Netlify | Self::S3 => (MAX_FILE_BYTES, false),
            Self::GithubPages => (MAX_GITHUB_FILE_BYTES, false),
        };
        Shape::Packs(Limits { pack_bytes: PACK_BYTES, file_bytes, by_pages })
    }

    /// Warns if the output alone has more files than the host takes.
    pub fn check(self, output: &Path, written: &Written, progress: &dyn Progress) {
        let n_files = written.n_files + written.n_retired;
        let is_cloudflare = matches!(self, Self::CloudflarePages | Self::Workers);
        if is_cloudflare && n_files > MAX_CLOUDFLARE_FILES {
            progress.warn(format!(
                "{}: expected at most {} files, the limit of Cloudflare's free plan for a site, \
                 found {}; build with --prune 0 to leave out files of earlier builds",
                output.display(),
                thousands(MAX_CLOUDFLARE_FILES),
                thousands(n_files)
            ));
        }
    }

    /// Returns the file of headers of the host, in the root of a site.
    fn headers_file(self) -> Option<&'static str> {
        match self {
            Self::CloudflarePages | Self::Workers | Self::Netlify => Some("_headers"),
            Self::Auto | Self::Plain | Self::Files | Self::GithubPages | Self::S3 => None,
        }
    }

    /// Writes the rules for a bundle into the host's file of headers, if it has one. The site is
    /// the input that contains the output; if no input contains it, the rules are printed.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn write_headers(
        self,
        inputs: &[PathBuf],
        output: &Path,
        progress: &dyn Progress,
    ) -> Result<()> {
        let Some(name) = self.headers_file() else { return Ok(()) };
        let output = output
            .canonicalize()
            .map_err(|source| Error::Read { path: output.to_owned(), source })?;
        let sites = inputs.iter().filter_map(|input| input.canonicalize().ok());
        let inside = |site: PathBuf| {
            let place = output.strip_prefix(&site).ok()?.to_str()?.replace('\\', "/");
            Some((site, place))
        };
        let Some((site, place)) = sites.filter(|site| site.is_dir()).find_map(inside) else {
            let rules = rules("findling");
            progress.warn(format!(
                "expected the output inside of the site, so that its {name} can be written, found \
                 {}; add these lines to {name} in the site's root, with the bundle's place:\n\
                 {rules}",
                output.display()
            ));
            return Ok(());
        };
        let path = site.join(name);
        let old = if path.exists() {
            fs::read_to_string(&path)
                .map_err(|source| Error::Read { path: path.clone(), source })?
        } else {
            String::new()
        };
        let new = with_rules(&old, &rules(&place));
        if new != old {
            let written = replace_file::keep(&path, new.as_bytes());
            written.map_err(|source| Error::Write { path: path.clone(), source })?;
        }
        Ok(())
    }
}

/// Returns the rules for a bundle at a place of the site.
fn rules(place: &str) -> String {
    format!(
        "{BEGIN}\n/{place}/shards/*\n  Cache-Control: public, max-age=31536000, immutable, \
         no-transform\n/{place}/findling.idx\n  Cache-Control: no-cache\n{END}\n"
    )
}

/// Returns a file of headers with these rules in place of earlier ones, after the other lines.
fn with_rules(old: &str, rules: &str) -> String {
    let mut others = old.to_owned();
    if let Some(begin) = old.find(BEGIN)
        && let Some(end) = old[begin..].find(END).map(|end| begin + end + END.len())
    {
        others.replace_range(begin..end, "");
    }
    let others = others.trim_end();
    let gap = if others.is_empty() { "" } else { "\n\n" };
    format!("{others}{gap}{rules}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use findling_base::progress::Silent;

    #[test]
    fn rules_replace_their_earlier_form_and_nothing_else() {
        let first = with_rules("", &rules("findling"));
        assert_eq!(first, rules("findling"));
        assert_eq!(with_rules(&first, &rules("findling")), first);
        let both = with_rules("/*\n  X-Frame-Options: DENY\n", &rules("findling"));
        assert!(both.starts_with("/*\n  X-Frame-Options: DENY\n\n# Findling"));
        let moved = with_rules(&both, &rules("docs/search"));
        assert!(moved.contains("/docs/search/shards/*") && !moved.contains("/findling/shards/*"));
        assert_eq!(moved.matches(BEGIN).count(), 1);
    }

    #[test]
    fn headers_are_written_where_the_bundle_is_inside_of_the_site() {
        let dir = tempfile::tempdir().unwrap();
        let site = dir.path().join("public");
        let output = site.join("docs/findling");
        fs::create_dir_all(&output).unwrap();
        let inputs = [site.clone()];
        Hosting::Plain.write_headers(&inputs, &output, &Silent).unwrap();
        assert!(!site.join("_headers").exists());
        Hosting::Netlify.write_headers(&inputs, &output, &Silent).unwrap();
        assert_eq!(fs::read_to_string(site.join("_headers")).unwrap(), rules("docs/findling"));
        let elsewhere = dir.path().join("other");
        fs::create_dir_all(&elsewhere).unwrap();
        Hosting::Netlify.write_headers(&inputs, &elsewhere, &Silent).unwrap();
        assert!(!elsewhere.join("_headers").exists());
    }

    #[test]
    fn every_host_has_a_shape_within_its_limits() {
        for host in Hosting::ALL {
            match host.shape() {
                Shape::Packs(Limits { pack_bytes, file_bytes, .. }) => {
                    assert!(pack_bytes < file_bytes)
                }
                shape => assert_eq!((shape, host), (Shape::Directory, Hosting::Files)),
            }
        }
    }
}
