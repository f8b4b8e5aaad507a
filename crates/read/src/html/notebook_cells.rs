//! Cells of notebooks in HTML: the numbers beside them, and the output of their code.

use ego_tree::NodeRef;
use scraper::Node;

use super::attrs::Attrs;

/// Elements around an output up to its cell.
const MAX_LEVELS: usize = 6;

/// Returns whether an element is the number of a cell, `In [1]:`, or the output of its code.
pub(super) fn is_output(node: NodeRef<Node>, attrs: &Attrs) -> bool {
    if attrs.class.is_empty() {
        return false;
    }
    attrs.has_class(|class| {
        matches!(
            class,
            "jp-InputPrompt"
                | "jp-OutputPrompt"
                | "jp-InputArea-prompt"
                | "jp-OutputArea-prompt"
                | "jp-Cell-outputWrapper"
                | "jp-OutputArea"
                | "input_prompt"
                | "output_prompt"
                | "output_wrapper"
                | "nboutput"
                | "cell_output"
                | "cell-output"
        )
    }) || (attrs.has_class(|class| matches!(class, "prompt" | "output" | "output_area"))
        && is_in_cell(node))
}

fn is_in_cell(node: NodeRef<Node>) -> bool {
    node.ancestors().take(MAX_LEVELS).filter_map(|above| above.value().as_element()).any(|above| {
        Attrs::of(above).has_class(|class| {
            matches!(class, "cell" | "code_cell" | "nbinput" | "nboutput" | "jp-Cell")
        })
    })
}
