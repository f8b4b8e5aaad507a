//! `findling collection list` and `show`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::collections::{Built, Home, Name, Registry, Settings, State, generation::Generations};
use crate::safe_text::line as clean;
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui, bytes, count, print_json};

/// A collection in JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::commands) struct Row<'a> {
    name: &'a Name,
    settings: &'a Settings,
    /// `false` for a collection that was never built or whose bundle is gone.
    is_built: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<std::path::PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<u64>,
    /// The time at which the sources were last compared with the bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    synced: Option<String>,
    /// Files of the sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    #[serde(flatten)]
    built: Option<Built>,
}

impl<'a> Row<'a> {
    pub fn of(home: &Home, name: &'a Name, settings: &'a Settings) -> Self {
        let generations = Generations::new(home.directory(name, settings));
        let generation = generations.current().ok().flatten();
        let state = generation.as_ref().and_then(|generation| State::read(&generation.state()));
        let bundle = generation.as_ref().map(|generation| generation.bundle());
        Self {
            name,
            settings,
            is_built: bundle.as_ref().is_some_and(|bundle| bundle.is_dir()),
            bundle,
            generation: generation.map(|generation| generation.number()),
            synced: state.as_ref().and_then(State::synced),
            files: state.as_ref().map(|state| state.files.len()),
            built: state.map(|state| state.built),
        }
    }

    fn summary(&self) -> String {
        match (&self.built, self.is_built) {
            (Some(built), true) => format!(
                "{}, {}, {}",
                count(built.pages.into(), "pages"),
                count(built.sections.into(), "sections"),
                bytes(built.bundle_bytes)
            ),
            _ => format!("not built; run `findling sync {}`", self.name),
        }
    }

    fn sources(&self) -> String {
        match self.settings.paths.as_slice() {
            [] => "imported".to_owned(),
            paths => paths
                .iter()
                .map(|path| clean(&path.display().to_string()).into_owned())
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}

/// Lists all collections.
pub fn list(home: &Home, json: bool, ui: &Ui) -> Result<ExitCode> {
    let registry = Registry::read(home)?;
    let rows: Vec<Row<'_>> = registry
        .collections()
        .iter()
        .map(|(name, settings)| Row::of(home, name, settings))
        .collect();
    let mut out = stdout();
    if json {
        let list = serde_json::json!({ "registry": home.registry(), "collections": rows });
        print_json(&list)?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = rows.iter().map(|row| row.name.as_str().len()).max().unwrap_or(0);
    for row in &rows {
        let name = ui.paint(Paint::Bold, &format!("{:width$}", row.name.as_str()));
        let sources = ui.paint(Paint::Dim, &row.sources());
        writeln!(out, "{name}  {}  {sources}", row.summary())?;
    }
    if rows.is_empty() {
        ui.status("Listed", "no collections; `findling collection add NAME PATH` adds one");
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows one collection.
pub fn show(home: &Home, name: &Name, json: bool, ui: &Ui) -> Result<ExitCode> {
    let registry = Registry::read(home)?;
    let settings = registry.get(name)?;
    let row = Row::of(home, name, settings);
    let mut out = stdout();
    if json {
        print_json(&row)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Settings { kind, encoder, exclude, base_url, language, .. } = settings;
    writeln!(out, "{}", ui.paint(Paint::Bold, name.as_str()))?;
    let mut line = |what: &str, value: &str| writeln!(out, "  {what:<9} {}", clean(value));
    line("bundle", &row.summary())?;
    line("sources", &row.sources())?;
    line("kind", &kind.to_string())?;
    line("encoder", encoder)?;
    for (vectors, encoder) in &settings.vectors {
        let built = row.built.as_ref().and_then(|built| built.vectors.get(vectors));
        let size = match built {
            Some(built) => format!(
                "{}, of which {} are its own",
                bytes(built.bundle_bytes),
                bytes(built.own_bytes)
            ),
            None => "not built".to_owned(),
        };
        line("vectors", &format!("{vectors}, by {encoder}, {size}"))?;
    }
    for (what, value) in [("exclude", exclude.join(", ")), ("base-url", base_url.clone())] {
        if !value.is_empty() {
            line(what, &value)?;
        }
    }
    if let Some(language) = language {
        line("language", language)?;
    }
    if settings.tool_output {
        line("indexes", "what tools returned")?;
    }
    if settings.references {
        line("indexes", "lists of references")?;
    }
    if let Some(languages) = &settings.ocr {
        line("indexes", &format!("scans, recognised as {languages}"))?;
    }
    if let Some(path) = &settings.chat_fields {
        line("fields", &path.display().to_string())?;
    }
    if let Some(files) = row.files {
        line("files", &count(files as u64, "files"))?;
    }
    if let Some(synced) = &row.synced {
        line("synced", synced)?;
    }
    if let Some(bundle) = &row.bundle {
        line("path", &bundle.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
