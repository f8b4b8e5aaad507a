//! The first page of `findling --help`: five commands with an example each, the others in groups.

/// The template of the page. `findling COMMAND --help` describes a command.
pub const TEMPLATE: &str = "\
{about}

{usage-heading} {usage}

Start with
  findling find \"where are retries configured\"      this repository first, then all collections
  findling collection add notes ~/notes             keep an index of a directory; `sync` updates it
  findling context \"how do retries work\"            passages to quote, within a number of tokens
  findling mcp                                      answer assistants (Model Context Protocol)
  findling build _site -o _site/findling            index a site for its readers

Search       find, search, similar, relevance, tui, repl, explain
             last, open, show, resume (hits of the last search), history, feedback, learn
Collections  collection, sync, note
Assistants   context, mcp, agents
Sites        init, build, merge, pagefind, serve, deploy
Measure      inspect, eval, report
Data         sections, embed, models, distill
This tool    config, completions, man, help

`findling COMMAND --help` describes a command. In code, \"text in quotes\" is found to the
character, /a regular.*expression/ as well, and `fn name` or `class Name` leads to the definition.

Options:
{options}{after-help}
";

/// Returns the command to use instead of a missing one that people expect under another name.
pub fn instead_of(command: &str) -> Option<&'static str> {
    Some(match command {
        "add" | "index" | "import" | "ingest" => "findling collection add NAME DIRECTORY",
        "grep" | "rg" | "query" | "ask" | "lookup" | "locate" => "findling find QUERY",
        "update" | "refresh" | "reindex" | "rebuild" | "watch" => "findling sync",
        "list" | "ls" | "collections" | "status" => "findling collection list",
        "remove" | "rm" | "delete" | "drop" => "findling collection remove NAME",
        "read" | "cat" | "view" => "findling show PAGE",
        "server" | "start" | "web" | "ui" | "app" => "findling serve",
        "setup" | "new" | "create" => "findling init, or findling collection add NAME DIRECTORY",
        _ => return None,
    })
}

/// Returns whether the page names a command.
pub fn names(command: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    TEMPLATE.split(|c| !is_part(c)).any(|word| word == command)
}
