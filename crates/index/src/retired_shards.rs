//! Shards of earlier builds are kept for a while, because readers who opened the site before a
//! deployment still request them.
//!
//! `shards/retired.txt` lists them, one on a line: the name, and the time at which it went out of
//! use in seconds since 1970. The list is deployed with the bundle, because the next build may
//! start from the deployed files.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use findling_bundle::entry::SHARDS;

/// The name of the list, in the directory of shards.
const LIST: &str = "retired.txt";

/// The default time for which shards are kept.
pub const GRACE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Links the shards in `old` that readers may still ask for into `new`, which already has all
/// shards in use, and lists them there. Keeps at most `most_bytes`, beginning with the shards that
/// went out of use last. Returns how many shards were kept and how many were dropped.
///
/// # Errors
/// If the file system fails.
pub fn keep(old: &Path, new: &Path, grace: Duration, most_bytes: u64) -> io::Result<(u64, u64)> {
    let now =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let known = read(&old.join(SHARDS).join(LIST));
    let Ok(entries) = fs::read_dir(old.join(SHARDS)) else { return Ok((0, 0)) };
    let in_use = fs::read_dir(new.join(SHARDS)).into_iter().flatten().flatten();
    let in_use: HashSet<OsString> = in_use.map(|entry| entry.file_name()).collect();
    let mut retired: Vec<(u64, String, u64)> = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_shard(&name) && !in_use.contains(&entry.file_name()) {
            // A time in the future comes from a wrong clock.
            let since = known.get(&name).copied().unwrap_or(now).min(now);
            retired.push((since, name, entry.metadata()?.len()));
        }
    }
    // The latest first. Ties are broken by name, so that the output is deterministic.
    retired.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let (mut list, mut left, mut n_kept, mut n_left) = (String::new(), most_bytes, 0, 0);
    for (since, name, len) in retired {
        if now - since >= grace.as_secs() || len > left {
            n_left += 1;
            continue;
        }
        left -= len;
        let (from, to) = (old.join(SHARDS).join(&name), new.join(SHARDS).join(&name));
        link(&from, &to)?;
        list.push_str(&format!("{name} {since}\n"));
        n_kept += 1;
    }
    if n_kept > 0 {
        fs::write(new.join(SHARDS).join(LIST), list)?;
    }
    Ok((n_kept, n_left))
}

/// Links a file to another name; copies it if the file system has no links. An existing file stays.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() || fs::hard_link(from, to).is_ok() {
        Ok(())
    } else {
        fs::copy(from, to).map(drop)
    }
}

/// Returns whether a name has the form of a shard's or a manifest's name: hex digits of a hash.
fn is_shard(name: &str) -> bool {
    let hex = |stem: &str| stem.len() >= 8 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.strip_suffix(".bin").is_some_and(hex)
}

/// Reads a list. Lines that are not valid are ignored.
fn read(list: &Path) -> BTreeMap<String, u64> {
    let text = fs::read_to_string(list).unwrap_or_default();
    let line = |line: &str| {
        let (name, since) = line.split_once(' ')?;
        Some((name.to_owned(), since.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_kept_for_their_time_and_no_longer() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        let put = |root: &Path, name: &str, contents: &str| {
            fs::create_dir_all(root.join(SHARDS)).unwrap();
            fs::write(root.join(SHARDS).join(name), contents).unwrap();
        };
        for name in [
            "aaaaaaaaaaaa.bin",
            "bbbbbbbbbbbb.bin",
            "cccccccccccc.bin",
            "stray.bin",
            "dddddddddddd.bin",
        ] {
            put(&old, name, "0123456789");
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        put(
            &old,
            LIST,
            &format!("bbbbbbbbbbbb.bin {}\ncccccccccccc.bin {}\nnonsense\n", now - 50, now - 200),
        );
        put(&new, "aaaaaaaaaaaa.bin", "0123456789");
        // a is in use, b has been out of use for 50 s, c for 200 s, d from now on; stray.bin is no
        // shard.
        assert_eq!(keep(&old, &new, Duration::from_secs(100), 1000).unwrap(), (2, 1));
        let there = |name: &str| new.join(SHARDS).join(name).exists();
        assert!(there("bbbbbbbbbbbb.bin") && there("dddddddddddd.bin"));
        assert!(!there("cccccccccccc.bin") && !there("stray.bin"));
        let listed = read(&new.join(SHARDS).join(LIST));
        assert_eq!(
            listed["bbbbbbbbbbbb.bin"],
            now - 50,
            "the time counts from when it went out of use"
        );
        assert_eq!(listed.len(), 2);

        // If there is room for one shard, the later one stays. If the time is 0, no shard stays.
        let (third, fourth) = (dir.path().join("third"), dir.path().join("fourth"));
        put(&third, "aaaaaaaaaaaa.bin", "0123456789");
        put(&fourth, "aaaaaaaaaaaa.bin", "0123456789");
        assert_eq!(keep(&new, &third, Duration::from_secs(100), 15).unwrap(), (1, 1));
        assert!(third.join(SHARDS).join("dddddddddddd.bin").exists());
        assert_eq!(keep(&new, &fourth, Duration::ZERO, 1000).unwrap(), (0, 2));
        assert!(!fourth.join(SHARDS).join(LIST).exists());
    }
}
