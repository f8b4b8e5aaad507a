//! The secret that a caller of a server sends with each request.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::usage_error::UsageError;

/// Random bytes of a token.
const TOKEN_BYTES: usize = 24;
/// Minimum number of characters of a token that a person supplies.
const MIN_TOKEN: usize = 16;
/// Maximum number of characters of such a token.
const MAX_TOKEN: usize = 512;

/// A token, as it is compared.
#[derive(Clone, Debug)]
pub struct Token {
    /// Compared in constant time, as hashes are.
    hash: blake3::Hash,
}

impl Token {
    /// Makes the token with this text.
    pub fn new(text: &str) -> Self {
        Self { hash: blake3::hash(text.as_bytes()) }
    }

    /// Returns whether a request has the token: `Authorization: Bearer TOKEN`, once.
    pub fn is_in(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return false };
        let given = value.to_str().ok().and_then(|value| value.split_once(' '));
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && blake3::hash(token.as_bytes()) == self.hash
        })
    }
}

/// Returns a text that nobody can guess, for tokens and addresses.
///
/// # Errors
/// If the system has no random numbers.
pub fn secret() -> Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).context("the system gives no random numbers")?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Checks a token that a person supplies. `source` names its origin.
///
/// # Errors
/// If it is too short to be a secret, or cannot be sent in a header.
pub fn check(text: &str, source: &str) -> Result<()> {
    let found = match text.len() {
        0..MIN_TOKEN => format!("{} characters", text.len()),
        MIN_TOKEN..=MAX_TOKEN if text.bytes().all(|b| b.is_ascii_graphic()) => return Ok(()),
        MIN_TOKEN..=MAX_TOKEN => "spaces or other characters".to_owned(),
        _ => format!("{} characters", text.len()),
    };
    let message = format!(
        "{source}: expected a token of {MIN_TOKEN} to {MAX_TOKEN} letters, digits and signs, found \
         {found}; make one with `openssl rand -hex 24`"
    );
    Err(UsageError::new("token", message).into())
}

/// Reads the token in a file. If there is no file, writes a new token into a file that only the
/// user can read.
///
/// # Errors
/// If the file cannot be read or written, others can read it, or it has no token.
pub fn from_file(path: &Path) -> Result<String> {
    let cannot = |what: &str| format!("--token-file {}: the file cannot be {what}", path.display());
    match fs::metadata(path) {
        Ok(metadata) => {
            if !metadata.is_file() {
                let message = format!(
                    "--token-file {}: expected a file, found something else",
                    path.display()
                );
                return Err(UsageError::new("token", message).into());
            }
            check_mode(path, &metadata)?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let token = secret()?;
            write_new(path, &token).with_context(|| cannot("written"))?;
            return Ok(token);
        }
        Err(error) => return Err(anyhow::Error::new(error).context(cannot("read"))),
    }
    let mut text = String::new();
    let file = fs::File::open(path).with_context(|| cannot("read"))?;
    file.take(MAX_TOKEN as u64 + 3).read_to_string(&mut text).with_context(|| cannot("read"))?;
    let token = text.trim_end_matches(['\r', '\n']);
    check(token, &format!("--token-file {}", path.display()))?;
    Ok(token.to_owned())
}

fn write_new(path: &Path, token: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(path)?, "{token}")
}

#[cfg(unix)]
fn check_mode(path: &Path, metadata: &fs::Metadata) -> Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let message = format!(
        "--token-file {0}: expected a file that its owner alone can read, found the mode {1:o}; \
         run `chmod 600 {0}`",
        path.display(),
        mode & 0o777
    );
    Err(UsageError::new("token", message).into())
}

#[cfg(not(unix))]
fn check_mode(_: &Path, _: &fs::Metadata) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_token_once_and_whole() {
        let text = secret().unwrap();
        assert!(text.len() >= 32 && text != secret().unwrap());
        let token = Token::new(&text);
        let is_in = |values: &[String]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, value.parse().unwrap());
            }
            token.is_in(&headers)
        };
        let good = format!("Bearer {text}");
        assert!(is_in(std::slice::from_ref(&good)) && is_in(&[format!("bearer {text}")]));
        for values in [
            &[][..],
            &[good.clone(), good.clone()],
            &[format!("Basic {text}")],
            std::slice::from_ref(&text),
            &[format!("Bearer {}", &text[1..])],
            &[format!("Bearer {text}x")],
            &["Bearer ".to_owned()],
        ] {
            assert!(!is_in(values), "{values:?}");
        }
    }

    #[test]
    fn a_token_file_is_made_once_and_is_the_user_s_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        let token = from_file(&path).unwrap();
        assert_eq!(from_file(&path).unwrap(), token);
        let code = |path: &Path| {
            from_file(path).unwrap_err().downcast_ref::<UsageError>().map(|error| error.code)
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode));
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            mode(0o640).unwrap();
            assert_eq!(code(&path), Some("token"));
            mode(0o600).unwrap();
        }
        for text in ["", "short", "with spaces in it, and long enough", &"x".repeat(600)] {
            fs::write(&path, text).unwrap();
            assert_eq!(code(&path), Some("token"), "{text}");
        }
        assert_eq!(code(dir.path()), Some("token"));
        fs::write(&path, "0123456789abcdef\r\n").unwrap();
        assert_eq!(from_file(&path).unwrap(), "0123456789abcdef");
    }
}
