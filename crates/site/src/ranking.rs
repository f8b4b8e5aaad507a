//! The ranking parameters that a site can set: their names, the values that tuning tries, and their
//! file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use findling_base::replace_file::keep;
use findling_bundle::RANKING_MAX;
use findling_engine::RankParams;

/// A number for each parameter, in the order of the manifest.
pub type Setting = [f32; RANKING_MAX.len()];

/// A ranking parameter.
pub struct Parameter {
    /// The name in files.
    pub name: &'static str,
    /// The values that tuning tries, ascending; empty if a change would increase readers'
    /// downloads.
    pub grid: &'static [f32],
}

const LENGTH: &[f32] = &[0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9];
const SHARE: &[f32] = &[0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0];
const MEANING: &[f32] = &[0.0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8];
const WEIGHT: &[f32] = &[0.0, 0.25, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0];
const BOOST: &[f32] = &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5];

const fn parameter(name: &'static str, grid: &'static [f32]) -> Parameter {
    Parameter { name, grid }
}

/// All of them, in the order of [`RankParams::knobs`].
pub const PARAMETERS: [Parameter; RANKING_MAX.len()] = [
    parameter("titleLength", LENGTH),
    parameter("headingLength", LENGTH),
    parameter("textLength", LENGTH),
    parameter("codeLength", LENGTH),
    parameter("parts", SHARE),
    // Stop words have the longest postings.
    parameter("stopWords", &[]),
    parameter("completions", SHARE),
    parameter("synonyms", SHARE),
    parameter("relatives", SHARE),
    parameter("forms", SHARE),
    parameter("meaning", MEANING),
    parameter("meaningInSentences", MEANING),
    parameter("coverage", &[0.0, 0.25, 0.5, 0.75, 1.0]),
    parameter("pageMaxima", &[0.0, 0.25, 0.5, 0.75, 1.0]),
    parameter("pageSecond", &[0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8]),
    parameter("k1", &[0.4, 0.6, 0.8, 1.0, 1.2, 1.5, 1.8, 2.2]),
    parameter("title", WEIGHT),
    parameter("path", WEIGHT),
    parameter("heading", WEIGHT),
    parameter("headingsAbove", WEIGHT),
    parameter("code", WEIGHT),
    parameter("titleIsQuery", BOOST),
    parameter("headingIsQuery", BOOST),
];

/// Returns the engine's defaults.
pub fn defaults() -> Setting {
    of(RankParams::default())
}

/// Returns the numbers of the engine's parameters.
pub fn of(mut params: RankParams) -> Setting {
    params.knobs().map(|knob| *knob)
}

/// Returns the engine's parameters with these numbers.
pub fn params(setting: &Setting) -> RankParams {
    let mut params = RankParams::default();
    for (knob, value) in params.knobs().into_iter().zip(setting) {
        *knob = *value;
    }
    params
}

/// Returns the parameters that differ between two settings: name, the first's number, the second's.
pub fn differences<'a>(
    from: &'a Setting,
    to: &'a Setting,
) -> impl Iterator<Item = (&'static str, f32, f32)> + 'a {
    let both = from.iter().copied().zip(to.iter().copied());
    let named = PARAMETERS.iter().map(|parameter| parameter.name).zip(both);
    named.filter(|(_, (from, to))| from != to).map(|(name, (from, to))| (name, from, to))
}

/// Reads a file of parameters: a JSON object of names and numbers. Other parameters keep their
/// defaults.
///
/// # Errors
/// If the file cannot be read or is malformed, a name is unknown, or a number is out of range.
pub fn read(path: &Path) -> anyhow::Result<Setting> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{}: the ranking parameters cannot be read", path.display()))?;
    parse(&text).with_context(|| format!("{}: no ranking", path.display()))
}

fn parse(text: &str) -> anyhow::Result<Setting> {
    let named: BTreeMap<String, f32> =
        serde_json::from_str(text).context("expected a JSON object of names and numbers")?;
    let mut setting = defaults();
    for (name, value) in named {
        let Some(at) = PARAMETERS.iter().position(|parameter| parameter.name == name) else {
            let known: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
            bail!("expected a ranking parameter, found `{name}`; there are {}", known.join(", "));
        };
        let most = RANKING_MAX[at];
        if !(0.0..=most).contains(&value) {
            bail!("expected {name} from 0 to {most}, found {value}");
        }
        setting[at] = value;
    }
    Ok(setting)
}

/// Writes the parameters that differ from the defaults, for [`read`]. Makes the file's directory if
/// it is missing.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, setting: &Setting) -> anyhow::Result<()> {
    let defaults = defaults();
    // Sorted by name, so that the file does not depend on the order of the parameters.
    let named: BTreeMap<&str, serde_json::Value> =
        differences(&defaults, setting).map(|(name, _, value)| (name, decimal(value))).collect();
    let text = format!("{}\n", serde_json::to_string_pretty(&named)?);
    keep(path, text.as_bytes()).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Returns the shortest decimal number for a value: 0.35 instead of the exact value of the nearest
/// f32.
fn decimal(value: f32) -> serde_json::Value {
    value.to_string().parse::<f64>().map_or(serde_json::Value::Null, serde_json::Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_what_they_say() {
        let mut setting = defaults();
        for (parameter, value) in PARAMETERS.iter().zip(&mut setting) {
            match parameter.name {
                "textLength" => *value = 0.1,
                "meaningInSentences" => *value = 0.2,
                "pageSecond" => *value = 0.4,
                "k1" => *value = 2.5,
                "code" => *value = 0.6,
                "headingIsQuery" => *value = 0.7,
                _ => {}
            }
        }
        let got = params(&setting);
        assert_eq!(
            (got.bm25f.fields[4].b, got.bm25f.k1, got.bm25f.fields[5].weight),
            (0.1, 2.5, 0.6)
        );
        assert_eq!((got.sentence_alpha, got.page_second, got.bm25f.heading_boost), (0.2, 0.4, 0.7));
        assert_eq!(of(got), setting);
        assert_eq!(params(&defaults()), RankParams::default());
    }

    #[test]
    fn defaults_and_all_that_is_tried_are_possible() {
        for ((parameter, most), default) in PARAMETERS.iter().zip(RANKING_MAX).zip(defaults()) {
            assert!((0.0..=most).contains(&default), "{}", parameter.name);
            assert!(
                parameter.grid.iter().all(|value| (0.0..=most).contains(value)),
                "{}",
                parameter.name
            );
            assert!(parameter.grid.is_sorted(), "{}", parameter.name);
        }
    }

    #[test]
    fn a_file_keeps_what_differs() {
        let at = tempfile::tempdir().expect("a directory");
        let path = at.path().join("ranking.json");
        let mut setting = defaults();
        setting[10] = 0.55;
        setting[15] = 0.9;
        write(&path, &setting).expect("written");
        assert_eq!(
            std::fs::read_to_string(&path).expect("read"),
            "{\n  \"k1\": 0.9,\n  \"meaning\": 0.55\n}\n"
        );
        assert_eq!(read(&path).expect("read"), setting);
        // The names: the parameter, what it may be, what was found.
        for (text, named) in [
            ("[1]", &["object"][..]),
            (r#"{"k2": 1}"#, &["`k2`", "titleLength, headingLength"]),
            (r#"{"k1": -1}"#, &["k1", "0 to 100", "-1"]),
            (r#"{"meaning": 1.5}"#, &["meaning", "0 to 1", "1.5"]),
        ] {
            let error = format!("{:#}", parse(text).expect_err("refused"));
            assert!(named.iter().all(|part| error.contains(part)), "{error}");
        }
    }
}
