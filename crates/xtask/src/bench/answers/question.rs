//! Questions with the sections and the words that answer them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// Half of the set, chosen by site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Split {
    /// The half for development of the engine.
    Dev,
    /// The half for reporting only.
    Test,
}

impl Split {
    pub fn of(name: &str) -> Result<Self> {
        match name {
            "dev" => Ok(Self::Dev),
            "test" => Ok(Self::Test),
            other => bail!("expected the half `dev` or `test`, found `{other}`"),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Test => "test",
        }
    }
}

/// A question with its answers.
#[derive(Clone, Debug)]
pub struct Question {
    pub site: String,
    pub split: Split,
    pub text: String,
    /// The kind: how, what, why, error, compare or code.
    pub kind: String,
    /// Paths of the pages that answer.
    pub pages: Vec<String>,
    /// The sections that answer: `PATH#ANCHOR`, or `PATH` for the text before the first heading.
    pub sections: Vec<String>,
    /// Stretches of the page that answer, word for word.
    pub quotes: Vec<String>,
}

/// Reads all `.jsonl` files of a directory, in the order of their names.
pub fn read(directory: &Path) -> Result<Vec<Question>> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .with_context(|| format!("questions: {}", directory.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let mut questions = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            questions.push(parse(line).with_context(|| format!("{}:{number}", file.display()))?);
        }
    }
    Ok(questions)
}

fn parse(line: &str) -> Result<Question> {
    let value: Value = serde_json::from_str(line).context("expected a line of JSON")?;
    let text = |key: &str| -> Result<String> {
        let text = value[key].as_str().with_context(|| format!("expected a text `{key}`"))?;
        Ok(text.to_owned())
    };
    let texts = |key: &str| -> Result<Vec<String>> {
        let list = value[key].as_array().with_context(|| format!("expected a list `{key}`"))?;
        let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
        texts.collect::<Option<_>>().with_context(|| format!("expected texts in `{key}`"))
    };
    let question = Question {
        site: text("site")?,
        split: Split::of(&text("split")?)?,
        text: text("question")?,
        kind: text("kind")?,
        pages: texts("pages")?,
        sections: texts("sections")?,
        quotes: texts("quotes")?,
    };
    ensure!(
        ![&question.pages, &question.sections, &question.quotes].iter().any(|list| list.is_empty()),
        "`{}`: expected a page, a section and a quote at least",
        question.text
    );
    Ok(question)
}
