//! Markup that is well formed and harmless, whatever the texts in it are. Texts and tables are
//! templates (`templates`), which escape as [`Harmless`] does; plots are drawn element by element,
//! closed by construction, with the same escapes.

use crate::escape::Escaping;
use askama::Template;
use askama::filters::Escaper;
use std::fmt::{self, Display, Write};

/// A document under way.
#[derive(Debug, Default)]
pub(super) struct Page {
    out: String,
}

/// Attributes of an element, in the order in which they are written.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a dyn Display)];

impl Page {
    /// What `write` writes.
    pub(super) fn part(write: impl FnOnce(&mut Self)) -> String {
        let mut page = Self::default();
        write(&mut page);
        page.out
    }

    /// The document.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// An element with what `inside` writes in it.
    pub(super) fn within(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.open(tag, attributes, ">");
        inside(self);
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push('>');
    }

    /// An element with a text in it.
    pub(super) fn leaf(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        text: impl Display,
    ) {
        self.within(tag, attributes, |page| page.text(text));
    }

    /// An element of HTML that has no end (`meta`, `br`).
    pub(super) fn void(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.open(tag, attributes, ">");
    }

    /// An element of SVG with nothing in it.
    pub(super) fn shape(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.open(tag, attributes, "/>");
    }

    /// A text.
    pub(super) fn text(&mut self, text: impl Display) {
        self.escaped(&text);
    }

    /// A template with its values.
    pub(super) fn template(&mut self, template: &impl Template) {
        // Writing to a string does not fail; what fails is a text that refuses to be shown.
        let _ = template.render_into(&mut self.out);
    }

    /// Another document, as it is.
    pub(super) fn insert(&mut self, other: Self) {
        self.out.push_str(&other.out);
    }

    /// Begins a new line in the source.
    pub(super) fn line(&mut self) {
        self.out.push('\n');
    }

    fn open(&mut self, tag: &'static str, attributes: Attributes<'_>, end: &str) {
        self.out.push('<');
        self.out.push_str(tag);
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            self.escaped(*value);
            self.out.push('"');
        }
        self.out.push_str(end);
    }

    fn escaped(&mut self, text: &dyn Display) {
        // Writing to a string does not fail; what fails is a text that refuses to be shown.
        let _ = write!(Escaping(&mut Html(&mut self.out)), "{text}");
    }
}

/// How templates escape: `askama.toml` names it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Harmless;

impl Escaper for Harmless {
    fn write_escaped_str<W: Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        Escaping(&mut Html(&mut dest)).write_str(text)
    }
}

/// Replaces what means something in HTML.
struct Html<'a, W>(&'a mut W);

impl<W: Write> Write for Html<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let special = |c: char| matches!(c, '&' | '<' | '>' | '"' | '\'');
        let mut rest = text;
        while let Some(at) = rest.find(special) {
            let (plain, tail) = rest.split_at(at);
            self.0.write_str(plain)?;
            self.0.write_str(match tail.as_bytes().first() {
                Some(b'&') => "&amp;",
                Some(b'<') => "&lt;",
                Some(b'>') => "&gt;",
                Some(b'"') => "&quot;",
                _ => "&#39;",
            })?;
            rest = tail.get(1..).unwrap_or_default();
        }
        self.0.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_harmless() {
        let mut page = Page::default();
        page.within("p", &[("title", &"\"><script>"), ("id", &1)], |page| {
            page.text("<script>alert('&')</script>\x1b\n\u{202e}");
            page.shape("rect", &[]);
        });
        assert_eq!(
            page.finish(),
            "<p title=\"&quot;&gt;&lt;script&gt;\" id=\"1\">\
             &lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;\\x1b\\n\\u{202e}<rect/></p>"
        );
    }

    #[test]
    fn templates_escape_as_the_rest_of_the_page() {
        #[derive(Template)]
        #[template(source = "<b title=\"{{ text }}\">{{ text }}</b>", ext = "html")]
        struct Bold<'a> {
            text: &'a str,
        }
        let text = "\"><script>&'\x1b\n\u{202e}";
        let drawn = Page::part(|page| page.leaf("b", &[("title", &text)], text));
        assert_eq!(Page::part(|page| page.template(&Bold { text })), drawn);
        assert!(!drawn.contains("<script"));
    }

    #[test]
    fn elements_end_where_they_should() {
        let mut page = Page::default();
        page.within("div", &[], |page| {
            page.leaf("b", &[], 1);
            page.void("br", &[]);
            page.line();
        });
        assert_eq!(page.finish(), "<div><b>1</b><br>\n</div>");
    }
}
