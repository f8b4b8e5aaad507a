//! A standalone file: the search of a site in one page or one script, which works where nothing can
//! be fetched, as in documentation that is opened from a disk.
//!
//! It holds the client's script for this purpose (`www/scripts/standalone.mjs`) and, as one text,
//! the engine and the bundle. [`pack`] writes the text, `www/src/standalone/payload.ts` reads it.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use base64::Engine as _;
use findling_base::file_mode::Shared;
use findling_base::replace_file;
use findling_index::bundle::Bundle;
use findling_index::write::{self, Extra, Written};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

use super::{ENGINE, STANDALONE};
use crate::error::{Error, Result};

/// Maximum number of bytes of a standalone file. A page of this size opens in a browser in seconds,
/// and takes a few times as much of memory (`docs/offline.md`).
pub const MAX_BYTES: u64 = 200_000_000;

/// The engine's deferred part among the client's files.
const REST: &str = "findling_engine_rest.wasm";

/// The page around the script.
const PAGE: &str = include_str!("standalone.html");

/// Beginning of a line with the texts of a language, in the client's script.
const LOCALE: &str = "\n//# locale ";

/// ASCII characters that text in a page or a script cannot hold as they are, or that a program may
/// change on the way: NUL, the ends of lines, the end of a file, quotes, `<`, backslash, delete.
const REPLACED: [u8; 8] = [0, b'\n', b'\r', 0x1a, b'"', b'<', b'\\', 0x7f];

/// The first of the characters that encode two characters: a replaced one and the one after it.
const PAIRS: u32 = 0x100;

/// Form of a standalone file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A page with the search.
    Page,
    /// A script for pages, which defines the elements.
    Script,
}

/// Returns the form that a file's name implies.
///
/// # Errors
/// If it ends in neither `.html` nor `.js`.
pub fn form(path: &Path) -> Result<Form> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") => Ok(Form::Page),
        Some("js") => Ok(Form::Script),
        _ => Err(Error::StandaloneName { output: path.to_owned() }),
    }
}

/// Checks that the client has the files that a standalone file needs.
///
/// # Errors
/// If not.
pub fn check(client: &[Extra]) -> Result<()> {
    for name in [STANDALONE, ENGINE, REST] {
        file(client, name)?;
    }
    Ok(())
}

fn file<'a>(client: &'a [Extra], name: &'static str) -> Result<&'a [u8]> {
    let found = client.iter().find(|file| file.path == name);
    Ok(&found.ok_or(Error::ClientFile { name })?.contents)
}

/// Writes a standalone file to `path`, and replaces an existing file.
///
/// # Errors
/// If the file would exceed [`MAX_BYTES`], the client lacks a file, or the file system fails.
pub fn write(path: &Path, bundle: &Bundle, client: &[Extra], shared: Shared) -> Result<Written> {
    let stored = write::single_file(bundle)?;
    let bundle_bytes = stored.len() as u64;
    let contents = contents(form(path)?, &stored, client, &bundle.manifest.languages)?;
    let length = contents.len() as u64;
    if length > MAX_BYTES {
        let output = path.to_owned();
        return Err(Error::StandaloneSize { output, expected: MAX_BYTES, found: length });
    }
    let write = || -> io::Result<()> {
        replace_file::keep(path, contents.as_bytes())?;
        // Something that is not a file, such as a pipe, already has readers.
        if fs::symlink_metadata(path)?.is_file() { shared.apply(path, path) } else { Ok(()) }
    };
    write().map_err(|source| Error::Write { path: path.to_owned(), source })?;
    Ok(Written { bundle_bytes, n_files: 1, standalone_bytes: length, ..Written::default() })
}

/// Returns the text of a standalone file.
fn contents(form: Form, bundle: &[u8], client: &[Extra], languages: &[String]) -> Result<String> {
    let parts = [("engine", file(client, ENGINE)?), ("rest", file(client, REST)?)];
    let payload = pack(&compress(parts.into_iter().chain([("bundle", bundle)]))?);
    let script = std::str::from_utf8(file(client, STANDALONE)?)
        .map_err(|source| Error::ClientText { name: STANDALONE, source })?;
    let (script, locales) = with_locales(script, languages);
    Ok(match form {
        // The mark at the beginning makes the script UTF-8 for pages in any other encoding.
        Form::Script => format!(
            "\u{feff}{{const FINDLING_PAYLOAD=\"{payload}\",FINDLING_LOCALES={locales};{script}}}\n"
        ),
        Form::Page => {
            let script = format!("{{const FINDLING_LOCALES={locales};{script}}}");
            let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(&script));
            let language = languages.first().map_or("en", String::as_str);
            let title = title(&locales);
            let (head, rest) = PAGE.split_once("{payload}").unwrap_or_default();
            let (between, tail) = rest.split_once("{script}").unwrap_or_default();
            let head = head
                .replace("{language}", &attribute(language))
                .replace("{title}", &attribute(&title))
                .replace("{hash}", &hash);
            [&*head, &*payload, between, &*script, tail].concat()
        }
    })
}

/// Returns the files as one, compressed: the length of each name, the name, the length of the
/// contents, the contents.
fn compress<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> anyhow::Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    for (name, contents) in files {
        out.write_all(&u32::try_from(name.len())?.to_le_bytes())?;
        out.write_all(name.as_bytes())?;
        out.write_all(&u32::try_from(contents.len())?.to_le_bytes())?;
        out.write_all(contents)?;
    }
    Ok(out.finish()?)
}

/// Packs bytes as text, seven bits a character: the number of bytes, a semicolon, the characters.
/// Some characters cannot occur in a page or a script. Such a character is written together with
/// the next one, as one character of two bytes. So a text always has 8 bytes for 7.
fn pack(bytes: &[u8]) -> String {
    let mut text = format!("{};", bytes.len());
    text.reserve(bytes.len() / 7 * 8 + 4);
    let (mut bits, mut length) = (0u32, 0);
    let mut pair: Option<u32> = None;
    let mut add = |seven: u8| match pair.take() {
        Some(first) => {
            text.extend(char::from_u32(PAIRS + (first << 7) + u32::from(seven)));
        }
        None => match REPLACED.iter().position(|&other| other == seven) {
            Some(place) => pair = Some(place as u32),
            None => text.push(char::from(seven)),
        },
    };
    for &byte in bytes {
        bits = (bits << 8) | u32::from(byte);
        length += 8;
        while length >= 7 {
            length -= 7;
            add((bits >> length) as u8 & 0x7f);
        }
    }
    if length > 0 {
        add((bits << (7 - length)) as u8 & 0x7f);
    }
    // Added after the last byte, so that an incomplete pair has its second character.
    add(b' ');
    text
}

/// Returns the script without the texts of languages at its end, and the texts of the site's
/// languages as JSON.
fn with_locales<'a>(script: &'a str, languages: &[String]) -> (&'a str, String) {
    let mut parts = script.split(LOCALE);
    let code = parts.next().unwrap_or_default();
    let wanted: Vec<&str> = languages.iter().map(|language| locale(language)).collect();
    let texts: Vec<String> = parts
        .filter_map(|part| {
            let (name, json) = part.trim_end().split_once(' ')?;
            wanted.contains(&name).then(|| format!("\"{name}\":{}", json.replace('<', "\\u003c")))
        })
        .collect();
    (code.trim_end(), format!("{{{}}}", texts.join(",")))
}

/// Returns the name of the texts for a language, as `localeFor` of the client finds it.
fn locale(language: &str) -> &str {
    let mut subtags = language.split('-');
    match subtags.next().unwrap_or_default() {
        "no" | "nn" => "nb",
        "zh" if subtags.any(|subtag| ["Hant", "TW", "HK", "MO"].contains(&subtag)) => "zh-Hant",
        primary => primary,
    }
}

/// Returns the page's title, in the language of its texts.
fn title(locales: &str) -> String {
    let texts: serde_json::Value = serde_json::from_str(locales).unwrap_or_default();
    let first = texts.as_object().and_then(|texts| texts.values().next());
    first.and_then(|texts| texts["search"].as_str()).unwrap_or("Search").to_owned()
}

/// Escapes text for an attribute or an element.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    /// Unpacks a text as `payload.ts` does.
    fn unpack(text: &str) -> Vec<u8> {
        let (length, text) = text.split_once(';').unwrap();
        let mut sevens = Vec::new();
        for code in text.chars().map(u32::from) {
            if code >= PAIRS {
                sevens.push(REPLACED[((code - PAIRS) >> 7) as usize]);
            }
            sevens.push((code & 0x7f) as u8);
        }
        let bit = |at: usize| sevens[at / 7] >> (6 - at % 7) & 1;
        let byte = |at: usize| (0..8).fold(0, |byte, i| byte << 1 | bit(at * 8 + i));
        (0..length.parse().unwrap()).map(byte).collect()
    }

    #[test]
    fn packed_bytes_come_back_and_have_no_character_that_ends_a_text() {
        let mut state = 1u32;
        for length in (0..40).chain([1000, 4096]) {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .collect();
            let text = pack(&bytes);
            assert_eq!(unpack(&text), bytes, "{length} bytes");
            assert!(!text.bytes().any(|byte| REPLACED.contains(&byte)), "{length} bytes");
            assert!(text.len() <= length / 7 * 8 + 20, "{length} bytes as {}", text.len());
        }
        assert_eq!(unpack(&pack(&[0; 100])), [0; 100]);
        assert_eq!(unpack(&pack(&[255; 100])), [255; 100]);
    }

    fn client(script: &str) -> Vec<Extra> {
        [(STANDALONE, script), (ENGINE, "first"), (REST, "rest")]
            .map(|(path, contents)| Extra {
                path: path.into(),
                contents: contents.as_bytes().to_vec().into(),
            })
            .into()
    }

    fn languages(tags: &[&str]) -> Vec<String> {
        tags.iter().map(|&tag| tag.to_owned()).collect()
    }

    const SCRIPT: &str = "run();\n//# locale de {\"search\":\"Suche <b>\"}\n//# locale nb {}\n";

    #[test]
    fn a_script_carries_the_engine_the_bundle_and_the_languages_of_the_site() {
        let tags = languages(&["en", "no"]);
        let text = contents(Form::Script, b"bundle", &client(SCRIPT), &tags).unwrap();
        let (before, after) = text.split_once("FINDLING_PAYLOAD=\"").unwrap();
        assert_eq!(before, "\u{feff}{const ");
        let (payload, after) = after.split_once('"').unwrap();
        assert_eq!(after, ",FINDLING_LOCALES={\"nb\":{}};run();}\n");
        let mut files = Vec::new();
        GzDecoder::new(&*unpack(payload)).read_to_end(&mut files).unwrap();
        let first = b"\x06\0\0\0engine\x05\0\0\0first\x04\0\0\0rest\x04\0\0\0rest";
        let bundle = b"\x06\0\0\0bundle\x06\0\0\0bundle";
        assert_eq!(files, [&first[..], bundle].concat());
    }

    #[test]
    fn a_page_lets_nothing_but_its_own_script_run() {
        let tags = languages(&["de-AT", "en"]);
        let text = contents(Form::Page, b"bundle", &client(SCRIPT), &tags).unwrap();
        assert!(text.contains("<html lang=\"de-AT\">"), "{text}");
        assert!(text.contains("<title>Suche &lt;b></title>"), "{text}");
        assert_eq!(text.matches("</script>").count(), 2);
        let (_, script) = text.rsplit_once("<script>").unwrap();
        let script = script.split("</script>").next().unwrap();
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script));
        assert!(text.contains(&format!("script-src 'sha256-{hash}'")), "{text}");
    }

    #[test]
    fn the_name_decides_the_form() {
        assert_eq!(form(Path::new("a/search.html")).unwrap(), Form::Page);
        assert_eq!(form(Path::new("search.js")).unwrap(), Form::Script);
        assert!(form(Path::new("search.findling")).is_err());
        assert!(form(Path::new("search")).is_err());
    }

    #[test]
    fn locales_are_named_as_the_client_names_them() {
        let cases =
            [("pt-BR", "pt"), ("nn", "nb"), ("zh-TW", "zh-Hant"), ("zh-Hans", "zh"), ("en", "en")];
        for (language, name) in cases {
            assert_eq!(locale(language), name);
        }
    }

    #[test]
    fn an_older_client_is_refused() {
        assert!(check(&client("")).is_ok());
        assert!(check(&client("")[1..]).is_err());
    }
}
