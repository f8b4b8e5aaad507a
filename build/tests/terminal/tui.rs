//! `findling tui`.

use super::home::Home;
use super::pty::*;
use super::{build, program, record};

const SIZE: (u16, u16) = (24, 80);

/// Returns a home with two collections: notes with a text about threads in several languages, and
/// recipes.
fn home() -> Home {
    let home = Home::new();
    home.write(
        "notes/threads.md",
        "# Threads\n\nThreads run at the same time.\n\n## Mutexes\n\nA mutex guards data that \
         threads share.\n\n```rust\nlet guard = mutex.lock();\n```\n",
    );
    let lines: String = (1..60).map(|n| format!("Line {n}.\n\n")).collect();
    home.write("notes/long.md", &format!("# Long\n\nA xylophone.\n\n{lines}"));
    home.write("notes/locks.md", "# Locks\n\nA mutex is a lock. Locks can be poisoned.\n");
    home.write(
        "notes/japanese.md",
        "# 排他制御\n\nミューテックスはデータを保護する。漢字の検索。\n",
    );
    home.write("notes/hebrew.md", "# מנעולים\n\nמנעול שומר על נתונים משותפים.\n");
    home.write("recipes/bread.md", "# Bread\n\nAn oven bakes bread; a mutex does not.\n");
    home.add("notes");
    home.add("recipes");
    home
}

fn start(home: &Home, args: &[&str]) -> Pty {
    let mut pty = Pty::start(home, &[&["tui"][..], args].concat(), SIZE, &[]);
    pty.wait_for("F1 keys");
    pty.wait_for("current");
    pty
}

#[test]
fn typing_searches_and_previews_and_leaving_restores_the_screen() {
    let home = home();
    let mut pty = start(&home, &["notes"]);
    pty.wait_for("notes: current, 5 pages");
    pty.press("mutex guards");
    pty.wait_for("> mutex guards");
    pty.wait_for("Threads › Mutexes");
    pty.wait_for("let guard = mutex.lock();");
    pty.wait_for("notes/threads.md:5");
    assert!(pty.screen().alternate_screen());
    pty.press(ESC);
    assert_eq!(pty.end().exit_code(), 0);
    assert!(!pty.screen().alternate_screen() && !pty.screen().hide_cursor());
    let last = home.json(&["last", "--json"]);
    assert_eq!(last["query"], "mutex guards");
}

#[test]
fn rows_are_selected_and_the_preview_follows_and_scrolls() {
    let home = home();
    let mut pty = start(&home, &["notes"]);
    pty.press("mutex");
    pty.wait_for("2 pages, ");
    let (first, second) = (2, 4);
    pty.wait("the first row", |pty| pty.is_selected(first));
    let of_first = pty.lines()[first].clone();
    pty.press(DOWN);
    pty.wait("the second row", |pty| pty.is_selected(second) && !pty.is_selected(first));
    assert_eq!(pty.lines()[first], of_first, "the list has not moved");
    pty.press(UP);
    pty.wait("the first row", |pty| pty.is_selected(first));
    pty.press(CTRL_U);
    pty.press("xylophone");
    // In the results it is a part of a longer line.
    let shows = |pty: &Pty, text: &str| pty.lines().iter().any(|line| line.trim_end() == text);
    pty.wait("the preview", |pty| shows(pty, "Line 2."));
    assert!(!shows(&pty, "Line 59."));
    pty.press(&ALT_DOWN.repeat(130));
    pty.wait("its end", |pty| shows(pty, "Line 59.") && !shows(pty, "Line 2."));
}

#[test]
fn every_collection_is_asked_and_named() {
    let home = home();
    let mut pty = start(&home, &[]);
    pty.press("mutex");
    pty.wait_for("recipes: Bread");
    pty.wait_for("notes: Locks");
    pty.wait_for("notes: current · recipes: current");
}

#[test]
fn the_mode_cycles_and_mode_and_query_are_kept() {
    let home = home();
    let mut pty = start(&home, &["notes"]);
    pty.wait_for("hybrid");
    for mode in ["words", "static meaning", "transformer", "hybrid", "words"] {
        pty.press(ALT_S);
        pty.wait(mode, |pty| pty.lines()[0].contains(mode));
    }
    pty.press("oven 漢字");
    pty.wait_for("> oven 漢字");
    pty.press(CTRL_C);
    assert_eq!(pty.end().exit_code(), 0);
    let mut pty = start(&home, &["notes"]);
    pty.wait("the earlier query", |pty| {
        pty.lines()[0].starts_with("> oven 漢字") && pty.lines()[0].contains("words")
    });
    let mut other = start(&home, &["recipes"]);
    other.wait("no query", |pty| pty.lines()[0].trim_end().ends_with("words"));
    assert!(other.lines()[0].starts_with(">  "), "{:?}", other.lines());
}

#[test]
fn f1_shows_every_key() {
    let home = home();
    let mut pty = start(&home, &["notes"]);
    pty.press(F1);
    for keys in ["Alt+S", "Ctrl+O", "Tab", "F1", "Esc", "Alt+PageUp, Alt+PageDown", "Ctrl+Z"] {
        pty.wait_for(keys);
    }
    pty.press(ESC);
    pty.wait_without("Alt+S");
    pty.press("bread");
    pty.wait_for("> bread");
}

#[test]
fn filters_and_facets_narrow_and_a_wrong_filter_is_named() {
    let home = home();
    build(&home, &[record("old", 2001, "locks"), record("new", 2024, "threads")]);
    let mut pty = start(&home, &["bundle"]);
    pty.press("mutex");
    pty.wait_for("2 pages");
    pty.press(CTRL_F);
    pty.press("year>=2020");
    pty.wait_for("filter: year>=2020");
    pty.wait_for("1 page,");
    assert_eq!(pty.line_of("The old page"), None);
    pty.press(CTRL_U);
    pty.press("(");
    pty.wait_for("filter: expected");
    pty.press(CTRL_U);
    pty.press(ENTER);
    pty.wait_for("2 pages");
    pty.press(TAB);
    pty.wait_for("[ ] locks 1");
    pty.press(ENTER);
    pty.wait_for("[x] locks 1");
    pty.wait_for("1 page,");
    pty.wait_for("topic=locks");
    // Another value shows how many results it would have.
    pty.wait_for("[ ] threads 1");
    pty.press(DOWN);
    pty.press(ENTER);
    pty.wait_for("[x] threads 1");
    pty.wait_for("2 pages");
}

#[test]
fn text_of_wide_characters_and_from_right_to_left_keeps_its_order_and_its_columns() {
    let home = home();
    let mut pty = start(&home, &["notes"]);
    pty.press("漢字の検索");
    pty.wait_for("> 漢字の検索");
    pty.wait_for("排他制御");
    pty.wait_for("ミューテックスはデータを保護する。");
    // Two columns each, after the prompt.
    pty.wait("the cursor", |pty| pty.screen().cursor_position() == (0, 2 + 10));
    pty.press("\x1b[D\x7f");
    pty.wait_for("> 漢字の索");
    pty.wait("the cursor", |pty| pty.screen().cursor_position() == (0, 2 + 6));
    pty.press("\x1b[F");
    pty.press(CTRL_U);
    pty.press("מנעול שומר");
    pty.wait_for("> מנעול שומר");
    pty.wait_for("מנעולים");
    pty.wait_for("מנעול שומר על נתונים משותפים.");
    // The mode stays at the right edge, regardless of the typed text.
    let first = pty.lines()[0].clone();
    assert!(first.trim_end().ends_with("hybrid"), "{first}");
}

#[test]
fn a_new_size_is_drawn_and_none_is_too_small() {
    let home = home();
    let mut pty = start(&home, &["notes"]);
    pty.press("mutex");
    pty.wait_for("Locks");
    for size in [(40, 140), (24, 80), (10, 30), (5, 12), (2, 5), (1, 1), (24, 80)] {
        pty.resize(size);
        // A key shows that the program still draws.
        pty.press("x\x7f");
    }
    pty.wait_for("Locks");
    pty.wait_for("F1 keys");
    pty.resize((40, 140));
    // Next to the results, if there is room.
    pty.wait("the preview beside", |pty| {
        pty.lines().iter().any(|line| line.contains("Locks") && line.contains('│'))
    });
}

#[test]
fn without_colour_no_colour_is_written_and_what_matched_is_marked() {
    let home = home();
    let args = ["tui", "notes"];
    let mut pty = Pty::start(&home, &args, SIZE, &[("NO_COLOR", "1")]);
    pty.wait_for("current");
    pty.press("guards");
    pty.wait_for("let guard");
    let colours = |pty: &Pty| {
        let screen = pty.screen();
        let cells = (0..SIZE.0).flat_map(|row| (0..SIZE.1).map(move |column| (row, column)));
        let cells = cells.filter_map(|(row, column)| screen.cell(row, column));
        cells.filter(|cell| cell.fgcolor() != vt100::Color::Default).count()
    };
    assert_eq!(colours(&pty), 0);
    let marked = (0..SIZE.0).any(|row| {
        (0..SIZE.1).any(|column| {
            pty.screen().cell(row, column).is_some_and(|cell| cell.underline() && cell.bold())
        })
    });
    assert!(marked);
    let mut pty = start(&home, &["notes"]);
    pty.press("guards");
    pty.wait_for("let guard");
    assert!(colours(&pty) > 0);
}

#[test]
fn text_of_a_site_controls_no_terminal() {
    let home = Home::new();
    home.write(
        "evil/a.md",
        "# mutex \u{1b}]0;owned\u{7} title\n\nmutex \u{1b}[2J\u{1b}[31mred \u{202e}gpj.exe \
         \u{9b}5m zero\u{200b}width\n\n```\ncode \u{1b}c mutex\n```\n",
    );
    home.add("evil");
    let mut pty = start(&home, &["evil"]);
    pty.press("mutex");
    pty.wait_for("gpj.exe");
    pty.press(ESC);
    pty.end();
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    for live in ["\u{1b}]0;owned", "\u{1b}[31mred", "\u{202e}", "\u{9b}", "\u{200b}", "\u{1b}c"] {
        assert!(!written.contains(live), "{live:?} reached the terminal");
    }
}

#[test]
fn a_hit_is_opened_in_the_editor_at_its_line_and_the_screen_comes_back() {
    let home = home();
    let editor = program(&home, "vim", "#!/bin/sh\necho \"$@\" > opened\nread answer\n");
    let env = [("EDITOR", &*editor)];
    let mut pty = Pty::start(&home, &["tui", "notes"], SIZE, &env);
    pty.wait_for("current");
    pty.press("mutex guards");
    pty.wait_for("Threads › Mutexes");
    pty.press(ENTER);
    pty.wait("the editor has the terminal", |pty| !pty.screen().alternate_screen());
    pty.press("done\r");
    pty.wait("the screen is back", |pty| pty.screen().alternate_screen());
    pty.wait_for("> mutex guards");
    let opened = std::fs::read_to_string(home.path("opened")).unwrap();
    assert!(opened.starts_with("+5 ") && opened.contains("notes/threads.md"), "{opened}");
}

#[test]
fn an_address_that_is_no_link_is_not_opened() {
    let home = home();
    let env = [("BROWSER", "false")];
    let mut pty = Pty::start(&home, &["tui", "notes"], SIZE, &env);
    pty.wait_for("current");
    pty.press("mutex");
    // The list of all pages has the name of this one, too.
    pty.wait_for("2 pages");
    pty.press("\x0f");
    pty.wait_for("expected a file or an address");
}

#[test]
fn the_status_says_that_sources_changed_and_takes_the_next_bundle() {
    let home = home();
    home.write("notes/locks.md", "# Locks\n\nA semaphore counts.\n");
    let mut pty = Pty::start(&home, &["tui", "notes"], SIZE, &[]);
    pty.wait_for("notes: stale, 1 file changed");
    pty.press("semaphore");
    pty.wait_for("> semaphore");
    home.sync("notes");
    pty.wait_for("notes: current");
    pty.wait_for("A semaphore counts.");
}

#[test]
fn a_bundle_that_cannot_be_opened_for_a_while_is_opened_later() {
    let home = Home::new();
    build(&home, &[record("old", 2001, "locks")]);
    let entry = home.path("bundle/findling.idx");
    std::fs::rename(home.path("bundle"), home.path("earlier")).unwrap();
    build(&home, &[record("new", 2024, "threads")]);
    let mut pty = start(&home, &["bundle"]);
    pty.press("mutex");
    pty.wait_for("The new page");
    // An entry without its manifest, as in the middle of a deployment.
    std::fs::copy(home.path("earlier/findling.idx"), &entry).unwrap();
    pty.wait_for("replaced by one that cannot be opened");
    pty.press(CTRL_U);
    pty.press("threads");
    pty.wait_for("> threads");
    pty.wait_for("The new page");
    build(&home, &[record("next", 2025, "threads")]);
    pty.wait_for("The next page");
    pty.wait_for("bundle: current");
}

#[test]
fn a_signal_gives_the_screen_back_and_ends_the_program() {
    let home = home();
    for name in ["TERM", "HUP", "INT"] {
        let mut pty = start(&home, &["notes"]);
        pty.signal(name);
        let status = pty.end();
        assert!(!status.success() && status.signal().is_some(), "{name}: {status:?}");
        assert!(!pty.screen().alternate_screen() && !pty.screen().hide_cursor(), "{name}");
    }
}

#[test]
fn a_terminal_that_is_closed_ends_the_program() {
    let home = home();
    let mut pty = start(&home, &["notes"]);
    pty.close();
    let status = pty.end();
    assert!(!status.success(), "{status:?}");
}

#[test]
fn what_cannot_be_opened_ends_with_an_error_and_a_pipe_is_refused() {
    let home = home();
    let mut pty = Pty::start(&home, &["tui", "nosuch"], SIZE, &[]);
    let status = pty.end();
    assert_eq!(status.exit_code(), 2);
    assert!(!pty.screen().alternate_screen());
    assert!(pty.lines().join("").contains("nosuch"), "{:?}", pty.lines());
    let done = home.run(&["tui", "notes"]);
    assert_eq!(done.code, 2);
    assert_eq!(done.out, "");
}
