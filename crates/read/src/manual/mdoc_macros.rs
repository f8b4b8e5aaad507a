//! The macros of mdoc(7), which mark the meaning of words: an option, an argument, a path.
//!
//! Macros are among the words of a line, and each applies up to the next macro: `.Fl a Ar file`.

use super::roff::{Font, Roff};
use super::writer::Writer;

/// Handles a macro at the beginning of a line.
pub(super) fn call(name: &str, args: &[String], roff: &Roff<'_>, writer: &mut Writer) {
    let plain = || roff.plain(&args.join(" "));
    match name {
        "Dd" | "Os" | "Tg" | "Sm" | "Bk" | "Ek" | "St" => {}
        "Dt" => {
            let arg = |place: usize| args.get(place).map(String::as_str).unwrap_or_default();
            writer.title(&roff.plain(arg(0)).to_lowercase(), arg(1));
        }
        "Sh" => writer.begin_heading(2, &plain()),
        "Ss" => writer.begin_heading(3, &plain()),
        "Pp" | "Lp" => writer.paragraph(),
        "Bl" => writer.begin_inner(),
        "El" => writer.end_inner(),
        "It" => {
            writer.begin_item();
            writer.tag(&line_of(args, writer), roff);
        }
        "Bd" if args.iter().any(|arg| matches!(arg.as_str(), "-literal" | "-unfilled")) => {
            writer.begin_code();
        }
        "Bd" => writer.paragraph(),
        "Ed" => {
            writer.end_code();
            writer.paragraph();
        }
        "Dl" | "D1" => {
            writer.end_block();
            writer.in_font(Font::Roman, &line_of(args, writer), roff);
            writer.end_block();
        }
        "Nm" if writer.name.is_empty() => {
            writer.name = args.first().cloned().unwrap_or_default();
            with_macro(name, args, roff, writer);
        }
        _ => with_macro(name, args, roff, writer),
    }
}

fn with_macro(name: &str, args: &[String], roff: &Roff<'_>, writer: &mut Writer) {
    let mut all = vec![name.to_owned()];
    all.extend_from_slice(args);
    let line = line_of(&all, writer);
    if !writer.takes_line(&line, roff) {
        writer.text_line(&line, roff);
    }
}

/// The font of a macro's words, and the marks around them.
struct Form {
    font: Font,
    /// In front of each word.
    prefix: &'static str,
    open: &'static str,
    close: &'static str,
}

/// Returns the form of the words after a macro; `None` if the word is no macro.
fn form(name: &str) -> Option<Form> {
    let form = |font, prefix, open, close| Some(Form { font, prefix, open, close });
    match name {
        "Fl" => form(Font::Bold, "-", "", ""),
        "Cm" | "Ic" | "Nm" | "Fn" | "Fo" | "Li" | "Sy" | "Cd" | "In" | "Dv" | "Er" | "Ev"
        | "Va" | "Ft" | "Vt" | "Fd" | "Ms" | "Ql" => form(Font::Bold, "", "", ""),
        "Ar" | "Fa" | "Em" | "Pa" | "Ad" | "Lk" | "Mt" | "Tn" | "An" | "%A" | "%T" | "%B"
        | "%J" | "%D" | "%I" | "%P" | "%V" | "%N" | "%R" | "%O" | "%U" | "%C" | "%Q" => {
            form(Font::Italic, "", "", "")
        }
        "Op" | "Bq" | "Oo" | "Bo" => form(Font::Roman, "", "[", "]"),
        "Pq" | "Po" => form(Font::Roman, "", "(", ")"),
        "Aq" | "Ao" => form(Font::Roman, "", "<", ">"),
        "Brq" | "Bro" => form(Font::Roman, "", "{", "}"),
        "Dq" | "Do" => form(Font::Roman, "", "\u{201c}", "\u{201d}"),
        "Sq" | "So" => form(Font::Roman, "", "\u{2018}", "\u{2019}"),
        "Qq" | "Qo" => form(Font::Roman, "", "\"", "\""),
        "No" | "Nd" | "Xo" | "Xc" | "Oc" | "Bc" | "Pc" | "Ac" | "Brc" | "Dc" | "Sc" | "Qc"
        | "Fc" | "Ns" | "Ap" | "Pf" | "Xr" | "Sx" | "Bx" | "Fx" | "Nx" | "Ox" | "Dx" | "Ux"
        | "At" | "Bsx" | "Eo" | "Ec" | "Ta" | "Ex" | "Rv" | "Rs" | "Re" | "Bt" | "Ud" | "Lb"
        | "Db" | "Es" | "En" | "Hf" | "Fr" | "Ot" => form(Font::Roman, "", "", ""),
        _ => None,
    }
}

/// Returns the name of a system that has a macro.
fn system(name: &str) -> Option<&'static str> {
    Some(match name {
        "Bx" => "BSD",
        "Fx" => "FreeBSD",
        "Nx" => "NetBSD",
        "Ox" => "OpenBSD",
        "Dx" => "DragonFly",
        "Bsx" => "BSD/OS",
        "Ux" => "UNIX",
        "At" => "AT&T UNIX",
        _ => return None,
    })
}

/// The text of a line under construction.
#[derive(Default)]
struct Out {
    text: String,
    /// Whether the next word follows without a space.
    joins: bool,
}

impl Out {
    fn word(&mut self, text: &str) {
        // `\&.` is a word like `.`.
        let bare = text.trim_start_matches("\\&");
        let is_closing = matches!(bare, "." | "," | ";" | ":" | ")" | "]" | "?" | "!");
        if !self.text.is_empty() && !std::mem::take(&mut self.joins) && !is_closing {
            self.text.push(' ');
        }
        self.text.push_str(text);
        self.joins = matches!(text, "(" | "[");
    }

    fn open(&mut self, mark: &str) {
        if !mark.is_empty() {
            self.word(mark);
            self.joins = true;
        }
    }
}

/// Returns the words of a line with its macros applied, with escapes for fonts.
fn line_of(args: &[String], writer: &Writer) -> String {
    let mut out = Out::default();
    let mut closing: Vec<&str> = Vec::new();
    let mut current = Form { font: Font::Roman, prefix: "", open: "", close: "" };
    // Whether the current macro has had a word.
    let mut has_word = true;
    let mut name = "";
    for word in args {
        let Some(next) = form(word) else {
            let is_punctuation =
                matches!(word.as_str(), "." | "," | ";" | ":" | ")" | "]" | "?" | "!" | "(" | "|");
            if is_punctuation && !has_word && word != "(" {
                // `.Nm .` is the name and a full stop.
                default_word(name, has_word, &mut out, writer);
                has_word = true;
            }
            match (name, is_punctuation) {
                ("Xr", false) if has_word => {
                    out.joins = true;
                    out.word(&format!("({word})"));
                }
                ("Pf", _) => {
                    out.word(word);
                    out.joins = true;
                    name = "";
                }
                ("Fn" | "Fo", false) if !has_word => out.word(&format!("\\fB{word}\\fR()")),
                ("Fl", false) if word.starts_with("\\-") || word.starts_with('-') => {
                    out.word(&format!("\\fB-{word}\\fR"));
                }
                (_, false) if current.font != Font::Roman => {
                    let font = if current.font == Font::Bold { 'B' } else { 'I' };
                    out.word(&format!("\\f{font}{}{word}\\fR", current.prefix));
                }
                _ => out.word(word),
            }
            has_word |= !is_punctuation;
            continue;
        };
        default_word(name, has_word, &mut out, writer);
        name = word;
        has_word = false;
        match name {
            "Ns" => {
                out.joins = true;
                has_word = true;
            }
            "Ap" => {
                out.joins = true;
                out.word("'");
                out.joins = true;
                has_word = true;
            }
            "Nd" => out.word("\u{2013}"),
            "Ta" => out.word("|"),
            // The ends of brackets that are on their own lines.
            "Oc" | "Bc" => out.word("]"),
            "Pc" => out.word(")"),
            "Ac" => close(&mut out, ">"),
            "Brc" => close(&mut out, "}"),
            "Dc" => close(&mut out, "\u{201d}"),
            "Sc" => close(&mut out, "\u{2019}"),
            "Qc" => close(&mut out, "\""),
            _ => {
                if let Some(system) = system(name) {
                    out.word(system);
                }
                out.open(next.open);
                let lasts = matches!(name, "Oo" | "Bo" | "Po" | "Ao" | "Bro" | "Do" | "So" | "Qo");
                if !next.close.is_empty() && !lasts {
                    closing.push(next.close);
                }
            }
        }
        current = next;
    }
    default_word(name, has_word, &mut out, writer);
    // Punctuation at the end comes after the brackets.
    let mut tail = String::new();
    while !closing.is_empty()
        && let Some(mark) =
            out.text.chars().next_back().filter(|c| matches!(c, '.' | ',' | ';' | ':'))
        && args.last().is_some_and(|last| last.trim_start_matches("\\&").len() == 1)
        && tail.is_empty()
    {
        out.text.pop();
        tail.push(mark);
    }
    for mark in closing.into_iter().rev() {
        close(&mut out, mark);
    }
    out.text + &tail
}

fn close(out: &mut Out, mark: &str) {
    out.joins = true;
    out.word(mark);
    out.joins = false;
}

/// Adds the word that a macro without words means.
fn default_word(name: &str, has_word: bool, out: &mut Out, writer: &Writer) {
    if has_word {
        return;
    }
    match name {
        "Nm" if !writer.name.is_empty() => out.word(&format!("\\fB{}\\fR", writer.name)),
        "Ar" => out.word("\\fIfile ...\\fR"),
        "Fl" => out.word("\\fB-\\fR"),
        _ => {}
    }
}
