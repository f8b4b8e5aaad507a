//! Tests that shells load the completions that are written for them.

use std::process::Command;

const FINDLING: &str = env!("CARGO_BIN_EXE_findling");

#[test]
fn bash_and_zsh_load_the_completions() {
    let shells = [
        ("bash", "-c", "eval \"$($0 completions bash)\" && complete -p findling"),
        (
            "zsh",
            "-fc",
            "autoload -Uz compinit && compinit -D -u && eval \"$($0 completions zsh)\" && \
             print -r -- ${_comps[findling]}",
        ),
    ];
    for (shell, option, script) in shells {
        let Ok(done) = Command::new(shell).args([option, script, FINDLING]).output() else {
            println!("skipped: there is no {shell}");
            continue;
        };
        let (out, err) =
            (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success() && err.is_empty(), "{shell}: {out}{err}");
        assert!(out.contains("_findling"), "{shell}: {out}");
    }
}
