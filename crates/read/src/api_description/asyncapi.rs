//! AsyncAPI 2 and 3: messages that are sent to channels and received from them.

use serde_json::Value;

use super::model::{Api, Field, Group, List, Operation};
use super::schema::{Document, text};

/// Reads a description.
pub(super) fn read(root: &Value) -> Api {
    let document = Document::new(root);
    let info = &root["info"];
    let mut group = Group::default();
    if root["operations"].is_object() {
        for (id, operation) in root["operations"].as_object().into_iter().flatten() {
            group.operations.push(operation_of(&document, id, document.resolve(operation)));
        }
    } else {
        for (address, channel) in root["channels"].as_object().into_iter().flatten() {
            let channel = document.resolve(channel);
            for method in ["publish", "subscribe"] {
                let operation = &channel[method];
                if operation.is_object() {
                    group
                        .operations
                        .push(of_channel(&document, address, method, channel, operation));
                }
            }
        }
    }
    let types = document.named_types(&root["components"]["schemas"]);
    let servers = root["servers"].as_object().into_iter().flatten();
    let servers = servers.map(|(name, server)| {
        let address = [&server["host"], &server["url"]].into_iter().find_map(Value::as_str);
        format!("{} ({name})", address.unwrap_or_default())
    });
    Api {
        title: text(&info["title"]),
        version: text(&info["version"]),
        description: text(&info["description"]),
        servers: servers.collect(),
        groups: vec![group],
        types,
        n_left_out: document.n_left_out(),
    }
}

/// Reads an operation of version 3.
fn operation_of<'a>(document: &Document<'a>, id: &str, operation: &'a Value) -> Operation {
    let channel = document.resolve(&operation["channel"]);
    let messages = [&operation["messages"], &channel["messages"]];
    let messages: Vec<&Value> = match messages.into_iter().find(|it| !it.is_null()) {
        Some(Value::Array(all)) => all.iter().collect(),
        Some(Value::Object(all)) => all.values().collect(),
        _ => Vec::new(),
    };
    let mut read = with_messages(document, channel, &messages);
    read.id = Some(id.to_owned());
    read.method = text(&operation["action"]);
    read.path = text(&channel["address"]);
    read.summary = first_of(&[&operation["title"], &operation["summary"], &channel["title"]]);
    read.description = joined(&[operation, channel], read.description);
    let summary = text(&operation["summary"]);
    if summary != read.summary {
        read.description = format!("{summary}\n\n{}", read.description);
    }
    read
}

/// Reads an operation of version 2.
fn of_channel<'a>(
    document: &Document<'a>,
    address: &str,
    method: &str,
    channel: &'a Value,
    operation: &'a Value,
) -> Operation {
    let message = document.resolve(&operation["message"]);
    let messages: Vec<&Value> = match message["oneOf"].as_array() {
        Some(all) => all.iter().collect(),
        None => vec![message],
    };
    let mut read = with_messages(document, channel, &messages);
    read.id = operation["operationId"].as_str().map(str::to_owned);
    read.method = method.to_owned();
    read.path = address.to_owned();
    read.summary = first_of(&[&operation["summary"]]);
    read.description = joined(&[operation, channel], read.description);
    read
}

/// Returns an operation with the parameters of its channel and the fields of its messages. Its
/// description is the description of the messages.
fn with_messages<'a>(
    document: &Document<'a>,
    channel: &'a Value,
    messages: &[&'a Value],
) -> Operation {
    let mut read = Operation::default();
    let parameters = channel["parameters"].as_object().into_iter().flatten();
    let parameters: Vec<Field> = parameters
        .map(|(name, parameter)| {
            let parameter = document.resolve(parameter);
            let schema =
                if parameter["schema"].is_null() { parameter } else { &parameter["schema"] };
            let (notes, description) = (document.notes(schema), text(&parameter["description"]));
            Field { name: name.clone(), notes, description }
        })
        .collect();
    if !parameters.is_empty() {
        read.lists.push(List { title: "Parameters".to_owned(), fields: parameters });
    }
    let mut said = Vec::new();
    for message in messages {
        let message = document.resolve(message);
        let name = first_of(&[&message["title"], &message["name"]]);
        said.extend([text(&message["summary"]), text(&message["description"])]);
        let payload = document.resolve(&message["payload"]);
        // Version 3 may name the language of the schema.
        let schema = if payload["schema"].is_object() { &payload["schema"] } else { payload };
        for (what, schema) in [("Message", schema), ("Headers", &message["headers"])] {
            let fields = document.fields(schema);
            if !fields.is_empty() || (what == "Message" && !name.is_empty()) {
                read.lists.push(List { title: format!("{what} {name}").trim().to_owned(), fields });
            }
        }
    }
    said.retain(|part| !part.is_empty());
    read.description = said.join("\n\n");
    read
}

fn first_of(values: &[&Value]) -> String {
    values.iter().map(|value| text(value)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// Returns the descriptions of several things, and a further text.
fn joined(things: &[&Value], further: String) -> String {
    let mut parts: Vec<String> = things.iter().map(|it| text(&it["description"])).collect();
    parts.push(further);
    parts.retain(|part| !part.is_empty());
    parts.dedup();
    parts.join("\n\n")
}
