//! `--format citations`.

use super::home::Home;

fn home() -> Home {
    let home = Home::new();
    home.write(
        "papers/refs.bib",
        "@article{turing, author = {Turing, Alan M.}, title = {On {Computable} Numbers}, \
         journal = {Proceedings}, year = {1936}, doi = {10.1112/plms}}\n\
         @misc{nobody, title = {Numbers without author}}\n",
    );
    home.add("papers");
    home.write(
        "notes/evil.md",
        "---\ntitle: \"Numbers \\e[2J \\u202e {x} & % $\"\n---\n\nNumbers\n",
    );
    home.add("notes");
    home
}

fn cite(home: &Home, target: &str, style: &str) -> String {
    let style = format!("--style={style}");
    let done =
        home.run(&["search", target, "numbers", "--mode=lexical", "--format=citations", &style]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(findling_build::safe_text::is_safe(&done.out), "{done:?}");
    done.out
}

#[test]
fn bibtex_has_what_is_known_of_papers_and_of_pages() {
    let home = home();
    let text = cite(&home, "papers", "bibtex");
    for part in ["@article{turing,", "Turing, Alan M.", "10.1112/plms", "1936"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("unknown"), "{text}");
    let text = cite(&home, "notes", "bibtex");
    assert!(text.starts_with("@misc{") && text.contains("/evil/"), "{text}");
}

#[test]
fn several_bundles_have_one_list_in_which_no_key_is_there_twice() {
    let home = Home::new();
    for name in ["one", "two"] {
        home.write(&format!("{name}/numbers.md"), "# Numbers\n\nNumbers.\n");
        home.add(name);
    }
    let args = ["find", "numbers", "--mode=lexical", "--format=citations", "--style=bibtex"];
    let done = home.run(&args);
    let mut keys: Vec<&str> = done.out.lines().filter(|line| line.starts_with("@misc{")).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!((done.code, keys.len()), (0, 2), "{done:?}");
}

#[cfg(feature = "citations")]
#[test]
fn every_style_cites_every_page_once() {
    let home = home();
    for (style, expect) in [
        ("apa", "Turing, A. M. (1936)."),
        ("chicago", "Turing, Alan M. 1936."),
        ("ieee", "A. M. Turing"),
    ] {
        let text = cite(&home, "papers", style);
        assert!(text.contains(expect), "{style}: {text}");
        assert_eq!(text.lines().count(), 2, "{style}: {text}");
        assert!(!text.contains("unknown"), "{style}: {text}");
        assert_eq!(cite(&home, "notes", style).lines().count(), 1);
    }
    let done = home.run(&["find", "numbers", "--mode=lexical", "--format=citations"]);
    assert_eq!((done.code, done.out.lines().count()), (0, 3), "{done:?}");
}
