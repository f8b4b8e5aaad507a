//! The macros of groff_man(7).

use super::roff::{Font, Roff};
use super::writer::Writer;

/// Handles a macro.
pub(super) fn call(name: &str, args: &[String], roff: &Roff<'_>, writer: &mut Writer) {
    let arg = |place: usize| args.get(place).map(String::as_str).unwrap_or_default();
    match name {
        "TH" => writer.title(&roff.plain(arg(0)), &roff.plain(arg(1))),
        "SH" => writer.begin_heading(2, &roff.plain(&args.join(" "))),
        "SS" => writer.begin_heading(3, &roff.plain(&args.join(" "))),
        "PP" | "P" | "LP" | "HP" => {
            writer.paragraph();
            writer.end_entries();
        }
        "TP" => writer.begin_item(),
        // A further tag of the same item.
        "TQ" => writer.end_block(),
        "IP" => {
            writer.begin_item();
            writer.tag(arg(0), roff);
        }
        "RS" => writer.begin_inner(),
        "RE" => writer.end_inner(),
        "B" | "SB" | "I" | "SM" => {
            let font = match name {
                "I" => Font::Italic,
                "SM" => Font::Roman,
                _ => Font::Bold,
            };
            if args.is_empty() {
                writer.next_in(font);
            } else {
                let escape = if font == Font::Italic { 'I' } else { 'B' };
                // In one font, words are separate names.
                let line: Vec<String> =
                    args.iter().map(|arg| format!("\\f{escape}{arg}\\fR")).collect();
                if !writer.takes_line(&line.join(" "), roff) {
                    for (place, arg) in args.iter().enumerate() {
                        if place > 0 {
                            writer.space_between();
                        }
                        writer.in_font(font, arg, roff);
                    }
                    writer.space();
                }
            }
        }
        "BI" | "BR" | "IB" | "IR" | "RB" | "RI" => {
            // The arguments are in the two fonts in turns, without spaces between them.
            let fonts: Vec<char> = name.chars().collect();
            let pieces = args.iter().enumerate();
            let line: String =
                pieces.map(|(place, arg)| format!("\\f{}{arg}\\fR", fonts[place % 2])).collect();
            if !writer.takes_line(&line, roff) {
                writer.in_font(Font::Roman, &line, roff);
                writer.space();
            }
        }
        "UR" | "MT" | "UE" | "ME" => {
            writer.in_font(Font::Roman, arg(0), roff);
            writer.space();
        }
        "SY" => {
            writer.end_block();
            writer.in_font(Font::Bold, arg(0), roff);
            writer.space();
        }
        "OP" => {
            let value =
                if arg(1).is_empty() { String::new() } else { format!(" \\fI{}\\fR", arg(1)) };
            writer.in_font(Font::Roman, &format!("[\\fB{}\\fR{value}]", arg(0)), roff);
            writer.space();
        }
        "YS" => writer.end_block(),
        "MR" => {
            writer.in_font(Font::Roman, &format!("{}({}){}", arg(0), arg(1), arg(2)), roff);
            writer.space();
        }
        // An unknown macro: its text must not be lost.
        _ => writer.text_line(&args.join(" "), roff),
    }
}
