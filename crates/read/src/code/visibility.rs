//! Whether other programs can use the symbols of a section: the attribute `visibility` of packages.

use super::lines::Lines;
use super::pieces::Piece;

/// The values of the attribute.
const PUBLIC: &str = "public";
const PRIVATE: &str = "private";

/// Returns the visibility of the symbols of a piece; `None` where the language or the file does not
/// tell. A piece with several symbols is public if one of them is.
pub(super) fn of(language: &str, piece: &Piece, lines: &Lines<'_>) -> Option<&'static str> {
    let names = || piece.name.split(", ");
    let is_public = match language {
        "rust" => piece.is_public?,
        "python" => names().any(|name| !name.split('.').any(is_hidden)),
        "go" => {
            names().any(|name| name.split('.').all(|part| part.starts_with(char::is_uppercase)))
        }
        "typescript" | "tsx" | "javascript" => {
            names().any(|name| !name.split('.').any(is_hidden)) && of_module(piece, lines)?
        }
        _ => return None,
    };
    Some(if is_public { PUBLIC } else { PRIVATE })
}

/// Returns whether a name is hidden by convention: `_name`, but not `__init__`.
fn is_hidden(name: &str) -> bool {
    name.starts_with('#')
        || name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"))
}

/// Returns whether the declaration of a symbol of JavaScript or TypeScript makes it public; `None`
/// where its module decides.
fn of_module(piece: &Piece, lines: &Lines<'_>) -> Option<bool> {
    let signature = lines.get(piece.signature).trim_start();
    if ["private ", "protected ", "static #"].iter().any(|word| signature.starts_with(word)) {
        return Some(false);
    }
    let is_exported = ["export ", "exports.", "module.exports", "declare "];
    let is_exported = is_exported.iter().any(|word| signature.starts_with(word));
    (is_exported || piece.name.contains('.')).then_some(true)
}
