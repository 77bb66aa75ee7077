//! What the user looks for: words that all have to be there, `!word` that must not, and
//! `column:word` for one column alone.

use super::Head;

/// A filter, ready to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    wanted: bool,
    column: Option<String>,
    text: String,
}

impl Filter {
    pub(crate) fn new(text: &str) -> Self {
        let words = text.split_whitespace().filter_map(|word| {
            let (wanted, word) = match word.strip_prefix('!') {
                Some(rest) => (false, rest),
                None => (true, word),
            };
            let word = word.to_lowercase();
            let (column, text) = match word.split_once(':') {
                // Addresses contain colons; titles of columns are letters.
                Some((column, text)) if is_title(column) => (Some(column.to_owned()), text),
                _ => (None, word.as_str()),
            };
            (!text.is_empty()).then(|| Word {
                wanted,
                column,
                text: text.to_owned(),
            })
        });
        Self {
            words: words.collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a row with these cells is wanted.
    pub(crate) fn takes(&self, heads: &[&Head], cells: &[String]) -> bool {
        self.words.iter().all(|word| {
            let mut known = false;
            let found = heads.iter().zip(cells).any(|(head, cell)| {
                let here = word.column.as_ref().is_none_or(|c| names(head, c));
                known |= here;
                here && cell.contains(&word.text)
            });
            // No column is called that: the colon was meant.
            let found = match &word.column {
                Some(column) if !known => {
                    let whole = format!("{column}:{}", word.text);
                    cells.iter().any(|cell| cell.contains(&whole))
                }
                _ => found,
            };
            found == word.wanted
        })
    }
}

fn is_title(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic())
}

/// Whether a column goes by this beginning of its title.
fn names(head: &Head, start: &str) -> bool {
    let title: String = head.title.split_whitespace().collect();
    title.to_lowercase().starts_with(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Cell, Column};

    fn takes(filter: &str) -> bool {
        let columns: [Column<()>; 3] = [
            Column::left("server", 8, |(), _| Cell::default()),
            Column::left("file name", 8, |(), _| Cell::default()),
            Column::right("p95", 8, |(), _| Cell::default()),
        ];
        let heads: Vec<&Head> = columns.iter().map(|c| &c.head).collect();
        let cells = ["10.0.0.1:445", r"\pay\march.xls", "1.50 ms"].map(str::to_owned);
        Filter::new(filter).takes(&heads, &cells)
    }

    #[test]
    fn all_words_have_to_be_there() {
        assert!(takes(""));
        assert!(takes("  pay MARCH "));
        assert!(!takes("pay april"));
    }

    #[test]
    fn an_exclamation_mark_means_not() {
        assert!(takes("pay !april"));
        assert!(!takes("pay !march"));
        assert!(takes("!"), "still being typed");
    }

    #[test]
    fn a_column_is_named_by_its_beginning() {
        assert!(takes("server:10.0"));
        assert!(!takes("file:10.0"));
        assert!(takes("filename:pay"));
        assert!(takes("!file:10.0"));
        assert!(takes("file:"), "still being typed");
        assert!(takes("0.1:445"), "a colon that belongs to an address");
        assert!(!takes("nothing:445"));
    }
}
