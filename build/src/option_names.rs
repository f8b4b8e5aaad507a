//! Names that the command line gives to the options of a build.
//!
//! The library names an option by its field, the messages of the tool by its flag.

use std::error::Error;
use std::fmt;

use crate::site;

/// Returns the flag for a name of the library: the name of a field of [`site::Options`] or of a
/// form of the output.
pub fn flag(option: &str) -> String {
    let flag = if option == "install" { "yes" } else { option };
    format!("--{}", flag.replace('_', "-"))
}

/// An error of a build that names options by their flags.
#[derive(Debug)]
pub struct Flagged(pub site::Error);

impl fmt::Display for Flagged {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.message(&flag))
    }
}

impl Error for Flagged {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// Returns an error of a command. An error of a build names flags. An error of a reader, a model or
/// the index, which a build only hands on, is returned as if the build were not between.
pub fn with_flags(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<site::Error>() {
        Ok(error) => error.into_cause().unwrap_or_else(|error| Flagged(error).into()),
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use clap::Args as _;

    use super::*;
    use crate::commands::build::Args;

    #[test]
    fn every_flag_in_a_message_is_one_of_the_command() {
        let command = Args::augment_args(clap::Command::new("build"));
        let flags: Vec<String> = command
            .get_arguments()
            .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
            .collect();
        let (output, name) = (std::path::PathBuf::from("out"), "findling.js");
        let documents = crate::models::STATIC.to_owned();
        let (expected, found) = ("one".to_owned(), "other".to_owned());
        for error in [
            site::Error::SeveralSites { found: 2 },
            site::Error::NoPagefindUi(output.clone()),
            site::Error::FileName { output: output.clone() },
            site::Error::StandaloneName { output: output.clone() },
            site::Error::NotBelow { directory: output.clone(), output: output.clone() },
            site::Error::StandaloneSize { output, expected: 1, found: 2 },
            site::Error::NoBundleToFind,
            site::Error::SearchPage { found: "/search/".to_owned() },
            site::Error::ClientBesideFile,
            site::Error::NoClient,
            site::Error::ClientFile { name },
            site::Error::OtherTable { expected, found },
            site::Error::QueryEncoder { documents },
            site::Error::TransformerBesideFile { standalone: false },
            site::Error::NoVocabulary,
        ] {
            let message = error.message(&|option| {
                assert!(flags.contains(&flag(option)), "{option}");
                flag(option)
            });
            assert!(message.contains("--"), "{message}");
        }
        assert!(flags.contains(&flag("install")));
    }

    #[test]
    fn an_error_names_flags_and_keeps_its_causes() {
        let source = io::Error::from(io::ErrorKind::NotFound);
        let error = site::Error::Named { option: "synonyms", path: "words".into(), source };
        assert_eq!(error.to_string(), "`synonyms` words: cannot be read");
        let error = with_flags(error.into());
        assert_eq!(error.to_string(), "--synonyms words: cannot be read");
        assert!(error.chain().any(|cause| cause.is::<io::Error>()), "{error:?}");
    }

    #[test]
    fn an_error_that_is_handed_on_is_that_of_its_library() {
        let inner = anyhow::Error::from(io::Error::from(io::ErrorKind::StorageFull));
        let error = with_flags(site::Error::Failed(inner.context("the index")).into());
        assert_eq!(error.to_string(), "the index");
        assert_eq!(error.chain().count(), 2);
        let other = with_flags(anyhow::anyhow!("another command"));
        assert_eq!(other.to_string(), "another command");
    }
}
