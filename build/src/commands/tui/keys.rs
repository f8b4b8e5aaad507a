//! The keys, with their actions and the descriptions in F1's help and in the documentation.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::line_edit::Edit;

/// The action of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// In the query, or in the filter while that has the focus.
    Edit(Edit),
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    PreviewUp,
    PreviewDown,
    PreviewPageUp,
    PreviewPageDown,
    NextMode,
    /// The next span of time: all, a day, a week, a month, a year.
    NextSpan,
    /// Show pages like the selected one.
    Similar,
    Filter,
    Facets,
    ClearFilters,
    /// Open in the editor, or choose the value while facets have the focus.
    Enter,
    OpenInBrowser,
    Explain,
    Help,
    /// Leave what has the focus, or the program.
    Back,
    Quit,
    Suspend,
}

/// One or several keys, and their action.
pub struct Binding {
    /// The keys as people write them.
    pub keys: &'static str,
    /// For F1 and the documentation.
    pub does: &'static str,
    codes: &'static [(KeyModifiers, KeyCode, Action)],
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const ALT: KeyModifiers = KeyModifiers::ALT;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

/// Every key.
pub const BINDINGS: &[Binding] = &[
    Binding {
        keys: "Up, Down",
        does: "select another page",
        codes: &[
            (NONE, KeyCode::Up, Action::Up),
            (NONE, KeyCode::Down, Action::Down),
            (CTRL, KeyCode::Char('p'), Action::Up),
            (CTRL, KeyCode::Char('n'), Action::Down),
        ],
    },
    Binding {
        keys: "PageUp, PageDown",
        does: "select a page further up or down",
        codes: &[
            (NONE, KeyCode::PageUp, Action::PageUp),
            (NONE, KeyCode::PageDown, Action::PageDown),
        ],
    },
    Binding {
        keys: "Ctrl+Home, Ctrl+End",
        does: "select the first page, the last",
        codes: &[(CTRL, KeyCode::Home, Action::First), (CTRL, KeyCode::End, Action::Last)],
    },
    Binding {
        keys: "Alt+Up, Alt+Down",
        does: "scroll the preview",
        codes: &[
            (ALT, KeyCode::Up, Action::PreviewUp),
            (ALT, KeyCode::Down, Action::PreviewDown),
            (SHIFT, KeyCode::Up, Action::PreviewUp),
            (SHIFT, KeyCode::Down, Action::PreviewDown),
        ],
    },
    Binding {
        keys: "Alt+PageUp, Alt+PageDown",
        does: "scroll the preview by its height",
        codes: &[
            (ALT, KeyCode::PageUp, Action::PreviewPageUp),
            (ALT, KeyCode::PageDown, Action::PreviewPageDown),
            (SHIFT, KeyCode::PageUp, Action::PreviewPageUp),
            (SHIFT, KeyCode::PageDown, Action::PreviewPageDown),
        ],
    },
    Binding {
        keys: "Enter",
        does: "open in the editor at the line, otherwise in the browser",
        codes: &[(NONE, KeyCode::Enter, Action::Enter)],
    },
    Binding {
        keys: "Ctrl+O",
        does: "open in the browser at the passage",
        codes: &[(CTRL, KeyCode::Char('o'), Action::OpenInBrowser)],
    },
    Binding {
        keys: "F10, Alt+S",
        does: "next mode: words, static meaning, transformer, hybrid",
        codes: &[
            (NONE, KeyCode::F(10), Action::NextMode),
            (ALT, KeyCode::Char('s'), Action::NextMode),
        ],
    },
    Binding {
        keys: "F12, Alt+T",
        does: "next span of time: all, a day, a week, a month, a year",
        codes: &[
            (NONE, KeyCode::F(12), Action::NextSpan),
            (ALT, KeyCode::Char('t'), Action::NextSpan),
        ],
    },
    Binding {
        keys: "F9, Alt+L",
        does: "pages like the selected one; Esc shows the query's again",
        codes: &[
            (NONE, KeyCode::F(9), Action::Similar),
            (ALT, KeyCode::Char('l'), Action::Similar),
        ],
    },
    Binding {
        keys: "Ctrl+F",
        does: "edit the filter, such as year>=2020",
        codes: &[(CTRL, KeyCode::Char('f'), Action::Filter)],
    },
    Binding {
        keys: "Tab",
        does: "facets: Up, Down move, Enter chooses a value",
        codes: &[
            (NONE, KeyCode::Tab, Action::Facets),
            (SHIFT, KeyCode::BackTab, Action::Facets),
            (NONE, KeyCode::BackTab, Action::Facets),
        ],
    },
    Binding {
        keys: "Alt+X",
        does: "clear the filter and the chosen values",
        codes: &[(ALT, KeyCode::Char('x'), Action::ClearFilters)],
    },
    Binding {
        keys: "Alt+E",
        does: "show the parts of the scores",
        codes: &[(ALT, KeyCode::Char('e'), Action::Explain)],
    },
    Binding {
        keys: "Ctrl+U, Ctrl+K, Ctrl+W",
        does: "delete to the start, to the end, the word",
        codes: &[
            (CTRL, KeyCode::Char('u'), Action::Edit(Edit::DeleteToStart)),
            (CTRL, KeyCode::Char('k'), Action::Edit(Edit::DeleteToEnd)),
            (CTRL, KeyCode::Char('w'), Action::Edit(Edit::DeleteWord)),
            (ALT, KeyCode::Backspace, Action::Edit(Edit::DeleteWord)),
            (NONE, KeyCode::Backspace, Action::Edit(Edit::Backspace)),
            (CTRL, KeyCode::Char('h'), Action::Edit(Edit::Backspace)),
            (NONE, KeyCode::Delete, Action::Edit(Edit::Delete)),
        ],
    },
    Binding {
        keys: "Left, Right, Home, End",
        does: "move the cursor; with Ctrl by words",
        codes: &[
            (NONE, KeyCode::Left, Action::Edit(Edit::Left)),
            (NONE, KeyCode::Right, Action::Edit(Edit::Right)),
            (CTRL, KeyCode::Left, Action::Edit(Edit::WordLeft)),
            (CTRL, KeyCode::Right, Action::Edit(Edit::WordRight)),
            (NONE, KeyCode::Home, Action::Edit(Edit::Start)),
            (NONE, KeyCode::End, Action::Edit(Edit::End)),
            (CTRL, KeyCode::Char('a'), Action::Edit(Edit::Start)),
            (CTRL, KeyCode::Char('e'), Action::Edit(Edit::End)),
        ],
    },
    Binding {
        keys: "F1",
        does: "show or hide these keys",
        codes: &[(NONE, KeyCode::F(1), Action::Help)],
    },
    Binding {
        keys: "Esc",
        does: "leave the filter, the facets or these keys; otherwise end",
        codes: &[(NONE, KeyCode::Esc, Action::Back)],
    },
    Binding {
        keys: "Ctrl+C, Ctrl+D",
        does: "end",
        codes: &[
            (CTRL, KeyCode::Char('c'), Action::Quit),
            (CTRL, KeyCode::Char('d'), Action::Quit),
        ],
    },
    Binding {
        keys: "Ctrl+Z",
        does: "stop, to be continued by the shell's fg",
        codes: &[(CTRL, KeyCode::Char('z'), Action::Suspend)],
    },
];

/// Returns the action of a key; `None` if it has none.
pub fn action(key: KeyEvent) -> Option<Action> {
    let bound = BINDINGS.iter().flat_map(|binding| binding.codes);
    for (modifiers, code, action) in bound {
        if *modifiers == key.modifiers && *code == lower(key.code, key.modifiers) {
            return Some(*action);
        }
    }
    match key.code {
        // AltGr is reported as Ctrl+Alt by some systems.
        KeyCode::Char(c) if !key.modifiers.intersects(CTRL | ALT) => {
            Some(Action::Edit(Edit::Insert(c)))
        }
        KeyCode::Char(c) if key.modifiers.contains(CTRL | ALT) => {
            Some(Action::Edit(Edit::Insert(c)))
        }
        _ => None,
    }
}

/// Makes the letter of a key combination lower-case; with Caps Lock it is a capital.
fn lower(code: KeyCode, modifiers: KeyModifiers) -> KeyCode {
    match code {
        KeyCode::Char(c) if modifiers.intersects(CTRL | ALT) => {
            KeyCode::Char(c.to_ascii_lowercase())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_key_has_two_meanings() {
        let mut known = HashSet::new();
        for (modifiers, code, _) in BINDINGS.iter().flat_map(|binding| binding.codes) {
            assert!(known.insert((modifiers, code)), "{code:?} with {modifiers:?}");
        }
    }

    #[test]
    fn the_document_lists_every_key() {
        let document = include_str!("../../../../docs/command-line.md");
        let rows =
            BINDINGS.iter().map(|binding| format!("| {} | {} |", binding.keys, binding.does));
        let table =
            format!("| key | does |\n|---|---|\n{}\n\n", rows.collect::<Vec<_>>().join("\n"));
        assert!(document.contains(&table), "docs/command-line.md has not:\n{table}");
    }

    #[test]
    fn letters_are_typed_and_combinations_are_not() {
        let typed = |c: char, modifiers| action(KeyEvent::new(KeyCode::Char(c), modifiers));
        assert_eq!(typed('ü', NONE), Some(Action::Edit(Edit::Insert('ü'))));
        assert_eq!(typed('S', SHIFT), Some(Action::Edit(Edit::Insert('S'))));
        assert_eq!(typed('S', ALT), Some(Action::NextMode), "with Caps Lock");
        assert_eq!(typed('q', ALT), None);
        assert_eq!(typed('@', CTRL | ALT), Some(Action::Edit(Edit::Insert('@'))));
    }
}
