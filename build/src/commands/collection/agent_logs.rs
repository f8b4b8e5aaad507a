//! The places where coding assistants keep their sessions.

use std::env;
use std::path::{Path, PathBuf};

/// Maximum number of files of a place that are counted.
const MAX_COUNTED: usize = 100_000;

/// The directories of editors that extensions and chats are kept in.
const EDITORS: [&str; 5] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/// Extensions that keep their tasks in a directory of the editor.
const EXTENSIONS: [(&str, &str); 3] = [
    ("Cline", "saoudrizwan.claude-dev"),
    ("Roo Code", "rooveterinaryinc.roo-cline"),
    ("Kilo Code", "kilocode.kilo-code"),
];

/// Sessions that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logs {
    pub agent: &'static str,
    pub path: PathBuf,
    /// The number of files.
    pub n_files: usize,
}

/// The user's directories in which programs keep their data.
#[derive(Clone, Debug)]
pub struct Directories {
    home: PathBuf,
    /// For each editor's settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`.
    config: Vec<PathBuf>,
    /// `~/.local/share`
    data: PathBuf,
    /// Directories that variables of the environment name, by the variables.
    named: Vec<(&'static str, PathBuf)>,
    /// The directory in which the command runs.
    here: PathBuf,
}

impl Directories {
    /// Returns the directories of the person who runs the program; `None` without a home.
    pub fn of_person() -> Option<Self> {
        let path =
            |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = path("HOME").or_else(|| path("USERPROFILE"))?;
        let mut config = vec![
            path("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            home.join("Library/Application Support"),
        ];
        config.extend(path("APPDATA"));
        let data = path("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
        let named = ["CLAUDE_CONFIG_DIR", "CODEX_HOME"];
        let named = named.into_iter().filter_map(|name| Some((name, path(name)?))).collect();
        Some(Self { home, config, data, named, here: env::current_dir().unwrap_or_default() })
    }

    /// Returns all directories below a home directory, for an environment without variables.
    #[cfg(test)]
    fn below(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            config: vec![home.join(".config")],
            data: home.join(".local/share"),
            named: Vec::new(),
            here: home.join("here"),
        }
    }

    /// Returns the directory that a variable names, or one in the home directory.
    fn named(&self, variable: &str, other: &str) -> PathBuf {
        let known = self.named.iter().find(|(name, _)| *name == variable);
        known.map_or_else(|| self.home.join(other), |(_, path)| path.clone())
    }

    /// Returns the sessions that exist, with the programs' names.
    pub fn find(&self) -> Vec<Logs> {
        let claude = self.named("CLAUDE_CONFIG_DIR", ".claude");
        let codex = self.named("CODEX_HOME", ".codex");
        let home = |path: &str| self.home.join(path);
        let mut places = vec![
            ("Claude Code", claude.join("projects")),
            ("Codex", codex.join("sessions")),
            ("Codex", codex.join("archived_sessions")),
            ("Gemini CLI", home(".gemini/tmp")),
            ("Copilot CLI", home(".copilot/session-state")),
            ("Copilot CLI", home(".copilot/history-session-state")),
            ("OpenCode", self.data.join("opencode/storage")),
            ("Aider", home(".aider.chat.history.md")),
            ("Aider", self.here.join(".aider.chat.history.md")),
            ("SpecStory", self.here.join(".specstory/history")),
        ];
        for editor in self.config.iter().flat_map(|config| EDITORS.map(|name| config.join(name))) {
            let user = editor.join("User");
            places.push(("GitHub Copilot", user.join("globalStorage/emptyWindowChatSessions")));
            if cfg!(feature = "history") && editor.ends_with("Cursor") {
                places.push(("Cursor", user.join("globalStorage/state.vscdb")));
            }
            for workspace in directories(&user.join("workspaceStorage")) {
                places.push(("GitHub Copilot", workspace.join("chatSessions")));
            }
            for (agent, directory) in EXTENSIONS {
                places.push((agent, user.join("globalStorage").join(directory).join("tasks")));
            }
        }
        let found = places.into_iter().map(|(agent, path)| {
            let n_files = n_files(&path);
            Logs { agent, path, n_files }
        });
        let mut found: Vec<Logs> = found.filter(|logs| logs.n_files > 0).collect();
        found.sort_by(|a, b| (a.agent, &a.path).cmp(&(b.agent, &b.path)));
        found.dedup_by(|a, b| a.path == b.path);
        found
    }
}

/// Returns the directories in a directory, in order; none if it cannot be read.
fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn n_files(path: &Path) -> usize {
    let is_log = |entry: &walkdir::DirEntry| {
        entry.file_type().is_file()
            && entry.path().extension().is_some_and(|extension| {
                ["json", "jsonl", "md", "vscdb"]
                    .iter()
                    .any(|known| extension.eq_ignore_ascii_case(known))
            })
    };
    let entries = walkdir::WalkDir::new(path).max_depth(8).into_iter().flatten();
    entries.filter(is_log).take(MAX_COUNTED).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_found_at_their_usual_places() {
        let home = tempfile::tempdir().unwrap();
        for path in [
            ".claude/projects/-src-a/s.jsonl",
            ".codex/sessions/2025/10/01/rollout-1.jsonl",
            ".codex/config.toml",
            ".gemini/tmp/h/chats/session-1.json",
            ".copilot/session-state/1/events.jsonl",
            ".local/share/opencode/storage/session/p/ses_1.json",
            ".config/Code/User/workspaceStorage/abc/chatSessions/1.json",
            ".config/Code/User/workspaceStorage/abc/state.json",
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/history.json",
            "here/.specstory/history/2025-01-01-a.md",
            "here/.aider.chat.history.md",
        ] {
            let path = home.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        let found = Directories::below(home.path()).find();
        let agents: Vec<&str> = found.iter().map(|logs| logs.agent).collect();
        assert_eq!(
            agents,
            [
                "Aider",
                "Claude Code",
                "Cline",
                "Codex",
                "Copilot CLI",
                "Gemini CLI",
                "GitHub Copilot",
                "OpenCode",
                "SpecStory"
            ]
        );
        assert!(found.iter().all(|logs| logs.n_files == 1), "{found:?}");
        let nobody = tempfile::tempdir().unwrap();
        assert!(Directories::below(nobody.path()).find().is_empty());
    }
}
