//! Sources of Pagefind's settings: a configuration file, the environment, the command line.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use super::Args;
use crate::commands::config::classes::{Project, class};

/// Configuration files, in the working directory.
const FILES: [&str; 4] = ["pagefind.json", "pagefind.yml", "pagefind.yaml", "pagefind.toml"];

/// In front of the names of environment variables.
const PREFIX: &str = "PAGEFIND_";

/// The settings of a build.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub site: PathBuf,
    /// `None` for the default.
    pub output: Option<PathBuf>,
    pub root_selector: Option<String>,
    pub exclude_selectors: Vec<String>,
    pub glob: Option<String>,
    pub force_language: Option<String>,
    pub keep_index_url: bool,
    pub serve: bool,
    pub verbose: bool,
    pub quiet: bool,
    pub silent: bool,
    pub logfile: Option<PathBuf>,
    pub write_playground: bool,
    pub encoder: Option<String>,
    pub ui: Option<PathBuf>,
    /// Names that Pagefind no longer uses, with their replacements.
    pub deprecated: Vec<(&'static str, &'static str)>,
    /// Settings that have no meaning here, with the reason.
    pub without_meaning: Vec<(&'static str, &'static str)>,
    /// Unknown settings.
    pub unknown: Vec<String>,
}

/// Names before Pagefind 1.0, each with its present name.
const DEPRECATED: [(&str, &str); 2] = [("source", "site"), ("bundle_dir", "output_subdir")];

/// Settings of Pagefind that this program does not need.
const WITHOUT_MEANING: [(&str, &str); 2] = [
    ("include_characters", "words keep the marks that make names of them, as in C++, C# or --flag"),
    ("max_fragments", "each page has a file of its own"),
];

/// Settings that the command line and the environment also have.
const KNOWN: [&str; 18] = [
    "site",
    "source",
    "bundle_dir",
    "output_subdir",
    "output_path",
    "root_selector",
    "exclude_selectors",
    "glob",
    "force_language",
    "keep_index_url",
    "serve",
    "verbose",
    "quiet",
    "silent",
    "logfile",
    "write_playground",
    "encoder",
    "ui",
];

impl Settings {
    /// Reads the settings of a run in the directory `here`.
    ///
    /// # Errors
    /// If there are several configuration files, or one cannot be read, or no site is named.
    pub fn read(
        args: &Args,
        here: &Path,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Self> {
        Self::of(values(args, here, environment)?)
    }

    /// Returns the same for programs that name the pages themselves: the site is the directory
    /// `here`.
    ///
    /// # Errors
    /// If there are several configuration files, or one cannot be read.
    pub fn for_service(
        args: &Args,
        here: &Path,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Self> {
        let mut values = values(args, here, environment)?;
        values.insert("site".to_owned(), ".".into());
        Self::of(values)
    }

    fn of(values: Map<String, Value>) -> Result<Self> {
        let text = |name: &str| values.get(name).and_then(text_of).filter(|text| !text.is_empty());
        let flag = |name: &str| values.get(name).is_some_and(is_on);
        let Some(site) = text("site").or_else(|| text("source")).map(PathBuf::from) else {
            bail!(
                "found no site: name the directory of the built site with --site, in the variable \
                 PAGEFIND_SITE, or as `site` in a configuration file"
            );
        };
        let below = text("output_subdir").or_else(|| text("bundle_dir"));
        let output = match text("output_path") {
            Some(path) => Some(PathBuf::from(path)),
            // An absolute path stays as it is.
            None => below.map(|below| site.join(below)),
        };
        let without_meaning =
            WITHOUT_MEANING.into_iter().filter(|(name, _)| values.get(*name).is_some_and(is_on));
        Ok(Self {
            output,
            root_selector: text("root_selector"),
            exclude_selectors: match values.get("exclude_selectors") {
                Some(Value::Array(list)) => list.iter().filter_map(text_of).collect(),
                Some(other) => text_of(other).into_iter().collect(),
                None => Vec::new(),
            },
            glob: text("glob"),
            force_language: text("force_language").map(|language| language.to_lowercase()),
            keep_index_url: flag("keep_index_url"),
            serve: flag("serve"),
            verbose: flag("verbose"),
            quiet: flag("quiet"),
            silent: flag("silent"),
            logfile: text("logfile").map(PathBuf::from),
            write_playground: flag("write_playground"),
            encoder: text("encoder"),
            ui: text("ui").map(PathBuf::from),
            deprecated: DEPRECATED
                .into_iter()
                .filter(|(name, _)| values.contains_key(*name))
                .collect(),
            without_meaning: without_meaning.collect(),
            unknown: values.keys().filter(|name| !is_known(name)).cloned().collect(),
            site,
        })
    }
}

fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || WITHOUT_MEANING.iter().any(|(known, _)| *known == name)
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns whether a flag is set, or a value is given.
fn is_on(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::String(text) => !matches!(text.as_str(), "" | "false" | "0"),
        Value::Null => false,
        _ => true,
    }
}

/// Merges the settings of all sources.
fn values(
    args: &Args,
    here: &Path,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<Map<String, Value>> {
    let mut given = Map::new();
    for (name, value) in environment {
        if let Some(rest) = name.get(PREFIX.len()..)
            && name[..PREFIX.len()].eq_ignore_ascii_case(PREFIX)
        {
            let name = rest.to_ascii_lowercase();
            // Other programs use this prefix, too: PAGEFIND_BINARY_PATH belongs to the npm package.
            if is_known(&name) {
                given.insert(name, Value::String(value));
            }
        }
    }
    given.extend(args.given());
    let mut values = file(here)?;
    // A value from the command line or the environment takes precedence over the file.
    values
        .iter()
        .filter(|(name, _)| !given.contains_key(*name))
        .try_for_each(|(name, value)| check(here, name, value))?;
    values.extend(given);
    Ok(values)
}

/// Checks that a project may decide this setting of the configuration file, which may come from
/// somebody else.
fn check(here: &Path, name: &str, value: &Value) -> Result<()> {
    let key = match name {
        "source" => "site".to_owned(),
        "bundle_dir" => "output-subdir".to_owned(),
        _ => name.replace('_', "-"),
    };
    if !is_known(name) || WITHOUT_MEANING.iter().any(|(known, _)| *known == name) || !is_on(value) {
        return Ok(());
    }
    let values: Vec<String> = text_of(value).into_iter().collect();
    let project = Project { root: here, base: here };
    match class("pagefind", &key).objection(&values, project) {
        None => Ok(()),
        Some(why) => bail!(
            "expected settings of the project in its configuration file, found `{name}`: {why}; \
             give --{key} on the command line if you want it"
        ),
    }
}

/// Returns the configuration file's settings; none without a file.
fn file(here: &Path) -> Result<Map<String, Value>> {
    let found: Vec<_> = FILES.into_iter().filter(|name| here.join(name).is_file()).collect();
    let name = match found[..] {
        [] => return Ok(Map::new()),
        [name] => name,
        _ => bail!(
            "expected one configuration file, found {}; keep one of them",
            found.join(" and ")
        ),
    };
    let text = std::fs::read_to_string(here.join(name))
        .with_context(|| format!("{name} cannot be read"))?;
    let value: Value = match name.rsplit('.').next() {
        Some("json") => serde_json::from_str(&text).with_context(|| name.to_owned())?,
        Some("toml") => toml::from_str(&text).with_context(|| name.to_owned())?,
        _ => serde_saphyr::from_str(&text).with_context(|| name.to_owned())?,
    };
    match value {
        Value::Object(values) => Ok(values),
        Value::Null => Ok(Map::new()),
        _ => bail!("{name}: expected names with values, such as `site: public`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: Option<(&str, &str)>, env: &[(&str, &str)], args: &Args) -> Result<Settings> {
        let dir = tempfile::tempdir().unwrap();
        if let Some((name, text)) = file {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Settings::read(args, dir.path(), env)
    }

    #[test]
    fn files_of_three_formats_say_the_same() {
        for (name, text) in [
            ("pagefind.yml", "site: public\nexclude_selectors:\n  - nav\n  - 'a > b'\nserve: true"),
            (
                "pagefind.toml",
                "site = 'public'\nexclude_selectors = ['nav', 'a > b']\nserve = true",
            ),
            (
                "pagefind.json",
                r#"{"site": "public", "exclude_selectors": ["nav", "a > b"], "serve": true}"#,
            ),
        ] {
            let settings = read(Some((name, text)), &[], &Args::default()).unwrap();
            assert_eq!(settings.site, Path::new("public"), "{name}");
            assert_eq!(settings.exclude_selectors, ["nav", "a > b"], "{name}");
            assert!(settings.serve && !settings.quiet, "{name}");
        }
    }

    #[test]
    fn the_command_line_counts_more_than_the_environment_and_that_more_than_a_file() {
        let file = Some(("pagefind.yml", "site: one\nglob: '*.htm'\noutput_subdir: file"));
        let env = [("PAGEFIND_SITE", "two"), ("PAGEFIND_verbose", "true"), ("PATH", "/bin")];
        let args = Args { output_subdir: Some("out".into()), ..Args::default() };
        let settings = read(file, &env, &args).unwrap();
        assert_eq!(settings.site, Path::new("two"));
        assert_eq!(settings.output.as_deref(), Some(Path::new("two/out")));
        assert_eq!(settings.glob.as_deref(), Some("*.htm"));
        assert!(settings.verbose);
        assert!(settings.unknown.is_empty());
    }

    #[test]
    fn a_file_names_nothing_outside_of_the_project() {
        for setting in [
            "output_path: ../other",
            "output_subdir: /etc",
            "logfile: log.txt",
            "ui: /usr/share/x",
            "source: ../other",
            "encoder: ./model.onnx",
        ] {
            let file = format!("site: public\n{setting}\n");
            let read_with = |args: &Args| read(Some(("pagefind.yml", &file)), &[], args);
            assert!(read_with(&Args::default()).is_err(), "{setting}");
        }
        let file = Some(("pagefind.yml", "site: public\noutput_path: ../other"));
        let typed = Args { output_path: Some("../other".into()), ..Args::default() };
        assert!(read(file, &[], &typed).is_ok(), "a person may");
        assert!(read(file, &[("PAGEFIND_OUTPUT_PATH", "../other")], &Args::default()).is_ok());
    }

    #[test]
    fn outputs_are_below_the_site_or_the_working_directory() {
        let output = |args: Args| {
            let args = Args { site: Some("s".into()), ..args };
            read(None, &[], &args).unwrap().output
        };
        assert_eq!(output(Args::default()), None);
        let args = || Args { bundle_dir: Some("b".into()), ..Args::default() };
        assert_eq!(output(args()), Some("s/b".into()));
        assert_eq!(output(Args { output_path: Some("p".into()), ..args() }), Some("p".into()));
        let absolute = Args { output_subdir: Some("/x".into()), ..Args::default() };
        assert_eq!(output(absolute), Some("/x".into()));
    }

    #[test]
    fn settings_without_effect_and_unknown_ones_are_told_apart() {
        let file = "site: s\ninclude_characters: '@'\nmax_fragments: 5\ncolour: red";
        let settings = read(Some(("pagefind.yml", file)), &[], &Args::default()).unwrap();
        let names: Vec<_> = settings.without_meaning.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["include_characters", "max_fragments"]);
        assert_eq!(settings.unknown, ["colour"]);
        let old = read(None, &[("PAGEFIND_SOURCE", "s")], &Args::default()).unwrap();
        assert_eq!(old.deprecated, [("source", "site")]);
    }

    #[test]
    fn a_site_is_needed() {
        assert!(read(None, &[], &Args::default()).is_err());
        assert!(read(Some(("pagefind.yml", "- a")), &[], &Args::default()).is_err());
        assert!(read(Some(("pagefind.json", "{")), &[], &Args::default()).is_err());
    }
}
