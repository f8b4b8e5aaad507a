//! `findling deploy cloudflare`: a Worker's configuration, the limits of its plan, and what an
//! upload changes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;
use findling_bundle::entry;
use serde::Serialize;
use toml_edit::value;

use super::files::{self, Changes, Files};
use crate::output::{Exit, UsageError};
use crate::replace_file;
use crate::safe_text::line;
use crate::site::{MAX_CLOUDFLARE_FILE_BYTES, MAX_CLOUDFLARE_FILES};
use crate::standard_streams::stdout;
use crate::ui::{Ui, bytes, print_json, thousands};

/// Number of paths that a list shows; of the others it only shows the number.
const MAX_LISTED: usize = 10;
/// The date of the runtime whose behaviour the Worker expects.
const COMPATIBILITY_DATE: &str = "2026-10-01";
/// The list of the files uploaded last, unless another is named.
const LIST: &str = ".findling-uploaded.json";
/// The routes of the Worker. All other paths are files of the site.
const ROUTES: [&str; 7] =
    ["/search", "/similar", "/suggest", "/page", "/health", "/openapi.json", "/mcp"];

/// Write wrangler.toml, check the limits of the plan, and show what an upload would change
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The site: the directory with the pages and the bundles
    site: PathBuf,
    /// Name of the Worker
    #[arg(long, default_value = "search")]
    name: String,
    /// Where the Worker reads the bundles
    #[arg(long, value_enum, default_value_t = Store::Assets)]
    store: Store,
    /// The plan whose limits are checked
    #[arg(long, value_enum, default_value_t = Plan::Free)]
    plan: Plan,
    /// The configuration; one that exists is left as it is
    #[arg(long, value_name = "FILE", default_value = "wrangler.toml")]
    config: PathBuf,
    /// Write the configuration anew if there is one
    #[arg(long)]
    force: bool,
    /// The list of the files uploaded last
    #[arg(long, value_name = "FILE", default_value = LIST)]
    list: PathBuf,
    /// Keep the list of files: they have been uploaded
    #[arg(long)]
    uploaded: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Where the Worker reads the bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Store {
    /// Static assets of the Worker
    Assets,
    /// A bucket of R2
    R2,
    /// A namespace of KV
    Kv,
}

/// A plan of Cloudflare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Plan {
    /// Workers Free
    Free,
    /// Workers Paid
    Paid,
}

/// Limits of what is uploaded.
/// Source: <https://developers.cloudflare.com/workers/platform/limits/>, read in November 2026.
struct Limits {
    max_files: usize,
    max_file_bytes: u64,
}

impl Store {
    fn limits(self, plan: Plan) -> Limits {
        let mib = 1 << 20;
        match (self, plan) {
            (Self::Assets, Plan::Free) => Limits {
                max_files: MAX_CLOUDFLARE_FILES as usize,
                max_file_bytes: MAX_CLOUDFLARE_FILE_BYTES as u64,
            },
            (Self::Assets, Plan::Paid) => {
                Limits { max_files: 100_000, ..Self::Assets.limits(Plan::Free) }
            }
            // Objects are not counted; one request uploads at most 300 MiB.
            (Self::R2, _) => Limits { max_files: usize::MAX, max_file_bytes: 300 * mib },
            // The free plan writes 1,000 keys a day.
            (Self::Kv, Plan::Free) => Limits { max_files: 1_000, max_file_bytes: 25 * mib },
            (Self::Kv, Plan::Paid) => Limits { max_files: usize::MAX, max_file_bytes: 25 * mib },
        }
    }

    /// Returns the name of the items that are uploaded to the store in one go, for messages.
    fn counted(self) -> &'static str {
        match self {
            Self::Assets => "files",
            Self::R2 => "objects",
            Self::Kv => "keys written in a day",
        }
    }
}

/// The report of a deployment, printed as JSON.
#[derive(Serialize)]
struct Report<'a> {
    files: usize,
    bytes: u64,
    bundles: &'a [String],
    problems: &'a [String],
    new: &'a [&'a str],
    changed: &'a [&'a str],
    removed: &'a [&'a str],
    same: usize,
    upload_bytes: u64,
}

pub(super) fn run(args: &Args, ui: &Ui) -> Result<Exit> {
    let site = files::read(&args.site)?;
    let bundles = bundles(&site);
    if bundles.is_empty() {
        let message = format!(
            "expected a bundle in {}, found none: findling build {0} -o {0}/findling",
            line(&args.site.to_string_lossy())
        );
        return Err(UsageError { code: "no-bundle", message }.into());
    }
    let uploaded = files::uploaded(&args.list)?.unwrap_or_default();
    let changes = files::changes(&site, &uploaded);
    let problems = problems(args, &site, &changes);
    if args.json {
        print_json(&Report {
            files: site.len(),
            bytes: site.values().map(|file| file.bytes).sum(),
            bundles: &bundles,
            problems: &problems,
            new: &changes.new,
            changed: &changes.changed,
            removed: &changes.removed,
            same: changes.same,
            upload_bytes: changes.bytes,
        })?;
    } else {
        stdout().write_all(shown(&site, &changes).as_bytes())?;
    }
    if !problems.is_empty() {
        return Err(UsageError { code: "host-limits", message: problems.join("\n") }.into());
    }
    if args.uploaded {
        files::keep(&args.list, &site)?;
        ui.status("Kept", format!("the list of files in {}", args.list.display()));
        return Ok(Exit::Found);
    }
    configure(args, &bundles, ui)?;
    for step in steps(args) {
        ui.status("Then", step);
    }
    Ok(Exit::Found)
}

/// Returns the addresses of the bundles in the site.
fn bundles(site: &Files) -> Vec<String> {
    let directories = site.keys().filter_map(|path| {
        let directory = path.strip_suffix(entry::FILE_NAME)?;
        (directory.is_empty() || directory.ends_with('/')).then(|| format!("/{directory}"))
    });
    let single = site.keys().filter(|path| path.ends_with(".findling"));
    directories.chain(single.map(|path| format!("/{path}"))).collect()
}

/// Returns the limits of the plan that the upload exceeds.
fn problems(args: &Args, site: &Files, changes: &Changes<'_>) -> Vec<String> {
    let limits = args.store.limits(args.plan);
    let mut problems = Vec::new();
    // Existing keys are not written again.
    let count = match args.store {
        Store::Kv => changes.new.len() + changes.changed.len(),
        Store::Assets | Store::R2 => site.len(),
    };
    if count > limits.max_files {
        problems.push(format!(
            "expected at most {} {}, found {}: use {}R2 (--store r2), or fewer files (findling \
             build --single-file)",
            thousands(limits.max_files as u64),
            args.store.counted(),
            thousands(count as u64),
            if args.plan == Plan::Free { "another plan (--plan paid), " } else { "" }
        ));
    }
    let remedy = match args.store {
        Store::R2 => "build without --single-file if it is a bundle",
        Store::Assets | Store::Kv => "use R2 (--store r2)",
    };
    for (path, file) in site {
        if file.bytes > limits.max_file_bytes {
            problems.push(format!(
                "{}: expected at most {}, found {}: {remedy}, or leave the file out",
                line(path),
                bytes(limits.max_file_bytes),
                bytes(file.bytes)
            ));
        }
    }
    problems
}

/// Describes the changes of an upload, for people.
fn shown(site: &Files, changes: &Changes<'_>) -> String {
    let mut text = String::new();
    for (what, paths) in
        [("new", &changes.new), ("changed", &changes.changed), ("removed", &changes.removed)]
    {
        for path in paths.iter().take(MAX_LISTED) {
            let size = site.get(*path).map_or_else(String::new, |file| bytes(file.bytes));
            let _ = writeln!(text, "{what:8} {size:>9}  {}", line(path));
        }
        if paths.len() > MAX_LISTED {
            let more = thousands((paths.len() - MAX_LISTED) as u64);
            let _ = writeln!(text, "{what:8} {:>9}  and {more} more", "");
        }
    }
    let _ = writeln!(
        text,
        "{} new, {} changed, {} removed, {} as before; {} to upload",
        thousands(changes.new.len() as u64),
        thousands(changes.changed.len() as u64),
        thousands(changes.removed.len() as u64),
        thousands(changes.same as u64),
        bytes(changes.bytes)
    );
    text
}

/// Writes the configuration, unless there is one.
fn configure(args: &Args, bundles: &[String], ui: &Ui) -> Result<()> {
    let path = &args.config;
    if path.exists() && !args.force {
        ui.status("Kept", format!("{}; --force writes it anew", path.display()));
        return Ok(());
    }
    let text = configuration(args, bundles);
    replace_file::keep(path, text.as_bytes())
        .with_context(|| format!("{} cannot be written", path.display()))?;
    ui.status("Wrote", path.display());
    Ok(())
}

/// Returns the text of `wrangler.toml`.
fn configuration(args: &Args, bundles: &[String]) -> String {
    let directory = line(&args.site.to_string_lossy()).into_owned();
    let routes: toml_edit::Array = ROUTES.into_iter().collect();
    let mut text = format!(
        "# The search endpoint on Cloudflare Workers; Findling's docs/edge.md describes it.\n\n\
         name = {}\nmain = \"node_modules/findling/dist/findling-edge.js\"\n\
         compatibility_date = \"{COMPATIBILITY_DATE}\"\n\n\
         [assets]\ndirectory = {}\nbinding = \"ASSETS\"\n\
         # Only these paths run the Worker. All other files are served without it, at no charge.\n\
         run_worker_first = {}\n",
        quoted(&args.name),
        quoted(&directory),
        toml_edit::Value::from(routes)
    );
    match args.store {
        Store::Assets => {}
        Store::R2 => {
            let bucket = quoted(&args.name);
            let _ = write!(
                text,
                "\n[[r2_buckets]]\nbinding = \"FINDLING_R2\"\nbucket_name = {bucket}\n"
            );
        }
        Store::Kv => text.push_str(
            "\n[[kv_namespaces]]\nbinding = \"FINDLING_KV\"\n\
             # npx wrangler kv namespace create FINDLING_KV\nid = \"\"\n",
        ),
    }
    text.push_str("\n[vars]\n");
    match bundles {
        [bundle] => {
            let _ = writeln!(text, "FINDLING_BUNDLE = {}", quoted(bundle));
        }
        bundles => {
            let mounts = serde_json::Value::Object(mounts(bundles)).to_string();
            let _ = writeln!(text, "FINDLING_BUNDLES = {}", quoted(&mounts));
        }
    }
    text.push_str(
        "\n# Refuses clients that ask too often.\n# [[ratelimits]]\n\
         # name = \"FINDLING_RATE_LIMIT\"\n# namespace_id = \"1001\"\n\
         # simple = { limit = 100, period = 60 }\n",
    );
    text
}

/// Returns the bundles by directory. The path of the directory is the beginning of the routes for
/// its bundles. Several bundles in one directory are searched as one.
fn mounts(bundles: &[String]) -> serde_json::Map<String, serde_json::Value> {
    let mut by_parent: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for bundle in bundles {
        by_parent.entry(parent(bundle)).or_default().push(bundle);
    }
    let mount = |bundles: Vec<&str>| match bundles[..] {
        [bundle] => bundle.into(),
        _ => bundles.into(),
    };
    by_parent.into_iter().map(|(parent, bundles)| (parent, mount(bundles))).collect()
}

/// Returns the path that a bundle is in: `/v2/findling/` is in `/v2/`.
fn parent(bundle: &str) -> String {
    let path = bundle.trim_end_matches('/');
    format!("{}/", path.rsplit_once('/').map_or("", |(parent, _)| parent))
}

fn quoted(text: &str) -> String {
    value(text).to_string().trim().to_owned()
}

/// Returns the remaining steps.
fn steps(args: &Args) -> Vec<String> {
    let mut steps = vec!["npm install findling && npm install --save-dev wrangler".to_owned()];
    let site = word(&args.site);
    match args.store {
        Store::Assets => {}
        Store::R2 => steps.push(format!(
            "upload the files of {site} to the bucket, keys being their paths in it"
        )),
        Store::Kv => steps.push(format!(
            "upload the files of {site} to the namespace, keys being their paths in it"
        )),
    }
    steps.push(format!("npx wrangler deploy --config {}", word(&args.config)));
    // The steps repeat the command with the same checks and the same list.
    let mut uploaded = format!("findling deploy cloudflare {site} --uploaded");
    for (option, value, default) in [
        ("store", args.store.to_possible_value(), Store::Assets.to_possible_value()),
        ("plan", args.plan.to_possible_value(), Plan::Free.to_possible_value()),
    ] {
        if let Some(value) = value.filter(|value| Some(value) != default.as_ref()) {
            let _ = write!(uploaded, " --{option} {}", value.get_name());
        }
    }
    if args.list != Path::new(LIST) {
        let _ = write!(uploaded, " --list {}", word(&args.list));
    }
    steps.push(uploaded);
    steps
}

/// Returns a path as one word of a command line.
fn word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = line(&text);
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:@%,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::super::files::SiteFile;
    use super::*;

    fn args(store: Store, plan: Plan) -> Args {
        Args {
            site: "pub \"lic".into(),
            name: "search".into(),
            store,
            plan,
            config: "wrangler.toml".into(),
            force: false,
            list: "list.json".into(),
            uploaded: false,
            json: false,
        }
    }

    fn site(files: usize, longest: u64) -> Files {
        let file = |i: usize| {
            let bytes = if i == 0 { longest } else { 1 };
            (format!("{i}"), SiteFile { bytes, hash: String::new() })
        };
        (0..files).map(file).collect()
    }

    #[test]
    fn what_a_plan_does_not_allow_is_a_problem() {
        for (store, plan, files, longest, expected) in [
            (Store::Assets, Plan::Free, 20_000, 25 << 20, 0),
            (Store::Assets, Plan::Free, 20_001, 0, 1),
            (Store::Assets, Plan::Paid, 20_001, 0, 0),
            (Store::Assets, Plan::Paid, 3, (25 << 20) + 1, 1),
            (Store::R2, Plan::Free, 30_000, 26 << 20, 0),
            (Store::Kv, Plan::Free, 1_001, 26 << 20, 2),
        ] {
            let site = site(files, longest);
            let nothing = Files::new();
            let changes = files::changes(&site, &nothing);
            let found = problems(&args(store, plan), &site, &changes);
            assert_eq!(found.len(), expected, "{store:?} {plan:?} {files} {longest}: {found:?}");
        }
    }

    #[test]
    fn the_bundles_of_a_site_are_found() {
        let names = ["a/findling/findling.idx", "docs.findling", "xfindling.idx", "index.html"];
        let file = SiteFile { bytes: 1, hash: String::new() };
        let site = names.into_iter().map(|name| (name.to_owned(), file.clone())).collect();
        assert_eq!(bundles(&site), ["/a/findling/", "/docs.findling"]);
        assert_eq!(parent("/a/findling/"), "/a/");
        assert_eq!(parent("/docs.findling"), "/");
    }

    #[test]
    fn bundles_in_one_directory_are_searched_as_one() {
        let bundles = ["/a.findling", "/b.findling", "/v2/findling/"].map(str::to_owned);
        let expected = serde_json::json!({
            "/": ["/a.findling", "/b.findling"],
            "/v2/": "/v2/findling/",
        });
        assert_eq!(serde_json::Value::Object(mounts(&bundles)), expected);
    }

    #[test]
    fn the_last_step_repeats_what_is_not_default() {
        let last = |args: &Args| steps(args).pop().unwrap();
        let plain =
            Args { site: "public".into(), list: LIST.into(), ..args(Store::Assets, Plan::Free) };
        assert_eq!(last(&plain), "findling deploy cloudflare public --uploaded");
        let other = Args {
            site: "my site".into(),
            list: "it's.json".into(),
            ..args(Store::R2, Plan::Paid)
        };
        assert_eq!(
            last(&other),
            "findling deploy cloudflare 'my site' --uploaded --store r2 --plan paid \
             --list 'it'\\''s.json'"
        );
    }

    #[test]
    fn every_configuration_can_be_read() {
        for store in [Store::Assets, Store::R2, Store::Kv] {
            for bundles in [vec!["/findling/"], vec!["/v1/findling/", "/v2/findling/"]] {
                let bundles: Vec<String> = bundles.into_iter().map(str::to_owned).collect();
                let text = configuration(&args(store, Plan::Free), &bundles);
                let table: toml::Table = text.parse().unwrap();
                assert_eq!(table["assets"]["directory"].as_str(), Some("pub \"lic"));
                assert_eq!(table["assets"]["run_worker_first"].as_array().unwrap().len(), 7);
                let vars = table["vars"].as_table().unwrap();
                if let [bundle] = &bundles[..] {
                    assert_eq!(vars["FINDLING_BUNDLE"].as_str(), Some(bundle.as_str()));
                } else {
                    let mounts = vars["FINDLING_BUNDLES"].as_str().unwrap();
                    let mounts: serde_json::Value = serde_json::from_str(mounts).unwrap();
                    assert_eq!(mounts["/v2/"], "/v2/findling/");
                }
                assert_eq!(table.contains_key("r2_buckets"), store == Store::R2);
            }
        }
    }
}
