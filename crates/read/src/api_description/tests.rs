use std::path::PathBuf;

use findling_bundle::AttributeValue;
use findling_page::page::Page;

use super::*;
use crate::{Options, Problem, Severity};

const HARBOUR: &str = r##"
openapi: 3.1.0
info:
  title: Harbour
  version: 1.2
  description: |
    Berths of a harbour.

    # Signing in

    Send a key.
servers: [{url: https://api.example.org/v1, description: production}]
tags:
  - {name: User Accounts, description: People who moor.}
paths:
  /berths/{berthId}:
    parameters:
      - $ref: "#/components/parameters/berth"
    get:
      tags: [User Accounts]
      operationId: getBerth
      summary: Read a berth
      description: |
        Reads one.

        ## Errors

        Fails in storms.
      responses:
        200:
          description: the berth
          content: {application/json: {schema: {$ref: "#/components/schemas/Berth"}}}
        404: {$ref: "#/components/responses/Missing"}
    delete:
      tags: [User Accounts]
      deprecated: true
      responses: {204: {description: freed}}
  /ping:
    post:
      operationId: ping
      requestBody:
        content:
          application/json:
            schema:
              allOf:
                - $ref: "#/components/schemas/Berth"
                - type: object
                  required: [echo]
                  properties:
                    echo: {type: string, enum: [short, long], description: "What *comes* back"}
components:
  parameters:
    berth: {name: berthId, in: path, required: true, schema: {type: string, pattern: "^b"}}
  responses:
    Missing: {description: no such berth}
  schemas:
    Berth:
      type: object
      description: A place for one boat.
      properties:
        length: {type: number, minimum: 3}
        owner: {$ref: "#/components/schemas/Owner"}
        moorings: {type: array, items: {type: object, properties: {bollard: {type: integer}}}}
    Owner:
      type: object
      properties:
        name: {type: string}
        boats: {type: array, items: {$ref: "#/components/schemas/Berth"}}
"##;

fn text_of(section: &Section) -> String {
    section.blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn section<'a>(sections: &'a [Section], heading: &str) -> &'a Section {
    let headings: Vec<&str> = sections.iter().map(|it| it.heading.as_str()).collect();
    let found = sections.iter().find(|section| section.heading == heading);
    found.unwrap_or_else(|| panic!("no `{heading}` among {headings:?}"))
}

fn anchors(viewer: Viewer) -> Vec<Option<String>> {
    let sections = read_for(HARBOUR, Some(viewer)).unwrap().sections;
    ["Signing in", "User Accounts", "Read a berth", "DELETE /berths/{berthId}", "ping"]
        .map(|heading| section(&sections, heading).anchor.clone())
        .to_vec()
}

#[test]
fn an_operation_is_a_section_with_all_that_is_said_of_it() {
    let Read { title, sections, n_left_out } = read(HARBOUR).unwrap();
    assert_eq!((title.as_deref(), n_left_out), (Some("Harbour"), 0));
    let lead = text_of(&sections[0]);
    for part in ["Version 1.2", "Berths of a harbour.", "https://api.example.org/v1 (production)"] {
        assert!(sections.iter().any(|it| text_of(it).contains(part)), "{part}: {lead}");
    }
    let get = section(&sections, "Read a berth");
    assert_eq!((get.level, get.anchor.as_deref()), (3, Some("getBerth")));
    assert_eq!(get.attributes["method"], AttributeValue::Strings(vec!["get".to_owned()]));
    let text = text_of(get);
    for part in [
        "GET /berths/{berthId}",
        "Reads one.",
        "Errors",
        "Fails in storms.",
        "berthId (path, string, pattern ^b, required)",
        "200: the berth",
        "owner.name",
        "moorings[].bollard",
        "404: no such berth",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let delete = section(&sections, "DELETE /berths/{berthId}");
    assert!(text_of(delete).contains("Deprecated."));
    assert_eq!(delete.anchor.as_deref(), Some("delete-berths-berthid"));
    let ping = section(&sections, "ping");
    assert_eq!(ping.level, 2, "it has no group");
    assert!(text_of(ping).contains("echo (string, one of short, long, required): What comes back"));
    assert!(text_of(ping).contains("length (number, at least 3)"));
    let berth = section(&sections, "Berth");
    assert!(text_of(berth).contains("A place for one boat."));
    // Names are code, so that they are found as they are written.
    let call = get.blocks.iter().find(|block| block.text.starts_with("GET")).unwrap();
    assert_eq!(call.code, [(0, 21)]);
}

#[test]
fn anchors_are_those_of_the_viewer() {
    let some = |anchors: [&str; 5]| anchors.map(|it| Some(it.to_owned())).to_vec();
    assert_eq!(
        anchors(Viewer::Redoc),
        some([
            "section/Signing-in",
            "tag/User-Accounts",
            "tag/User-Accounts/operation/getBerth",
            "tag/User-Accounts/paths/~1berths~1{berthId}/delete",
            "operation/ping",
        ])
    );
    assert_eq!(
        anchors(Viewer::Scalar),
        some([
            "description/signing-in",
            "tag/user-accounts",
            "tag/user-accounts/GET/berths/{berthId}",
            "tag/user-accounts/DELETE/berths/{berthId}",
            "POST/ping",
        ])
    );
    assert_eq!(
        anchors(Viewer::RapiDoc),
        some([
            "signing-in",
            "tag--User-Accounts",
            "get-/berths/-berthId-",
            "delete-/berths/-berthId-",
            "post-/ping",
        ])
    );
    let swagger = |deep_links| anchors(Viewer::SwaggerUi { deep_links });
    assert_eq!(swagger(false), vec![None; 5]);
    assert_eq!(
        swagger(true)[1..],
        some([
            "",
            "/User%20Accounts",
            "/User%20Accounts/getBerth",
            "/User%20Accounts/delete_berths__berthId_",
            "/default/ping",
        ])[1..]
    );
    assert_eq!(
        anchors(Viewer::Elements)[2..],
        some(["", "", "/operations/getBerth", "/paths/berths-berthId/delete", "/operations/ping"])
            [2..]
    );
}

#[test]
fn version_two_has_its_body_among_the_parameters() {
    let text = r##"{"swagger": "2.0", "host": "api.example.org", "basePath": "/v2",
        "info": {"title": "Harbour"},
        "paths": {"/berths": {"post": {"parameters": [
            {"in": "body", "name": "body", "description": "The berth",
             "schema": {"$ref": "#/definitions/Berth"}},
            {"in": "query", "name": "dry", "type": "boolean", "default": false}],
          "responses": {"200": {"description": "ok", "schema": {"$ref": "#/definitions/Berth"}}}}}},
        "definitions": {"Berth": {"properties": {"length": {"type": "number"}}}}}"##;
    let sections = read(text).unwrap().sections;
    let post = text_of(section(&sections, "POST /berths"));
    for part in ["The berth", "length (number)", "dry (query, boolean, default false)"] {
        assert!(post.contains(part), "{part}: {post}");
    }
    assert!(sections.iter().any(|it| text_of(it).contains("https://api.example.org/v2")));
}

#[test]
fn messages_of_asyncapi_are_operations() {
    let two = "asyncapi: 2.6.0\ninfo: {title: Tides}\nchannels:\n  tide/{port}:\n    \
        parameters: {port: {description: A harbour, schema: {type: string}}}\n    subscribe:\n\
      \x20     operationId: onTide\n      summary: Learn of tides\n      message: {title: Tide, \
        summary: The water, payload: {properties: {level: {type: number}}}}\n";
    let three = "asyncapi: 3.0.0\ninfo: {title: Tides}\nchannels:\n  tides:\n    address: \
        tide/{port}\n    parameters: {port: {description: A harbour}}\n    messages:\n      tide: \
        {title: Tide, summary: The water, payload: {properties: {level: {type: number}}}}\n\
        operations:\n  onTide:\n    action: receive\n    title: Learn of tides\n    summary: At \
        each turn\n    channel: {$ref: '#/channels/tides'}\n    messages: [{$ref: \
        '#/channels/tides/messages/tide'}]\n";
    for (text, parts) in [
        (two, &["SUBSCRIBE tide/{port}", "A harbour", "The water", "level (number)"][..]),
        (three, &["RECEIVE tide/{port}", "A harbour", "The water", "level (number)", "At each"]),
    ] {
        let sections = read(text).unwrap().sections;
        let tides = section(&sections, "Learn of tides");
        assert_eq!(tides.anchor.as_deref(), Some("onTide"));
        for part in parts {
            assert!(text_of(tides).contains(part), "{part}: {}", text_of(tides));
        }
    }
}

#[test]
fn the_standard_is_named_at_the_top() {
    for text in [
        "openapi: 3.0.0\n",
        "# a comment\nopenapi: \"3.1.0\"",
        "\u{feff}swagger: '2.0'",
        "{\n  \"openapi\": \"3.0.0\"",
        "{\"info\": {\"title\": \"x\"}, \"asyncapi\": \"3.0.0\"",
    ] {
        assert!(names_standard(text), "{text}");
    }
    for text in [
        "{\"dependencies\": {\"openapi\": \"3.0.0\"",
        "tools:\n  openapi: 3.0.0\n",
        "openapi: see below\n",
        "my-openapi: 3\n",
        "{\"files\": [\"openapi\", 3]",
        "",
    ] {
        assert!(!names_standard(text), "{text}");
    }
}

#[test]
fn circles_and_crowds_of_references_end() {
    let circle = r##"{"openapi": "3.0.0", "paths": {"/a": {"get": {"requestBody": {"content": {
        "a": {"schema": {"$ref": "#/x"}}}}}}}, "x": {"$ref": "#/y"}, "y": {"$ref": "#/x"}}"##;
    assert_eq!(read(circle).unwrap().n_left_out, 0);
    // Each schema refers to all schemas, 300 to the power of the depth.
    let all = (0..300).map(|n| format!("{{\"$ref\": \"#/components/schemas/s{n}\"}}"));
    let all = all.collect::<Vec<_>>().join(",");
    let schemas = (0..300).map(|n| format!("\"s{n}\": {{\"allOf\": [{all}]}}"));
    let text = format!(
        "{{\"openapi\": \"3.0.0\", \"components\": {{\"schemas\": {{{}}}}}}}",
        schemas.collect::<Vec<_>>().join(",")
    );
    let read = read(&text).unwrap();
    assert!(read.left_out().unwrap().contains("very many fields"));
}

#[test]
fn text_of_a_description_stays_text() {
    let text = "openapi: 3.0.0\ninfo: {title: 'A # {#x} `b`'}\npaths:\n  /a`b`/{c}:\n    get: \
        {summary: '## {#api-0} *x* <b>', description: \"```\\n# not closed\", responses: {200: \
        {description: after}}}\n";
    let sections = read(text).unwrap().sections;
    let get = section(&sections, "## {#api-0} *x* <b>");
    assert!(text_of(get).contains("GET /a`b`/{c}"), "{get:?}");
    assert!(text_of(get).contains("# not closed") && text_of(get).contains("200: after"));
    assert_eq!(section(&sections, "A # {#x} `b`").anchor, None);
    assert!(read("{").is_err() && read("a: 1").is_err() && read("a: [").is_err());
}

/// Reads files in memory. Returns the pages and the messages.
fn read_files(files: &[(&str, &str)]) -> (Vec<Page>, Vec<Problem>) {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    let options = Options { tree: Tree::of_files(files), ..Options::default() };
    let mut problems = Vec::new();
    let pages = crate::read(&[PathBuf::new()], &options, &mut |problem| problems.push(problem));
    (pages, problems)
}

#[test]
fn a_page_has_the_operations_that_its_script_shows() {
    let page = |body: &str| format!("<!doctype html><title>Reference</title><body>{body}</body>");
    let json = r#"{"openapi": "3.0.0", "info": {"title": "Harbour"}, "paths": {"/ping":
        {"get": {"summary": "Ask for a sign", "operationId": "ping"}}}}"#;
    let inline = |call: &str| format!("<div id=app></div><script>\n{call}\n</script>");
    for (body, anchor) in [
        ("<redoc spec-url=\"../spec.yaml\"></redoc>".to_owned(), Some("operation/ping")),
        (inline("Redoc.init('/spec.yaml', {}, document.body)"), Some("operation/ping")),
        (inline(&format!("Redoc.init({json}, {{}})")), Some("operation/ping")),
        ("<rapi-doc spec-url=/spec.yaml></rapi-doc>".to_owned(), Some("get-/ping")),
        ("<elements-api apiDescriptionUrl=/spec.yaml>".to_owned(), Some("/operations/ping")),
        (
            inline("SwaggerUIBundle({ url: \"/spec.yaml?v=2\", deepLinking: true })"),
            Some("/default/ping"),
        ),
        (inline("SwaggerUIBundle({ urls: [{ url: '/spec.yaml', name: 'a' }] })"), None),
        (inline(&format!("SwaggerUIBundle({{ 'spec': {json} }})")), None),
        ("<script src=./swagger-initializer.js></script>".to_owned(), None),
        ("<script id=api-reference data-url=/spec.yaml></script>".to_owned(), Some("GET/ping")),
        (inline("Scalar.createApiReference('#app', { url: '/spec.yaml' })"), Some("GET/ping")),
        (format!("<script id=api-reference type=json>{json}</script>"), Some("GET/ping")),
    ] {
        let (pages, problems) = read_files(&[
            ("api/index.html", &page(&body)),
            ("other.html", &page("<p>Boats lie here.")),
            ("spec.yaml", json),
            (
                "api/swagger-initializer.js",
                "window.onload = () => { window.ui = SwaggerUIBundle({url: '../spec.yaml'}) }",
            ),
        ]);
        let told = problems.iter().find(|problem| problem.severity > Severity::Skipped);
        assert!(told.is_none(), "{body}: {problems:?}");
        let api = pages.iter().find(|page| page.url == "/api/").unwrap_or_else(|| panic!("{body}"));
        let ping = section(&api.sections, "Ask for a sign");
        assert_eq!(ping.anchor.as_deref(), anchor, "{body}");
        assert_eq!(pages.len(), 2, "{body}");
    }
}

#[test]
fn a_description_elsewhere_is_named() {
    let redoc = |url: &str| format!("<title>API</title><redoc spec-url=\"{url}\"></redoc>");
    for (url, files) in [
        ("https://api.example.org/openapi.json", vec![]),
        ("absent.json", vec![]),
        ("broken.json", vec![("broken.json", "{\"openapi\":")]),
    ] {
        let page = redoc(url);
        let mut all = vec![("a.html", page.as_str()), ("b.html", "<title>B</title><p>Text")];
        all.extend(files);
        let (_, problems) = read_files(&all);
        assert!(problems.iter().any(|it| it.reason.contains(url)), "{url}: {problems:?}");
    }
}

#[test]
fn a_description_beside_notes_is_a_page() {
    let (pages, problems) = read_files(&[
        ("guide.md", "# Guide\n\nMoor here.\n"),
        ("more.md", "# More\n\nMoor there.\n"),
        ("harbour.yaml", HARBOUR),
        ("package.json", "{\"name\": \"harbour\"}"),
    ]);
    assert!(problems.is_empty(), "{problems:?}");
    let titles: Vec<&str> = pages.iter().map(|page| page.title.as_str()).collect();
    assert_eq!(titles, ["Guide", "Harbour", "More"]);
    let (pages, _) = read_files(&[("harbour.yaml", HARBOUR)]);
    assert_eq!(pages[0].title, "Harbour");
}
