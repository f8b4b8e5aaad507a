//! Draws the screen.
//!
//! ```text
//! query                                   mode
//! filter, if there is one
//! what was found
//! results           | facets
//! ------------------
//! preview
//! status of the index                     keys
//! ```
//!
//! On a wide screen the preview is beside the results. On a narrow one it is below them, so that a
//! terminal which orders right-to-left text itself never moves text from one pane into the other.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line as Text, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::app::{App, Focus};
use super::facets::{Entry, entries};
use super::index_state::State;
use super::keys::BINDINGS;
use super::line_edit::LineEdit;
use super::offer::Offer;
use super::rows::Row;
use super::styled::{Kind, Line, Piece, cut, wrap};
use super::theme::Theme;
use crate::safe_text::line;
use crate::ui::count;

/// From this width on the preview is beside the results.
const WIDE: u16 = 110;

/// Columns of the facets.
const FACETS: u16 = 28;

/// Columns of a frame that is drawn over the rest.
const OVER: u16 = 78;

/// Lines of a result.
const ROW: u16 = 2;

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, app: &mut App, theme: Theme) {
    let area = frame.area();
    let has_filter =
        app.focus == Focus::Filter || !app.filter.text().is_empty() || !app.chosen.is_empty();
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(u16::from(has_filter)),
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
    ]);
    let [query, filter, summary, main, status] = rows.areas(area);
    draw_query(frame, query, app, theme);
    if has_filter {
        draw_filter(frame, filter, app, theme);
    }
    draw_summary(frame, summary, app, theme);
    draw_main(frame, main, app, theme);
    draw_status(frame, status, app, theme);
    if app.shows_help {
        draw_help(frame, area, theme);
    }
    if let Some(offer) = &app.offer {
        draw_offer(frame, area, offer, theme);
    }
}

fn draw_main(frame: &mut Frame<'_>, area: Rect, app: &mut App, theme: Theme) {
    let facets = if app.shows_facets { FACETS.min(area.width / 2) } else { 0 };
    let [left, right] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(facets)]).areas(area);
    let halves = [Constraint::Percentage(50), Constraint::Percentage(50)];
    let is_wide = left.width >= WIDE;
    let [results, preview] = if is_wide {
        Layout::horizontal(halves).areas(left)
    } else {
        Layout::vertical(halves).areas(left)
    };
    draw_results(frame, results, app, theme);
    draw_preview(frame, preview, app, theme, is_wide);
    if app.shows_facets {
        draw_facets(frame, right, app, theme);
    }
}

/// Returns a line of pieces in the theme.
fn text(pieces: &[Piece], theme: Theme) -> Text<'static> {
    let span = |piece: &Piece| Span::styled(piece.text.clone(), theme.style(piece.kind));
    Text::from_iter(pieces.iter().map(span))
}

/// Draws an editable line after a prompt, and puts the cursor into it if it has the focus.
fn draw_edit(
    frame: &mut Frame<'_>,
    area: Rect,
    prompt: &str,
    edit: &LineEdit,
    style: Option<Style>,
) {
    let room = usize::from(area.width).saturating_sub(prompt.width());
    let visible = edit.visible(room);
    let spans =
        [Span::styled(prompt.to_owned(), style.unwrap_or_default()), line(visible.text).into()];
    frame.render_widget(Paragraph::new(Text::from_iter(spans)), area);
    if style.is_some() && area.width > 0 {
        let column = (prompt.width() + visible.cursor).min(usize::from(area.width) - 1);
        frame.set_cursor_position(Position::new(area.x + column as u16, area.y));
    }
}

fn draw_query(frame: &mut Frame<'_>, area: Rect, app: &App, theme: Theme) {
    let mode = format!(" {} ", app.mode.name());
    let [left, right] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(mode.width() as u16)])
            .areas(area);
    let focus = (app.focus == Focus::Query).then(|| theme.focus());
    draw_edit(frame, left, "> ", &app.query, focus);
    frame.render_widget(Paragraph::new(mode).style(theme.selected()), right);
}

fn draw_filter(frame: &mut Frame<'_>, area: Rect, app: &App, theme: Theme) {
    let chosen: Vec<String> =
        app.chosen.iter().map(|(name, values)| format!("{name}={}", values.join("|"))).collect();
    let chosen = line(&chosen.join(" ")).into_owned();
    let width = (chosen.width() as u16).min(area.width / 2);
    let [left, right] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(width)]).areas(area);
    let focus = (app.focus == Focus::Filter).then(|| theme.focus());
    draw_edit(frame, left, "filter: ", &app.filter, focus);
    let chosen = cut(&[Piece::new(chosen, Kind::Heading)], usize::from(width));
    frame.render_widget(Paragraph::new(text(&chosen, theme)), right);
}

fn draw_summary(frame: &mut Frame<'_>, area: Rect, app: &App, theme: Theme) {
    let summary = &app.summary;
    let mut pieces = Vec::new();
    if let Some(error) = &app.error {
        let line = Text::styled(error.clone(), theme.warning());
        return frame.render_widget(Paragraph::new(line), area);
    }
    if !summary.words.is_empty() {
        let found = format!(
            "{}, {} ({}{})",
            count(summary.pages, "pages"),
            count(summary.sections, "sections"),
            summary.words,
            if summary.is_waiting { ", more to come" } else { "" }
        );
        pieces.push(Piece::new(found, Kind::Dim));
    }
    for remark in &app.remarks {
        pieces.push(Piece::new(format!("  {remark}"), Kind::Heading));
    }
    let shown = cut(&pieces, usize::from(area.width));
    frame.render_widget(Paragraph::new(text(&shown, theme)), area);
}

fn draw_results(frame: &mut Frame<'_>, area: Rect, app: &mut App, theme: Theme) {
    app.page_rows = usize::from(area.height / ROW).max(1);
    let first = (app.rows.selected() / app.page_rows) * app.page_rows;
    let several = app.bundles.len() > 1;
    for (place, row) in app.rows.list().iter().enumerate().skip(first).take(app.page_rows) {
        let y = area.y + (place - first) as u16 * ROW;
        let height = ROW.min(area.bottom().saturating_sub(y));
        let area = Rect { y, height, ..area };
        let bundle = app.bundles.get(row.bundle).filter(|_| several);
        let lines =
            result(row, place, bundle.map(|bundle| &*bundle.name), app.explains, area.width);
        let lines: Vec<Text<'_>> = lines.iter().map(|line| text(line, theme)).collect();
        let is_selected = place == app.rows.selected() && app.focus != Focus::Facets;
        let style = if is_selected { theme.selected() } else { Style::new() };
        frame.render_widget(Paragraph::new(lines).style(style), area);
    }
}

/// Returns a result: number, title, headings and score; then the snippet, or the components of the
/// score.
fn result(row: &Row, place: usize, bundle: Option<&str>, explains: bool, width: u16) -> [Line; 2] {
    let width = usize::from(width);
    let score = format!(" {:.2}", row.comparable);
    let mut name = vec![Piece::new(format!("{:>2} ", place + 1), Kind::Dim)];
    if let Some(bundle) = bundle {
        name.push(Piece::new(format!("{bundle}: "), Kind::Dim));
    }
    let (title, headings) =
        row.names.split_first().map_or(("", &[][..]), |(title, rest)| (title.as_str(), rest));
    name.push(Piece::new(title, Kind::Heading));
    for heading in headings {
        name.push(Piece::new(format!(" › {heading}"), Kind::Plain));
    }
    let mut first = cut(&name, width.saturating_sub(score.width()));
    let used: usize = first.iter().map(|piece| piece.text.width()).sum();
    let gap = width.saturating_sub(used + score.width());
    first.push(Piece::new(format!("{}{score}", " ".repeat(gap)), Kind::Dim));
    let mut second = vec![Piece::new("   ", Kind::Plain)];
    if explains {
        second.push(Piece::new(parts_of_score(row), Kind::Dim));
    } else {
        if !row.byline.is_empty() {
            second.push(Piece::new(format!("{}  ", row.byline), Kind::Dim));
        }
        second.extend(row.snippet.iter().cloned());
    }
    [first, cut(&second, width)]
}

fn parts_of_score(row: &Row) -> String {
    let Some(section) = row.page.sections.first() else { return String::new() };
    let legs = &section.legs;
    let mut parts = Vec::new();
    if let (Some(rank), Some(score)) = (legs.lexical_rank, legs.lexical_score) {
        parts.push(format!("words: rank {rank}, {score:.2}, gives {:.3}", legs.lexical_share));
    }
    if let Some(similarity) = legs.similarity {
        let rank = legs.semantic_rank.map_or("-".to_owned(), |rank| rank.to_string());
        let share = legs.semantic_share;
        parts.push(format!("meaning: rank {rank}, cosine {similarity:.3}, gives {share:.3}"));
    }
    parts.join("; ")
}

fn draw_preview(frame: &mut Frame<'_>, area: Rect, app: &mut App, theme: Theme, is_wide: bool) {
    let border = if is_wide { Borders::LEFT | Borders::TOP } else { Borders::TOP };
    let width = usize::from(area.width).saturating_sub(4);
    let title = format!(" {} ", app.preview.location());
    let title = cut(&[Piece::new(title, Kind::Dim)], width);
    let title =
        if app.preview.location().is_empty() { Text::default() } else { text(&title, theme) };
    let block = Block::new().borders(border).border_style(theme.frame()).title(title);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if app.rows.current().is_none() {
        return;
    }
    let lines = app.preview.lines(usize::from(inside.width), usize::from(inside.height));
    let lines: Vec<Text<'_>> = lines.iter().map(|line| text(line, theme)).collect();
    frame.render_widget(Paragraph::new(lines), inside);
}

fn draw_facets(frame: &mut Frame<'_>, area: Rect, app: &App, theme: Theme) {
    let focus = app.focus == Focus::Facets;
    let style = if focus { theme.focus() } else { theme.frame() };
    let block = Block::new().borders(Borders::LEFT | Borders::TOP).border_style(style);
    let block = block.title(" Facets ");
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let listed = entries(&app.facets, &app.chosen);
    if listed.is_empty() {
        let none = Piece::new("no attribute has values to choose from", Kind::Dim);
        let lines = wrap(&[none], usize::from(inside.width));
        let lines: Vec<Text<'_>> = lines.iter().map(|line| text(line, theme)).collect();
        return frame.render_widget(Paragraph::new(lines), inside);
    }
    let height = usize::from(inside.height).max(1);
    let first = app.facet.saturating_sub(height - 1);
    for (place, entry) in listed.iter().enumerate().skip(first).take(height) {
        let width = usize::from(inside.width);
        let pieces = match entry {
            Entry::Name(name) => cut(&[Piece::new(line(name), Kind::Heading)], width),
            Entry::Value { value, count, chosen, .. } => {
                let count = format!(" {count}");
                let mark = if *chosen { "[x] " } else { "[ ] " };
                let value = format!("{mark}{}", line(value));
                let room = width.saturating_sub(count.width());
                let mut pieces = cut(&[Piece::new(value, Kind::Plain)], room);
                pieces.push(Piece::new(count, Kind::Dim));
                pieces
            }
        };
        let style = if focus && place == app.facet { theme.selected() } else { Style::new() };
        let y = inside.y + (place - first) as u16;
        let area = Rect { y, height: 1, ..inside };
        frame.render_widget(Paragraph::new(text(&pieces, theme)).style(style), area);
    }
}

fn draw_status(frame: &mut Frame<'_>, area: Rect, app: &App, theme: Theme) {
    let keys = " F1 keys";
    let [left, right] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(keys.width() as u16)])
            .areas(area);
    let mut spans: Vec<Span<'_>> = Vec::new();
    for (name, state) in &app.states {
        if !spans.is_empty() {
            spans.push(" · ".into());
        }
        let style = match state {
            State::Current | State::Opening => Style::new(),
            State::Building | State::Stale(_) | State::Replaced => theme.warning(),
        };
        spans.push(Span::styled(format!("{name}: {}", state.words()), style));
    }
    let pages: u64 = app.bundles.iter().map(|bundle| bundle.pages).sum();
    if pages > 0 {
        spans.push(Span::styled(format!(", {}", count(pages, "pages")), theme.style(Kind::Dim)));
    }
    frame.render_widget(Paragraph::new(Text::from_iter(spans)), left);
    frame.render_widget(Paragraph::new(keys).style(theme.style(Kind::Dim)), right);
}

/// Draws a list of every key.
fn draw_help(frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    let keys = BINDINGS.iter().map(|binding| binding.keys.width()).max().unwrap_or(0);
    let lines = BINDINGS.iter().map(|binding| {
        let padded = format!("{:keys$}  ", binding.keys);
        vec![Piece::new(padded, Kind::Heading), Piece::new(binding.does, Kind::Plain)]
    });
    draw_over(frame, area, " Keys ", lines.collect(), theme);
}

/// Draws the question whether to install a model.
fn draw_offer(frame: &mut Frame<'_>, area: Rect, offer: &Offer, theme: Theme) {
    let width = usize::from(area.width.min(OVER)).saturating_sub(2);
    let paragraphs = offer.words.iter().map(|words| Piece::new(words.clone(), Kind::Plain));
    let lines = paragraphs.flat_map(|paragraph| wrap(&[paragraph], width));
    draw_over(frame, area, " A model ", lines.collect(), theme);
}

/// Draws lines in a frame over the middle of the screen.
fn draw_over(frame: &mut Frame<'_>, area: Rect, title: &str, lines: Vec<Line>, theme: Theme) {
    let width = area.width.min(OVER);
    let height = area.height.min(lines.len() as u16 + 2);
    let x = area.x + (area.width - width) / 2;
    let over = Rect { x, y: area.y + (area.height - height) / 2, width, height };
    let block = Block::bordered().title(title.to_owned()).border_style(theme.focus());
    let inside = block.inner(over);
    frame.render_widget(Clear, over);
    frame.render_widget(block, over);
    let cut = |line: &Line| text(&cut(line, usize::from(inside.width)), theme);
    frame.render_widget(Paragraph::new(lines.iter().map(cut).collect::<Vec<_>>()), inside);
}
