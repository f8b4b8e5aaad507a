//! Style of each kind of text, with colours and without.

use ratatui::style::{Color, Modifier, Style};

use super::styled::Kind;

/// The styles of the screen.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    colours: bool,
}

impl Theme {
    /// Chooses a theme: without colours where `NO_COLOR` is set, or the terminal has none.
    pub fn of_environment() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let none = std::env::var_os("TERM").is_some_and(|term| term == "dumb" || term == "vt100");
        Self { colours: !refused && !none }
    }

    /// Returns the style of a kind of text. Without colours, important differences are shown by
    /// weight.
    pub fn style(self, kind: Kind) -> Style {
        let plain = Style::new();
        match kind {
            Kind::Plain | Kind::Code => plain,
            Kind::Marked => {
                let bold = plain.add_modifier(Modifier::BOLD);
                self.coloured(bold.add_modifier(Modifier::UNDERLINED), Color::Yellow)
            }
            Kind::Heading => self.coloured(plain.add_modifier(Modifier::BOLD), Color::Cyan),
            Kind::Dim => plain.add_modifier(Modifier::DIM),
            Kind::Keyword => self.coloured(plain, Color::Magenta),
            Kind::String => self.coloured(plain, Color::Green),
            Kind::Number => self.coloured(plain, Color::Cyan),
            Kind::Comment => plain.add_modifier(Modifier::DIM | Modifier::ITALIC),
        }
    }

    /// Returns the selected row.
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Returns the style of the focused part of the screen.
    pub fn focus(self) -> Style {
        self.coloured(Style::new().add_modifier(Modifier::BOLD), Color::Green)
    }

    /// Returns the style of lines and frames.
    pub fn frame(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// Returns the style of errors, and of an index that is not current.
    pub fn warning(self) -> Style {
        self.coloured(Style::new().add_modifier(Modifier::BOLD), Color::Red)
    }

    fn coloured(self, style: Style, colour: Color) -> Style {
        if self.colours { style.fg(colour) } else { style }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_no_style_has_one() {
        let theme = Theme { colours: false };
        for kind in [Kind::Marked, Kind::Heading, Kind::Keyword, Kind::String, Kind::Comment] {
            assert_eq!((theme.style(kind).fg, theme.style(kind).bg), (None, None), "{kind:?}");
        }
        assert_eq!((theme.focus().fg, theme.warning().fg), (None, None));
        assert_ne!(theme.style(Kind::Marked), theme.style(Kind::Plain));
    }
}
