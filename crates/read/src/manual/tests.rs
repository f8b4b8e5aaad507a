use std::io::Write as _;
use std::path::PathBuf;

use super::*;
use crate::{Options, Severity};

const LS: &str = r#".\" A comment.
'\" t
.TH LS 1 "June 2026" "tools 9" "User Commands"
.if t .ds Q ``
.ie n \{\
.ds Q "the
.\}
.el .ds Q ``
.de XX
Never shown.
..
.SH NAME
ls \- list directory contents
.SH SYNOPSIS
.B ls
[\fIOPTION\fR]... [\fIFILE\fR]...
.SH "MORE WORDS"
.PP
Lists \*Q caf\('e\(em\[u2014] \fBLS_COLORS\fP and \fBshouts loudly\fR.
.if n text of the terminal
.if t text of the printer
.TP
.BR \-a ", " \-\-all
do not ignore entries
.RS
.PP
more of all
.RE
.TP
\fB\-\-block\-size\fR=\fISIZE\fR
scale sizes
.TQ
.B \-\-old
.IP \(bu 2
a bullet
.IP TERM
the terminal
.PP
Ends the item.
.nf
  if (a)
      b \\ c
.fi
.SS Exit status
.TS
tab(;) allbox;
l l.
0;T{
all is
well
T}
1;minor
.TE
.UNKNOWN "says something"
.SH
SEE ALSO
.BR dir (1),
.BR vdir (1)
"#;

fn text_of(section: &Section) -> String {
    section.blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn outline_of(text: &str) -> Vec<(u8, String, Option<String>, String)> {
    let sections = read(text.as_bytes()).unwrap().sections;
    sections
        .iter()
        .map(|it| (it.level, it.heading.clone(), it.anchor.clone(), text_of(it)))
        .collect()
}

fn check(text: &str, expected: &[(u8, &str, &str, &str)]) {
    let found = outline_of(text);
    let found: Vec<(u8, &str, &str, &str)> = found
        .iter()
        .map(|(level, heading, anchor, text)| {
            (*level, heading.as_str(), anchor.as_deref().unwrap_or_default(), text.as_str())
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn macros_of_man_make_sections_and_options() {
    assert_eq!(read(LS.as_bytes()).unwrap().title.as_deref(), Some("ls(1)"));
    check(
        LS,
        &[
            (1, "ls(1)", "", ""),
            (2, "NAME", "NAME", "ls - list directory contents"),
            (2, "SYNOPSIS", "SYNOPSIS", "ls [OPTION]... [FILE]..."),
            (
                2,
                "MORE WORDS",
                "MORE_WORDS",
                "Lists the caf\u{e9}\u{2014}\u{2014} LS_COLORS and shouts loudly. text of the \
                 terminal\na bullet\nTERM the terminal\nEnds the item.\nif (a)\n    b \\ c",
            ),
            (3, "-a, --all", "-a", "do not ignore entries\nmore of all"),
            (3, "--block-size=SIZE", "--block-size", "scale sizes\n--old"),
            (3, "Exit status", "Exit_status", "0 | all is well\n1 | minor\nsays something"),
            (2, "SEE ALSO", "SEE_ALSO", "dir(1), vdir(1)"),
        ],
    );
    // Names are code, sentences are not.
    let sections = read(LS.as_bytes()).unwrap().sections;
    let block = &sections[3].blocks[0];
    let codes: Vec<&str> =
        block.code.iter().map(|&(from, to)| &block.text[from as usize..to as usize]).collect();
    assert_eq!(codes, ["LS_COLORS"]);
}

#[test]
fn macros_of_mdoc_make_sections_and_options() {
    let cat = ".Dd June 1, 2026\n.Dt CAT 1\n.Os\n.Sh NAME\n.Nm cat\n.Nd concatenate files\n.Sh \
        SYNOPSIS\n.Nm\n.Op Fl bn\n.Op Fl o Ar out\n.Op Ar\n.Sh DESCRIPTION\nThe\n.Nm ,\n.Nm\n\
        utility reads\n.Ar file ,\nsee\n.Xr head 1 .\n.Bl -tag -width x\n.It Fl b\nNumber the \
        lines .\n.It Fl -number Ns = Ns Ar n\nStart at\n.Ar n .\n.It Ev TERM\nThe terminal\n.El\n\
        .Pp\nIt says\n.Dq done .\n.Bd -literal\ncat a \\e\n  b\n.Ed\n.Oo Fl x\n.Ar y Oc\n";
    check(
        cat,
        &[
            (1, "cat(1)", "", ""),
            (2, "NAME", "NAME", "cat \u{2013} concatenate files"),
            (2, "SYNOPSIS", "SYNOPSIS", "cat [-bn] [-o out] [file ...]"),
            (
                2,
                "DESCRIPTION",
                "DESCRIPTION",
                "The cat, cat utility reads file, see head(1).\nTERM The terminal\nIt says \
                 \u{201c}done\u{201d}.\ncat a \\\n  b\n[-x y]",
            ),
            (3, "-b", "-b", "Number the lines ."),
            (3, "--number=n", "--number", "Start at n."),
        ],
    );
}

#[test]
fn options_of_pages_made_by_docbook_are_sections() {
    let log = ".TH \"GIT\\-LOG\" \"1\"\n.SH \"NAME\"\ngit-log \\- Show\n.SH \"OPTIONS\"\n.PP\n\
        \\-\\-follow, \\-f\n.RS 4\nGoes on\n.sp\nbeyond names\n.RE\n.PP\n\\fB\\-x\\fR\n.RS 4\n\
        Cuts\n.RE\n.PP\nText\n.RS 4\n- no option at all, since it is a long sentence\n.RE\n";
    let found = outline_of(log);
    let found: Vec<(&str, &str)> =
        found.iter().map(|(_, heading, _, text)| (heading.as_str(), text.as_str())).collect();
    assert_eq!(
        found,
        [
            ("git-log(1)", ""),
            ("NAME", "git-log - Show"),
            ("OPTIONS", "Text\n- no option at all, since it is a long sentence"),
            ("--follow, -f", "Goes on\nbeyond names"),
            ("-x", "Cuts"),
        ]
    );
}

#[test]
fn pages_are_known_by_their_names_and_their_beginning() {
    for name in ["ls.1", "open.3pm", "ssl.3ssl", "ls.1.gz", "x.n", "git-log.1"] {
        assert!(has_name(Path::new(name)), "{name}");
    }
    for name in ["libm.so.62", "a.12", "README", "x.nim", "a.md", ".1", "log.1.xz"] {
        assert!(!has_name(Path::new(name)), "{name}");
    }
    assert!(begins_as_one(".\\\" licence\n\n.\\\" more\n.TH A 1\n"));
    assert!(begins_as_one(".Dd $Mdocdate$\n"));
    assert!(!begins_as_one("1999-01-01 start of the log\n.TH\n"));
    assert!(!begins_as_one(""));
}

#[test]
fn hostile_pages_end() {
    let itself = ".TH A 1\n.ds x \\*x\\*x\\*x\\*x\\*x\\*x\\*x\\*x\n\\*x\n";
    assert_eq!(outline_of(itself).len(), 1);
    let deep = format!(".TH A 1\n{}end\n", ".if n \\{\n".repeat(10_000));
    assert_eq!(outline_of(&deep)[0].3, "end");
    let open = format!(".TH A 1\n{}", ".RS\n.TP\n.B \\-x\n".repeat(5_000));
    assert!(outline_of(&open).len() > 1);
    for text in ["\\", "\\f", "\\(", "\\[", "\\s", "\\h", "\\*", ".TH", ".", ".B \"", ".TS", "\\s1"]
    {
        assert!(read(text.as_bytes()).is_ok(), "{text}");
        assert!(read(format!(".SH x\n{text}\u{e9}").as_bytes()).is_ok(), "{text}");
    }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

#[test]
fn a_directory_of_pages_is_read() {
    let files = vec![
        ("man1/ls.1.gz".to_owned(), gzip(LS)),
        ("man1/dir.1".to_owned(), b".so man1/ls.1\n".to_vec()),
        ("man5/log.1".to_owned(), b"no page at all\n".to_vec()),
    ];
    let options = Options { tree: Tree::of_files(files), ..Options::default() };
    let mut problems = Vec::new();
    let pages = crate::read(&[PathBuf::new()], &options, &mut |problem| problems.push(problem));
    assert_eq!(pages.len(), 1);
    assert_eq!((pages[0].title.as_str(), pages[0].url.as_str()), ("ls(1)", "/man1/ls.1.gz"));
    assert!(problems.iter().all(|problem| problem.severity == Severity::Skipped), "{problems:?}");
    assert!(problems.iter().any(|it| it.reason == "is another name of man1/ls.1"), "{problems:?}");
}

#[test]
fn a_damaged_page_is_an_error() {
    let mut bytes = gzip(&LS.repeat(4));
    bytes.truncate(bytes.len() / 2);
    assert!(matches!(read(&bytes), Err(Refused::Damaged(reason)) if reason.contains("gzip")));
}
