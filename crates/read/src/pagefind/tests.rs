use std::fs;

use super::*;

fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, html) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, html).unwrap();
    }
    dir
}

fn read_site(files: &[(&str, &str)], options: &Options) -> Site {
    read(site(files).path(), options, &mut |problem| panic!("{problem:?}")).unwrap()
}

fn urls(site: &Site) -> Vec<&str> {
    site.pages.iter().map(|page| page.url.as_str()).collect()
}

#[test]
fn the_glob_decides_which_files_are_pages() {
    let page = "<html lang=en><p>cat</p></html>";
    let files = [
        ("index.html", page),
        ("cat.html", page),
        ("cat/index.htm", page),
        ("cat/cat.html", page),
        ("kitty/cat/index.html", page),
        ("old/findling.idx", ""),
        ("old/index.html", page),
    ];
    let read = |glob: &str| {
        let options = Options { glob: glob.to_owned(), ..Options::default() };
        urls(&read_site(&files, &options)).join(" ")
    };
    assert_eq!(read("**/*.{html}"), "/cat/cat.html /cat.html / /kitty/cat/");
    assert_eq!(
        read("{cat/index.htm,kitty/**/*.html,cat.html}"),
        "/cat/index.htm /cat.html /kitty/cat/"
    );
    let options = Options { glob: "{a".to_owned(), ..Options::default() };
    assert!(read_error(&options).contains("glob"));
    let options = Options { root_selector: ">>".to_owned(), ..Options::default() };
    assert!(read_error(&options).contains("root-selector"));
}

fn read_error(options: &Options) -> String {
    read(Path::new("."), options, &mut |_| {}).unwrap_err().to_string()
}

#[test]
fn pages_without_a_language_join_the_most_frequent() {
    let files = [
        ("a.html", "<html lang=EN><p>a</p></html>"),
        ("b.html", "<html lang=pt-BR><p>b</p></html>"),
        ("c.html", "<html lang=pt-br><p>c</p></html>"),
        ("d.html", "<html><p>d</p></html>"),
    ];
    let read = read_site(&files, &Options::default());
    assert_eq!(read.languages, BTreeMap::from([("en".into(), 1), ("pt-br".into(), 3)]));
    assert_eq!(read.n_unknown, 1);
    assert_eq!(read.pages[3].language, "pt-br");
    assert_eq!(read.pages[0].attributes[LANGUAGE], AttributeValue::String("en".into()));
    let options = Options { force_language: Some("en".into()), ..Options::default() };
    let forced = read_site(&files, &options);
    assert_eq!(forced.languages, BTreeMap::from([("en".into(), 4)]));
    assert!(!forced.pages[0].attributes.contains_key(LANGUAGE));
}

#[test]
fn filters_are_sets_and_sorts_are_numbers_where_all_are() {
    let files = [
        (
            "a.html",
            "<html><p data-pagefind-filter=color>Red</p><p data-pagefind-filter=color>Blue</p>\
             <p data-pagefind-sort=size>10</p><p data-pagefind-sort=name>10</p></html>",
        ),
        (
            "b.html",
            "<html><p data-pagefind-filter=color:1.10>x</p><p data-pagefind-sort=size>9.5</p>\
             <p data-pagefind-sort='name:ten'>y</p></html>",
        ),
    ];
    let site = read_site(&files, &Options::default());
    let strings = |values: &[&str]| {
        AttributeValue::Strings(values.iter().map(|value| (*value).to_owned()).collect())
    };
    let [a, b] = &site.pages[..] else { panic!("two pages") };
    assert_eq!(a.attributes["color"], strings(&["Blue", "Red"]));
    assert_eq!(b.attributes["color"], strings(&["1.10"]));
    assert_eq!(a.attributes["sort:size"], AttributeValue::Number(10.0));
    assert_eq!(a.attributes["sort:name"], AttributeValue::String("10".into()));
    assert_eq!(a.attributes[SORTS], strings(&["name", "size"]));
    assert_eq!(a.sort_only, [SORTS, "sort:name", "sort:size"]);
}

#[test]
fn a_page_and_its_fragment_have_one_id_which_depends_on_the_content() {
    let read = |text: &str| {
        let html = format!("<html lang=en><h1 data-pagefind-meta='author:Ann'>{text}</h1></html>");
        read_site(&[("a/index.html", &html)], &Options::default())
    };
    let (one, other) = (read("One"), read("Two"));
    let page = &one.pages[0];
    assert_eq!(one.fragments[0].0, format!("{}/{}.json", fragment::DIRECTORY, page.id));
    assert_ne!(page.id, other.pages[0].id);
    let fragment: serde_json::Value = serde_json::from_slice(&one.fragments[0].1).unwrap();
    assert_eq!(fragment["url"], "/a/");
    assert_eq!(fragment["content"], "One.");
    assert_eq!(fragment["meta"]["title"], "One");
    // Metadata is searched like text.
    assert_eq!(page.sections[0].blocks[0].text, "Ann");
}

#[test]
fn one_marked_body_leaves_out_pages_without() {
    let files = [
        ("a.html", "<html><body data-pagefind-body><p>in</p></html>"),
        ("b.html", "<html><p>out</p><script src=/_pagefind/pagefind-ui.js></script></html>"),
    ];
    let site = read_site(&files, &Options::default());
    assert_eq!(urls(&site), ["/a.html"]);
    assert!(site.marked_body && site.old_directory);
    assert!(site.ui_scripts.iter().eq(&["pagefind-ui.js"]));
    assert_eq!(site.n_files, 2);
}
