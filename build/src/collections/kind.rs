//! Kinds of a collection's sources.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::Error;
use crate::sources::Format;

/// The name for a kind that is found from the files themselves.
const AUTO: &str = "auto";
/// The name for lock files.
const DEPENDENCIES: &str = "dependencies";
/// Another name for rendered HTML.
const SITE: &str = "site";

/// The kind of a collection's sources: found out from the files, one of the formats that `findling
/// build` reads, or the packages that lock files pin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Kind {
    /// Found out from the files.
    #[default]
    Auto,
    /// A format, regardless of the look of the files.
    Of(Format),
    /// Lock files, and the packages that they pin.
    Dependencies,
}

impl Kind {
    /// Returns the format to read every file as, if it is settled.
    pub fn format(self) -> Option<Format> {
        match self {
            Kind::Auto | Kind::Dependencies => None,
            Kind::Of(format) => Some(format),
        }
    }
}

/// Returns the names of all kinds, for messages and for `--help`.
pub fn names() -> String {
    let formats = Format::ALL.iter().map(ToString::to_string);
    [AUTO, SITE, DEPENDENCIES]
        .into_iter()
        .map(str::to_owned)
        .chain(formats)
        .collect::<Vec<_>>()
        .join(", ")
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(kind: &str) -> Result<Self, Error> {
        match kind {
            AUTO => Ok(Kind::Auto),
            SITE => Ok(Kind::Of(Format::Html)),
            DEPENDENCIES => Ok(Kind::Dependencies),
            other => Format::from_str(other)
                .map(Kind::Of)
                .map_err(|_| Error::BadKind { kind: other.to_owned() }),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Auto => f.write_str(AUTO),
            Kind::Dependencies => f.write_str(DEPENDENCIES),
            Kind::Of(format) => f.write_str(format.name()),
        }
    }
}

impl TryFrom<String> for Kind {
    type Error = Error;

    fn try_from(kind: String) -> Result<Self, Error> {
        kind.parse()
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> Self {
        kind.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_a_kind_and_site_is_html() {
        assert_eq!("auto".parse::<Kind>().unwrap(), Kind::Auto);
        assert_eq!("dependencies".parse::<Kind>().unwrap(), Kind::Dependencies);
        assert_eq!("site".parse::<Kind>().unwrap(), Kind::Of(Format::Html));
        for format in Format::ALL {
            let kind = Kind::Of(format);
            assert_eq!(kind.to_string().parse::<Kind>().unwrap(), kind);
            assert!(names().contains(&kind.to_string()));
        }
        assert!(matches!("floppy".parse::<Kind>(), Err(Error::BadKind { .. })));
    }
}
