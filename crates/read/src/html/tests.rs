//! Tests of the text that is indexed from a page.

use super::*;
use findling_page::page::{Block, Section};

fn page(html: &str) -> RawPage {
    read(html, "page.html", &Options::default()).expect("a page")
}

fn sections(html: &str) -> Vec<Section> {
    page(html).page.sections
}

/// Returns the sections of a page, one a line: `level heading #anchor: block / block`.
pub(super) fn outline(html: &str) -> String {
    let section = |section: &Section| {
        let anchor = section.anchor.as_ref().map_or(String::new(), |anchor| format!(" #{anchor}"));
        let blocks: Vec<_> = section.blocks.iter().map(|block| block.text.as_str()).collect();
        format!("{} {}{anchor}: {}", section.level, section.heading, blocks.join(" / "))
    };
    sections(html).iter().map(section).collect::<Vec<_>>().join("\n")
}

fn check(html: &str, expect: &str) {
    assert_eq!(outline(html), expect, "{html}");
}

#[test]
fn the_content_is_what_is_in_main() {
    check(
        "<body><nav>Menu</nav><p>Around</p><main><h1 id=a>A</h1><p>Text</p>\
         <nav>More</nav></main></body>",
        "1 A #a: Text",
    );
    // The table of contents beside a page, which a theme of Sphinx puts inside of <main>.
    check(
        "<main><article><h1>A</h1><p>Text</p></article>\
         <div class='page-toc tocsection onthispage'>On this page</div></main>",
        "1 A: Text",
    );
    // Docusaurus's remark on a version, above each of its pages.
    check(
        "<main><div class='theme-doc-version-banner alert'>This is unreleased.</div><article>\
         <span class='theme-doc-version-badge badge'>Version: 1.0</span><h1>A</h1><p>Text\
         </article></main>",
        "1 A: Text",
    );
    check("<body><p>Around</p><div role=main><p>Text</p></div></body>", "0 : Text");
    check(
        "<body><p>Ad</p><article><p>The text is here.</p></article></body>",
        "0 : The text is here.",
    );
}

#[test]
fn a_teaser_in_an_article_is_not_the_content() {
    check(
        "<body><p>The text is out here, all of it.</p><article>Teaser</article></body>",
        "0 : The text is out here, all of it. / Teaser",
    );
}

#[test]
fn without_main_the_body_is_read_without_its_surroundings() {
    check(
        "<body><header>Site</header><nav>Menu</nav><aside>Ads</aside>\
         <div role=navigation>Next</div><div class='a toc'>Contents</div><p>Text</p>\
         <script>x()</script><style>p{}</style><noscript>No</noscript><template>T</template>\
         <form>F</form><p hidden>H</p><p aria-hidden=true>I</p><p style='display: none'>D</p>\
         <footer>Foot</footer></body>",
        "0 : Text",
    );
}

#[test]
fn the_header_of_an_article_holds_its_title_and_asides_that_are_notes_stay() {
    check(
        "<main><article><header><h1>A</h1></header>\
         <aside class='admonition note'>Mind this.</aside><aside>Ads</aside></article></main>",
        "1 A: Mind this.",
    );
}

#[test]
fn the_anchor_of_a_heading_is_on_it_in_it_or_around_it() {
    check("<h2 id=a>A</h2>", "2 A #a: ");
    check("<h2><a id=a></a>A</h2>", "2 A #a: ");
    check("<h2><a name=a>A</a></h2>", "2 A #a: ");
    check("<h2>A<button id=copy>Copy</button></h2>", "2 A: ");
    check("<h2><a class=header href='#a'>A</a></h2>", "2 A: ");
    check("<h2>A<a class=headerlink href='#a'>¶</a></h2>", "2 A #a: ");
    check("<h2>A<a href='#caf%C3%A9'>#</a></h2>", "2 A #café: ");
    check("<section id=s><h2>A</h2><h3>B</h3></section>", "2 A #s: \n3 B: ");
    check(
        "<div class=sect1 id=s><div class=titlepage><h2 class=title>A</h2></div></div>",
        "2 A #s: ",
    );
    check("<a id=a></a><h2>A</h2>", "2 A #a: ");
    check("<a id=a></a><p>Text</p><h2>A</h2>", "0 : Text\n2 A: ");
}

#[test]
fn permalinks_are_not_part_of_headings_or_text() {
    check("<h2 id=a>A<a class=headerlink href='#a' title='Permalink'>¶</a></h2>", "2 A #a: ");
    check(
        "<h2 id=a tabindex=-1>A <a class=header-anchor href='#a' aria-label='Permalink to \
         A'>\u{200b}</a></h2>",
        "2 A #a: ",
    );
    check(
        "<h2 id=a>A</h2><a class=sl-anchor-link href='#a'><span aria-hidden=true>x</span>\
         <span class=sr-only>Section titled A</span></a>",
        "2 A #a: ",
    );
    check("<p>Text<a href='#p'>#</a> and <a href='#x'>more</a></p>", "0 : Text and more");
    check(
        "<p>Known<sup><a href='#fn1'>[1]</a></sup> since 10<sup>3</sup> years</p>",
        "0 : Known since 10³ years",
    );
}

#[test]
fn text_comes_in_paragraphs_items_rows_and_definitions() {
    check(
        "<p>One <b>bold</b>ly</p><ul><li>a<ul><li>b</ul><li>c</ul><table><tr><th>H</th>\
         <th>I</th></tr><tr><td>1</td><td><p>2</p></td></tr></table><blockquote><p>q</blockquote>\
         <dl><dt>T</dt><dd>D</dd></dl>loose<p>x<br>y</p><img alt='A cat'>",
        "0 : One boldly / a / b / c / H | I / 1 | 2 / q / T / D / loose / x y / A cat",
    );
}

#[test]
fn code_keeps_its_white_space_and_inline_code_its_place() {
    let found = sections(
        "<p>Call <code>f(x)</code> now</p><pre><code class=language-rust><span class=boring>fn \
         main() {\n</span>if x {\n    y\n}\n</code></pre>",
    );
    let block = |text: &str, code: &[(u32, u32)], is_code_block| Block {
        text: text.into(),
        code: code.into(),
        is_code_block,
        weight: 1.0,
    };
    assert_eq!(
        found[0].blocks,
        [block("Call f(x) now", &[(5, 9)], false), block("if x {\n    y\n}", &[(0, 14)], true)]
    );
}

#[test]
fn an_entry_of_an_api_that_can_be_linked_to_is_a_section() {
    check(
        "<section id=m><h1>Module</h1><p>Intro</p><dl class='py function'><dt class=sig id=os.walk>\
         <span class=sig-prename>os.</span><span class=sig-name>walk</span>\
         <span class=sig-paren>(</span><em>top</em><span class=sig-paren>)</span>\
         <a class=headerlink href='#os.walk'>¶</a></dt><dd><p>Walks.</p></dd></dl>\
         <p>Outro</p></section>",
        "1 Module #m: Intro / Outro\n2 os.walk() #os.walk: os.walk(top) / Walks.",
    );
    check(
        "<h2>Settings</h2><dl><dt id=a><code>a</code> (integer)</dt><dd>Sets a.</dd><dt>b</dt>\
         <dd>Sets b.</dd></dl>",
        "2 Settings: b / Sets b.\n3 a (integer) #a: Sets a.",
    );
    check(
        "<h2>Options</h2><dl><dt id=n>-n<dt id=dry>--dry-run<dd>Only shows.</dl>",
        "2 Options: \n3 -n #n: --dry-run / Only shows.",
    );
}

#[test]
fn a_row_that_defines_a_name_and_can_be_linked_to_is_a_section() {
    // DocBook's form for functions: anchor, signature, description, all in one cell.
    check(
        "<h2>Functions</h2><table><thead><tr><th><p>Function</p>\
         <p>Description</p></th></tr></thead><tbody><tr><td><p><a id=i1 class=indexterm></a>\
         <code>abs</code> ( <em>numeric</em> ) → number</p><p>Absolute value</p><p>\
         <code>abs(-1)</code> → 1</p></td></tr><tr><td><p><code>abs</code> ( \
         <em>interval</em> )</p><p>Of time</p></td></tr><tr><td><p><a id=i2></a><a id=i3></a>\
         <code>to_json</code> ( any )</p><p><code>to_jsonb</code> ( any )</p>\
         <p>Converts</p></td></tr><tr><td><p><code>other</code> ()</p>\
         <p>Unlinked</p></td></tr></tbody></table><p>Outro</p>",
        "2 Functions: Function Description / other () Unlinked / Outro\n3 abs #i1: abs ( numeric ) \
         → number Absolute value abs(-1) → 1 / abs ( interval ) Of time\n\
         3 to_json, to_jsonb #i2: to_json ( any ) to_jsonb ( any ) Converts",
    );
    // With the description in a second cell, the anchor on row, cell or code.
    check(
        "<h2>F</h2><table><tr><th>Name<th>Meaning<tr id=a><td><code>-v</code><td>Says more<tr>\
         <td id=b><code>run()</code><td>Runs<tr><th><code id=c>Max</code>\
         <a class=headerlink href='#c'>¶</a><td>Most</table>",
        "2 F: Name | Meaning\n3 -v #a: -v | Says more\n3 run #b: run() | Runs\n\
         3 Max #c: Max | Most",
    );
    // Sphinx's form.
    check(
        "<h2>F</h2><table><tr><td><dl><dt class=sig id=m.X><span class=descclassname>m.</span>\
         <span class=descname>X</span></dt><dd></dd></dl><td>Most</table>",
        "2 F: \n3 m.X #m.X: m.X | Most",
    );
}

#[test]
fn other_rows_stay_text() {
    let row = |row: &str, expect: &str| {
        check(&format!("<h2>T</h2><table><tr>{row}</tr></table>"), &format!("2 T: {expect}"));
    };
    row("<td><code>a</code><td>No anchor", "a | No anchor");
    row("<td id=a>Plain<td>text", "Plain | text");
    row("<td id=a><code>alone</code>", "alone");
    row("<td id=a><code>a</code> and <code>b</code><td>differ", "a and b | differ");
    row(
        "<td id=a><code>text</code> <code>||</code> <code>text</code><td>Joins",
        "text || text | Joins",
    );
    row("<td id=a><code>SELECT 1</code><td>A query", "SELECT 1 | A query");
    row(
        "<td><code>a</code> <a id=r1 href='#n1'>[1]</a><td>The mark of a note",
        "a [1] | The mark of a note",
    );
    row("<td id=a><code>10</code><td>A number", "10 | A number");
}

#[test]
fn the_word_above_a_note_is_no_heading() {
    check(
        "<h2 id=a>A</h2><div class=note><h3 class=title>Note</h3><p>Mind.</p></div><p>On</p>",
        "2 A #a: Note / Mind. / On",
    );
    check(
        "<h2 id=a>A</h2><section class=note><h3 id=n>B</h3><p>Mind.</p></section>",
        "2 A #a: \n3 B #n: Mind.",
    );
}

#[test]
fn definitions_are_text_where_sections_of_them_are_not_wanted() {
    for html in [
        "<dl><dt id=a>a</dt><dd>Sets a.</dd></dl>",
        "<table><tr id=a><td><code>a</code><td>Sets a.</table>",
    ] {
        let options = Options { definition_sections: false, ..Options::default() };
        let raw = read(&format!("<h2>S</h2>{html}"), "x.html", &options).expect("a page");
        assert_eq!(raw.page.sections.len(), 1);
    }
}

#[test]
fn pages_that_are_not_content_are_left_out() {
    let left_out =
        |html: &str, path: &str| read(html, path, &Options::default()).expect_err("left out");
    assert_eq!(
        left_out("<meta http-equiv=refresh content='0; url=new.html'>", "a.html"),
        "a redirect to new.html"
    );
    assert!(
        left_out("<meta name=robots content='noindex, follow'><p>x", "print.html")
            .contains("noindex")
    );
    assert!(left_out("<p>Not found", "dir/404.html").contains("error page"));
    assert!(
        left_out("<p><a href=a.html>A</a> <a href=b.html>B</a>", "genindex-A.html")
            .contains("index")
    );
    assert!(
        left_out(
            "<body><div class=index><div class=titlepage><h1>Index</h1></div>a, b</div>",
            "bookindex.html"
        )
        .contains("index")
    );
}

#[test]
fn what_a_page_says_of_itself() {
    let raw = page(
        "<html lang=en_GB><head><title>A - Site</title></head><body><main><h1>A \
         <em>b</em></h1></main></body></html>",
    );
    assert_eq!(raw.page.language, "en-GB");
    assert_eq!(
        (raw.names.tag.as_deref(), raw.names.h1.as_deref()),
        (Some("A - Site"), Some("A b"))
    );
    assert_eq!(
        page("<html xmlns='http://www.w3.org/1999/xhtml' xml:lang='fr'><p>x").page.language,
        "fr"
    );
}

#[test]
fn a_marked_body_is_read_as_marked() {
    let raw = page(
        "<body><h1>Out</h1><div data-pagefind-body><header>In</header><aside>Also in</aside>\
         <p data-pagefind-ignore>Not</p><p data-findling-weight=2>Twice</p><nav>Not</nav>\
         <img data-findling-index-attrs='title' title='Said'></div><p>Out</p>\
         <div data-findling-body>Second</div></body>",
    );
    assert!(raw.marked_body);
    let texts: Vec<_> = raw.page.sections[0]
        .blocks
        .iter()
        .map(|block| (block.text.as_str(), block.weight))
        .collect();
    assert_eq!(
        texts,
        [("In", 1.0), ("Also in", 1.0), ("Twice", 2.0), ("Said", 1.0), ("Second", 1.0)]
    );
    assert_eq!(raw.names.h1.as_deref(), Some("Out"), "the title may stand outside of the body");
}

#[test]
fn a_page_says_what_it_is_pinned_to() {
    let raw = page(
        "<main><h1 data-findling-pin='get started, how to  install,'>A</h1>\
         <p data-findling-pin=setup>Text</p></main>",
    );
    assert_eq!(raw.page.pins, ["get started", "how to install", "setup"]);
}

#[test]
fn depth_exhausts_nothing() {
    let deep = format!("{}x{}", "<b>".repeat(20_000), "</b>".repeat(20_000));
    assert_eq!(outline(&deep), "0 : x");
    let deep = format!("{}x", "<div>".repeat(100_000));
    assert!(nests_too_deep(&deep));
}

#[test]
fn a_section_is_in_the_language_of_the_nearest_element_that_declares_one() {
    let page = page(
        "<html lang=en><body><main><h1>A</h1><p>Text</p><div lang=fr_CA><h2>B</h2><p>Texte</p>\
         <h3 xml:lang=de>C</h3><p>Text</p></div><h2>D</h2><p>Text</p></main></body></html>",
    );
    let languages: Vec<&str> = page.page.sections.iter().map(|s| s.language.as_str()).collect();
    assert_eq!(page.page.language, "en");
    assert_eq!(languages, ["", "fr-CA", "de", ""]);
}

#[test]
fn the_body_says_the_language_where_the_page_does_not() {
    let declared = page("<html><body lang=pl><h1>A</h1><p>Text</p></body></html>");
    assert_eq!(declared.page.language, "pl");
    assert_eq!(declared.page.sections[0].language, "");
    let both = page("<html lang=en><body lang=pl><h1>A</h1></body></html>");
    assert_eq!(both.page.language, "en");
}

#[test]
fn lists_of_languages_are_not_indexed() {
    let other = "<a href='../fr/a.html' hreflang='fr' rel='alternate'>fr</a>";
    let page = |list: &str| format!("<h1 id=a>A</h1>{list}<p>Text about the alias.</p>");
    for list in [
        format!("<div class=toplang><p>Languages: <a href=a.html>en</a> | {other}</p></div>"),
        "<div class=bottomlang><p>Available Languages: <a href=a.html>en</a></p></div>".to_owned(),
        format!(
            "<p class=langs>Also in: {other}, \
             <a href='../de/a.html' hreflang='de' rel='alternate'>de</a></p>"
        ),
        format!(
            "<ul class=langs><li><a href='../de/' hreflang='de' rel='alternate'>Deutsch</a>\
             <li>{other}</ul>"
        ),
    ] {
        check(&page(&list), "1 A #a: Text about the alias.");
    }
    // A sentence with such a link stays.
    let sentence = format!("<p>{other} is where the old text of this page can still be read.</p>");
    check(
        &page(&sentence),
        "1 A #a: fr is where the old text of this page can still be read. / Text about the alias.",
    );
}

#[test]
fn bars_of_a_theme_with_a_prefix_are_not_indexed() {
    check(
        "<h1 id=a>A</h1><div class='t-navbar'><a href=io.html>Input and output</a><div>\
         <table><tr><td><a href=fopen.html>fopen</a><tr><td>Files</table></div></div><p>Text.</p>",
        "1 A #a: Text.",
    );
    // Tabs lead to their panels, and text stays.
    check(
        "<h1 id=a>A</h1><div class='x-navbar'>A bar of the program with <a href=b>keys</a></div>",
        "1 A #a: A bar of the program with keys",
    );
}

#[test]
fn lines_of_a_style_are_not_joined() {
    check(
        "<h1 id=a>A</h1><p>See <a href=b><span class='t-lines'><span>getline</span>\
         <span>getwline</span><span>getdelim</span></span></a></p>",
        "1 A #a: See getline getwline getdelim",
    );
    // A word in parts: with attributes, or in no element of a style.
    check(
        "<h1 id=a>A</h1><p>A <span>fore</span><span>cast</span> and a \
         <b class=x><span id=q>sea</span><span id=r>farer</span></b></p>",
        "1 A #a: A forecast and a seafarer",
    );
}

#[test]
fn links_of_texinfo_between_sections_of_a_page_are_not_indexed() {
    let link = |href: &str, title: &str, text: &str| {
        format!("<td>[<a href='{href}' title='{title}'> {text} </a>]</td>")
    };
    let bar = [
        link("#Intro", "Beginning of this chapter or previous chapter", "&lt;&lt;"),
        link("#Intro", "Previous section in reading order", "&lt;"),
        link("#Intro", "Up section", "Up"),
        link("#Files", "Next section in reading order", "&gt;"),
        link("index.html", "Cover (top) of document", "Top"),
        link("about.html", "About (help)", "?"),
    ];
    let bar = format!("<table class=header><tr>{}</tr></table>", bar.concat());
    check(
        &format!("{bar}<h1 id=Intro>Intro</h1><p>Text.</p>{bar}<h2 id=Author>Author</h2>By me."),
        "1 Intro #Intro: Text.\n2 Author #Author: By me.",
    );
    // A table of signs is text.
    check(
        "<h1 id=a>A</h1><table><tr><td><a href=lt.html>&lt;</a></td><td>less</td></tr></table>",
        "1 A #a: < | less",
    );
}

#[test]
fn separators_of_a_style_are_spaces() {
    check(
        "<h1 id=a><a href=index.html>Pango</a><span class=sep></span><a href=font.html>Font</a>\
         <span class='crumb-separator'></span>get_metrics</h1><p>A<span class=x></span>B</p>",
        "1 Pango Font get_metrics #a: AB",
    );
}

#[test]
fn a_list_called_a_table_of_contents_is_not_indexed() {
    // Nim names the entries of a group once more, and leads to entries instead of headings.
    check(
        "<h1 id=a>A</h1><ul class='simple simple-toc' id=toc-list><li><a href='#7'>Types</a>\
         <ul><li><a href='#Bits'>Bits</a></ul><li><a href='#12'>Procs</a><ul>bitnot\
         <li><a href='#bitnot'>bitnot[T](x: T): T</a></ul></ul><p>Text.</p>",
        "1 A #a: Text.",
    );
    // Links to other pages are text, and so are sentences.
    check(
        "<h1 id=a>A</h1><ul class=simple-toc><li><a href=b.html>Bread</a><li>\
         <a href='#a'>A</a></ul>",
        "1 A #a: Bread / A",
    );
}

#[test]
fn lines_of_links_to_the_headings_are_not_indexed() {
    let text = "<h2 id=new>New members</h2><p>Text.</p>";
    let line = |line: &str| format!("<h1 id=a>A</h1>{line}{text}");
    for links in [
        "<div class=summary><a href='a-members.html'>List of all members</a> | \
         <a href='#new'>New members</a></div>",
        "<p><a href='#new'>New members</a> | <a href='#a'>A</a></p>",
    ] {
        check(&line(links), "1 A #a: \n2 New members #new: Text.");
    }
    check(
        &line("<p><a href='#new'>New members</a> and <a href='#a'>A</a></p>"),
        "1 A #a: New members and A\n2 New members #new: Text.",
    );
    check(
        &line("<p><a href=b.html>Bread</a> | <a href=c.html>Cake</a></p>"),
        "1 A #a: Bread | Cake\n2 New members #new: Text.",
    );
}

/// A page of Doxygen with a head of the project's own.
const DOXYGEN: &str = "<title>Oven library</title><body><div id=content>\
    <!-- Generated by Doxygen 1.9.1 -->\
    <div class=header><div class=summary><a href='#pub-methods'>Public Member Functions</a> &#124; \
    <a href='classOven-members.html'>List of all members</a></div>\
    <div class=headertitle><div class=title>Oven Class Reference<div class=ingroups>\
    <a href='group.html'>Baking module</a></div></div></div></div><div class=contents>\
    <p>Bakes bread.</p><table><tr class=heading><td><h2 class=groupheader><a id='pub-methods'></a>\
    Public Member Functions</h2></td></tr><tr class='memitem:a1'><td>void</td><td><b>bake</b> ()\
    </td></tr><tr class='inherit_header pub_methods_classBox'><td>Public Member Functions \
    inherited from <a href='classBox.html'>Box</a></td></tr><tr class='memitem:b1 inherit \
    pub_methods_classBox'><td>int</td><td><b>volume</b> ()</td></tr></table>\
    <div class=fragment><div class=line>Oven oven;</div></div>\
    <div class=ttc id='aclassOven'><div class=ttname><a href='classOven.html'>Oven</a></div>\
    <div class=ttdoc>Bakes bread.</div><div class=ttdef><b>Definition:</b> Oven.hpp:9</div></div>\
    <hr/>The documentation for this class was generated from the following file:\
    <ul><li><a href='Oven_8hpp_source.html'>Oven.hpp</a></li></ul></div></div>";

#[test]
fn pages_of_doxygen_have_their_name_and_no_furniture() {
    let page = page(DOXYGEN);
    assert_eq!(page.names.h1.as_deref(), Some("Oven Class Reference"));
    check(
        DOXYGEN,
        "1 Oven Class Reference: Bakes bread.\n2 Public Member Functions #pub-methods: \
         void | bake () / Oven oven;",
    );
}

#[test]
fn names_of_inherited_members_are_not_indexed() {
    for inherited in [
        "<div class='inherited-list'><h3 id='methods-inherited'>Methods inherited from class \
         <a href=Box.html>Box</a></h3><code><a href=Box.html>volume</a></code></div>",
        "<ul class=blockList><li class=blockList><a name='methods.inherited.from.class.Box'></a>\
         <h3>Methods inherited from class Box</h3><code><a href=Box.html>volume</a></code>\
          </li></ul>",
    ] {
        check(
            &format!("<main><h1 id=a>Oven</h1><p>Bakes.</p>{inherited}<p>More.</p></main>"),
            "1 Oven #a: Bakes. / More.",
        );
    }
    // A list of a page about inheritance.
    check(
        "<main><h1 id=a>A</h1><ul><li><a id=b></a>Members inherited from a class</ul></main>",
        "1 A #a: Members inherited from a class",
    );
}

#[test]
fn a_comment_names_the_generator() {
    let list = DOXYGEN.replace("Oven Class Reference", "Member List");
    assert!(read(&list, "classOven-members.html", &Options::default()).is_err());
    let by_hand = list.replace("<!-- Generated by Doxygen 1.9.1 -->", "");
    assert!(read(&by_hand, "classOven-members.html", &Options::default()).is_ok());
}

#[test]
fn lists_of_the_members_of_a_class_are_left_out() {
    let list = "<title>List of All Members for Oven | Bakery</title><h1>List of All Members for \
        Oven</h1><ul><li><a href='oven.html#bake'><b>bake</b></a>(const Bread &amp;)</ul>";
    assert!(read(list, "oven-members.html", &Options::default()).is_err());
    assert!(read(list, "oven.html", &Options::default()).is_ok());
    let staff = "<title>Our members</title><h1>Our members</h1><p><a href=a>Ann</a> bakes.</p>";
    assert!(read(staff, "bakery-members.html", &Options::default()).is_ok());
}

#[test]
fn a_template_that_a_theme_copies_is_left_out_and_a_page_about_templates_is_not() {
    let reason = |html: &str| read(html, "page.html", &Options::default()).err();
    for template in [
        "<!-- generated -->\n{% macro head() %}<link href='{{ path }}'>{% endmacro %}",
        "<div class=card>\n {{ page.title }} by the author</div>",
        "{{#each posts}}<p>Text</p>{{/each}}",
    ] {
        assert_eq!(reason(template).as_deref(), Some("a template of a generator"), "{template}");
    }
    for page in [
        "<title>Macros</title><p>{% macro %} defines a macro.",
        "<h1>Macros</h1><p>{% macro %} defines a macro.",
        "<p>Values stand in {{ }}.",
    ] {
        assert_eq!(reason(page), None, "{page}");
    }
}

#[test]
fn labels_of_parts_belong_to_the_section_that_has_an_anchor() {
    check(
        "<h1>Pool</h1><h4 id=.get>get(key)</h4><p>Returns one.</p><h5>Parameters:</h5><p>key\
         <h5>Returns:</h5><p>a value</p><h4 id=.set>set()</h4><p>Sets.",
        "1 Pool: \n4 get(key) #.get: Returns one. / Parameters: / key / Returns: / a value\n\
         4 set() #.set: Sets.",
    );
    // No anchor is near, or the heading has its own.
    check("<h2>Use</h2><h3>Note:</h3><p>Text", "2 Use: \n3 Note:: Text");
    check(
        "<h2 id=use>Use</h2><div><section id=note><h3>Note:</h3><p>Text</section></div>",
        "2 Use #use: \n3 Note: #note: Text",
    );
}

#[test]
fn the_empty_place_for_results_of_a_search_is_no_text() {
    // As HonKit writes it, around and below the text.
    check(
        "<main><div id=book-search-results><div class=search-noresults><h1>A</h1><p>Text</div>\
         <div class=search-results><div><h1><span></span> results matching \"\"</h1><ul></ul></div>\
         <div class=no-results><h1>No results matching \"\"</h1></div></div></div></main>",
        "1 A: Text",
    );
}
