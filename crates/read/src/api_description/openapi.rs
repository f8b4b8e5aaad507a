//! OpenAPI 2 (Swagger) to 3.2: paths with methods, and webhooks.

use serde_json::Value;

use super::model::{Api, Field, Group, List, Operation, Response};
use super::schema::{Document, text};

/// The methods of a path, in the order in which viewers show them.
const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// The name of the group of webhooks.
const WEBHOOKS: &str = "Webhooks";

/// Reads a description.
pub(super) fn read(root: &Value) -> Api {
    let document = Document::new(root);
    let info = &root["info"];
    let mut api = Api {
        title: text(&info["title"]),
        version: text(&info["version"]),
        description: text(&info["description"]),
        servers: servers(root),
        groups: groups(root),
        ..Api::default()
    };
    if api.description.is_empty() {
        api.description = text(&info["summary"]);
    }
    for (key, default_tag) in [("paths", None), ("webhooks", Some(WEBHOOKS))] {
        for (path, item) in root[key].as_object().into_iter().flatten() {
            let item = document.resolve(item);
            for method in METHODS {
                let Some(operation) = item.get(method).filter(|it| it.is_object()) else {
                    continue;
                };
                let tags = operation["tags"].as_array().into_iter().flatten();
                let tags: Vec<&str> = tags.filter_map(Value::as_str).collect();
                let tag = tags.first().copied().or(default_tag).unwrap_or_default();
                let read = operation_of(&document, path, method, item, operation);
                group_of(&mut api.groups, tag).operations.push(read);
            }
        }
    }
    api.groups.retain(|group| !group.operations.is_empty() || !group.description.is_empty());
    for schemas in [&root["components"]["schemas"], &root["definitions"]] {
        api.types.extend(document.named_types(schemas));
    }
    api.n_left_out = document.n_left_out();
    api
}

/// Returns the addresses of servers, each with its description.
fn servers(root: &Value) -> Vec<String> {
    if let Some(host) = root["host"].as_str() {
        let scheme = root["schemes"][0].as_str().unwrap_or("https");
        return vec![format!("{scheme}://{host}{}", text(&root["basePath"]))];
    }
    let servers = root["servers"].as_array().into_iter().flatten();
    servers
        .filter_map(|server| {
            let url = server["url"].as_str().filter(|url| *url != "/")?;
            let said = text(&server["description"]);
            Some(if said.is_empty() { url.to_owned() } else { format!("{url} ({said})") })
        })
        .collect()
}

/// Returns the groups that the description declares, in its order.
fn groups(root: &Value) -> Vec<Group> {
    let tags = root["tags"].as_array().into_iter().flatten();
    tags.filter_map(|tag| {
        let name = text(&tag["name"]);
        let title = [&tag["x-displayName"], &tag["summary"]].into_iter().map(text);
        let title = title.into_iter().find(|it| !it.is_empty()).unwrap_or_else(|| name.clone());
        let description = text(&tag["description"]);
        (!name.is_empty()).then(|| Group { name, title, description, ..Group::default() })
    })
    .collect()
}

fn group_of<'a>(groups: &'a mut Vec<Group>, name: &str) -> &'a mut Group {
    let place = groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
        let (name, title) = (name.to_owned(), name.to_owned());
        groups.push(Group { name, title, ..Group::default() });
        groups.len() - 1
    });
    &mut groups[place]
}

fn operation_of<'a>(
    document: &Document<'a>,
    path: &str,
    method: &str,
    item: &'a Value,
    operation: &'a Value,
) -> Operation {
    // A parameter of the operation replaces the same parameter of its path.
    let mut parameters: Vec<&Value> = Vec::new();
    for list in [&item["parameters"], &operation["parameters"]] {
        for parameter in list.as_array().into_iter().flatten() {
            let parameter = document.resolve(parameter);
            let key = |it: &Value| (text(&it["name"]), text(&it["in"]));
            parameters.retain(|known| key(known) != key(parameter));
            parameters.push(parameter);
        }
    }
    let (body, parameters): (Vec<&Value>, Vec<&Value>) =
        parameters.into_iter().partition(|it| it["in"] == "body");
    let mut lists = Vec::new();
    push_list(&mut lists, "Parameters", parameters.iter().map(|it| parameter(document, it)));
    let mut fields: Vec<Field> =
        body.iter().flat_map(|it| document.fields(&it["schema"])).collect();
    let request = document.resolve(&operation["requestBody"]);
    fields.extend(fields_of_content(document, request));
    push_list(&mut lists, "Request body", fields.into_iter());
    let mut description = vec![text(&operation["description"]), text(&request["description"])];
    description.extend(body.iter().map(|it| text(&it["description"])));
    description.retain(|part| !part.is_empty());
    Operation {
        id: operation["operationId"].as_str().map(str::to_owned),
        summary: Some(text(&operation["summary"]))
            .filter(|summary| !summary.is_empty())
            .unwrap_or_else(|| text(&item["summary"])),
        method: method.to_owned(),
        path: path.to_owned(),
        description: description.join("\n\n"),
        is_deprecated: operation["deprecated"] == true,
        lists,
        responses: responses(document, &operation["responses"]),
    }
}

fn push_list(lists: &mut Vec<List>, title: &str, fields: impl Iterator<Item = Field>) {
    let fields: Vec<Field> = fields.collect();
    if !fields.is_empty() {
        lists.push(List { title: title.to_owned(), fields });
    }
}

fn parameter<'a>(document: &Document<'a>, parameter: &'a Value) -> Field {
    let mut notes = vec![text(&parameter["in"])];
    // Version 2 has the type in the parameter itself.
    let schema = if parameter["schema"].is_null() { parameter } else { &parameter["schema"] };
    notes.extend(document.notes(schema));
    if parameter["required"] == true {
        notes.push("required".to_owned());
    }
    if parameter["deprecated"] == true && !notes.iter().any(|note| note == "deprecated") {
        notes.push("deprecated".to_owned());
    }
    notes.retain(|note| !note.is_empty());
    let own = text(&parameter["description"]);
    let description =
        if own.is_empty() { text(&document.resolve(schema)["description"]) } else { own };
    Field { name: text(&parameter["name"]), notes, description }
}

/// Returns the fields of a body, from its first media type that has a schema.
fn fields_of_content<'a>(document: &Document<'a>, body: &'a Value) -> Vec<Field> {
    let kinds = body["content"].as_object().into_iter().flatten();
    let mut schemas = kinds.map(|(_, media)| &media["schema"]).filter(|it| !it.is_null());
    schemas.next().map(|schema| document.fields(schema)).unwrap_or_default()
}

fn responses<'a>(document: &Document<'a>, responses: &'a Value) -> Vec<Response> {
    let all = responses.as_object().into_iter().flatten();
    all.map(|(status, response)| {
        let response = document.resolve(response);
        let headers = response["headers"].as_object().into_iter().flatten();
        let mut names: Vec<String> = headers.map(|(name, _)| name.clone()).collect();
        let mut fields = fields_of_content(document, response);
        fields.extend(document.fields(&response["schema"]));
        names.extend(fields.into_iter().map(|field| field.name));
        Response { status: status.clone(), description: text(&response["description"]), names }
    })
    .collect()
}
