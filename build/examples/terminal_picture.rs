//! Draws the screen of a program at a terminal as an SVG, after keys were pressed:
//!
//! ```sh
//! cargo run --release -p findling --example terminal_picture -- 30x100 tui.svg \
//!     "share data between threads" target/release/findling tui BUNDLE
//! ```
//!
//! The program runs in its own terminal. Once the screen no longer changes, it is drawn.
//! `docs/tui.svg` was made so.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::num::NonZeroU16;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use vt100::{Cell, Color, Parser, Screen};

/// Width of a character and height of a line, in pixels.
const COLUMN: f64 = 7.8;
const LINE: f64 = 19.0;

/// Space around the text, and height of the bar above it.
const MARGIN: f64 = 18.0;
const BAR: f64 = 34.0;

/// The screen is drawn when nothing has changed for so long.
const QUIET: Duration = Duration::from_secs(2);

const TEXT: &str = "#d6dae3";
const GROUND: &str = "#14171f";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [size, picture, keys, program, rest @ ..] = &arguments[..] else {
        bail!("expected LINESxCOLUMNS PICTURE KEYS PROGRAM ARGUMENT...");
    };
    let (rows, cols) = size.split_once('x').context("expected LINESxCOLUMNS")?;
    let (rows, cols): (NonZeroU16, NonZeroU16) = (rows.parse()?, cols.parse()?);
    let size = PtySize { rows: rows.get(), cols: cols.get(), pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size)?;
    let mut command = CommandBuilder::new(program);
    command.args(rest);
    command.cwd(std::env::current_dir()?);
    command.env("TERM", "xterm-256color");
    command.env_remove("NO_COLOR");
    let mut child = pair.slave.spawn_command(command)?;
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader()?;
    let (send, output) = channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 1 << 14];
        while let Ok(n @ 1..) = reader.read(&mut bytes) {
            if send.send(bytes[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut parser = Parser::new(rows, cols, 0);
    let mut typing = pair.master.take_writer()?;
    until_quiet(&output, &mut parser)?;
    typing.write_all(keys.as_bytes())?;
    typing.flush()?;
    until_quiet(&output, &mut parser)?;
    let shown = svg(parser.screen());
    child.kill()?;
    std::fs::write(picture, shown).with_context(|| picture.clone())
}

fn until_quiet(output: &Receiver<Vec<u8>>, parser: &mut Parser) -> Result<()> {
    loop {
        match output.recv_timeout(QUIET) {
            Ok(bytes) => parser.process(&bytes),
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("the program ended: {}", parser.screen().contents())
            }
        }
    }
}

fn svg(screen: &Screen) -> String {
    let (rows, cols) = (screen.size().0.get(), screen.size().1.get());
    let width = f64::from(cols) * COLUMN + 2.0 * MARGIN;
    let height = BAR + f64::from(rows) * LINE + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n\
         <title>A terminal with findling tui</title>\n\
         <style>text {{ font: 13px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; \
         fill: {TEXT}; white-space: pre }}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{GROUND}\"/>\n"
    );
    for (i, colour) in ["#f1665b", "#f2bd4b", "#5fc266"].iter().enumerate() {
        let x = MARGIN + 6.0 + i as f64 * 18.0;
        let _ = writeln!(svg, "<circle cx=\"{x:.0}\" cy=\"18\" r=\"5.5\" fill=\"{colour}\"/>");
    }
    for row in 0..rows {
        let mut column = 0;
        while column < cols {
            let Some(first) = screen.cell(row, column) else { break };
            let (start, look) = (column, look(first));
            let mut text = String::new();
            while let Some(cell) = screen.cell(row, column).filter(|cell| self::look(cell) == look)
            {
                if !cell.is_wide_continuation() {
                    text.push_str(if cell.has_contents() { cell.contents() } else { " " });
                }
                column += 1;
            }
            run(&mut svg, (row, start, column - start), &look, &text);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Colours and style of a cell: cells that look alike are drawn together.
#[derive(PartialEq)]
struct Look {
    colour: Color,
    bold: bool,
    dim: bool,
    underline: bool,
    inverse: bool,
}

fn look(cell: &Cell) -> Look {
    Look {
        colour: cell.fgcolor(),
        bold: cell.bold(),
        dim: cell.dim(),
        underline: cell.underline(),
        inverse: cell.inverse(),
    }
}

/// Draws a run of cells that look alike.
fn run(svg: &mut String, (row, column, cells): (u16, u16, u16), look: &Look, text: &str) {
    let x = MARGIN + f64::from(column) * COLUMN;
    let (top, width) = (BAR + f64::from(row) * LINE, f64::from(cells) * COLUMN);
    if look.inverse {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{LINE}\" \
             fill=\"#343b4f\"/>"
        );
    }
    if text.trim().is_empty() {
        return;
    }
    let mut style = format!("fill:{}", colour(look.colour));
    for (is_so, rule) in [
        (look.bold, ";font-weight:700"),
        (look.dim, ";opacity:0.65"),
        (look.underline, ";text-decoration:underline"),
    ] {
        style += if is_so { rule } else { "" };
    }
    let baseline = top + LINE * 0.74;
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{baseline:.1}\" textLength=\"{width:.1}\" \
         style=\"{style}\" xml:space=\"preserve\">{text}</text>"
    );
}

fn colour(colour: Color) -> &'static str {
    match colour {
        Color::Idx(1 | 9) => "#f1665b",
        Color::Idx(2 | 10) => "#7fd49a",
        Color::Idx(3 | 11) => "#f2bd4b",
        Color::Idx(4 | 12) => "#8fb0ff",
        Color::Idx(5 | 13) => "#d39bf0",
        Color::Idx(6 | 14) => "#7cc7e8",
        _ => TEXT,
    }
}
