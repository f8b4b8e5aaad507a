//! Notebooks (`.ipynb`): cells of Markdown, and cells of code as code blocks. The output of the
//! code is left out.

use serde_json::Value;

/// Returns a notebook as Markdown.
///
/// # Errors
/// The reason, if it is not a notebook.
pub(super) fn to_markdown(text: &str) -> Result<String, String> {
    let notebook: Value = serde_json::from_str(text)
        .map_err(|error| format!("expected a notebook, which is JSON, found an error: {error}"))?;
    // Version 3 has its cells in a worksheet.
    let cells = notebook["cells"]
        .as_array()
        .or_else(|| notebook["worksheets"][0]["cells"].as_array())
        .ok_or("expected a notebook with `cells`, found JSON without them")?;
    let metadata = &notebook["metadata"];
    let language = ["language_info", "kernelspec"]
        .iter()
        .find_map(|key| {
            metadata[key]["name"].as_str().or_else(|| metadata[key]["language"].as_str())
        })
        .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric()))
        .unwrap_or_default();
    let mut markdown = String::new();
    for cell in cells {
        let source = ["source", "input"].iter().find_map(|key| source(&cell[key]));
        let Some(source) = source.filter(|source| !source.trim().is_empty()) else { continue };
        match cell["cell_type"].as_str().unwrap_or_default() {
            "code" => {
                let fence = "`".repeat(longest_run(&source, '`').max(2) + 1);
                let code = source.trim_end_matches('\n');
                markdown.push_str(&format!("{fence}{language}\n{code}\n{fence}\n"));
            }
            "heading" => {
                let level = cell["level"].as_u64().unwrap_or(1).clamp(1, 6) as usize;
                markdown.push_str(&format!("{} {}\n", "#".repeat(level), source.trim()));
            }
            "markdown" => {
                markdown.push_str(&source);
                markdown.push('\n');
            }
            _ => continue,
        }
        markdown.push('\n');
    }
    Ok(markdown)
}

/// Returns a string, or a list of lines with their ends.
fn source(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => Some(lines.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_markdown() {
        let notebook = r##"{"cells": [
            {"cell_type": "markdown", "source": ["# Tides\n", "Text"]},
            {"cell_type": "code", "source": "print('```')", "outputs": [{"text": "unseen"}]},
            {"cell_type": "raw", "source": "unseen"}
        ], "metadata": {"language_info": {"name": "python"}}}"##;
        assert_eq!(
            to_markdown(notebook).unwrap(),
            "# Tides\nText\n\n````python\nprint('```')\n````\n\n"
        );
    }

    #[test]
    fn version_three_has_worksheets() {
        let notebook = r#"{"worksheets": [{"cells": [
            {"cell_type": "heading", "level": 2, "source": "Tides"},
            {"cell_type": "code", "input": ["a = 1"]}
        ]}]}"#;
        assert_eq!(to_markdown(notebook).unwrap(), "## Tides\n\n```\na = 1\n```\n\n");
    }

    #[test]
    fn other_json_is_no_notebook() {
        assert!(to_markdown("{}").is_err());
        assert!(to_markdown("[").is_err());
    }
}
