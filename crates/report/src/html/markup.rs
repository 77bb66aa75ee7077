//! Writes markup that is well formed and harmless, whatever the texts in it are: elements are
//! closed by construction, and every text and attribute is escaped.

use crate::escape::Escaping;
use std::fmt::{self, Display, Write};

/// A document under way.
#[derive(Debug, Default)]
pub(super) struct Page {
    out: String,
}

/// Attributes of an element, in the order in which they are written.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a dyn Display)];

impl Page {
    /// A document that begins with this, as it is.
    pub(super) fn beginning(raw: &'static str) -> Self {
        Self {
            out: raw.to_owned(),
        }
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

    /// The style of the document: ours, and written as it is.
    pub(super) fn style(&mut self, css: &'static str) {
        self.out.push_str("<style>");
        self.out.push_str(css);
        self.out.push_str("</style>");
    }

    /// The script of the document: ours, and written as it is.
    pub(super) fn script(&mut self, code: &'static str) {
        self.out.push_str("<script>");
        self.out.push_str(code);
        self.out.push_str("</script>");
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

/// Replaces what means something in HTML.
struct Html<'a>(&'a mut String);

impl fmt::Write for Html<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        Ok(())
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
    fn elements_end_where_they_should() {
        let mut page = Page::beginning("<!doctype html>");
        page.within("div", &[], |page| {
            page.leaf("b", &[], 1);
            page.void("br", &[]);
            page.line();
        });
        assert_eq!(page.finish(), "<!doctype html><div><b>1</b><br>\n</div>");
    }
}
