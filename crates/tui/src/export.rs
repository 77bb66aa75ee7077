//! What is shown, as a file.

use crate::model::Model;
use crate::table::{self, Format};
use crate::{Command, view};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::PathBuf;
use wirewait_report::Rfc3339;

/// Asks for a file with what is shown: the table, or the screen where there is none.
pub(crate) fn now(model: &Model, format: Format) -> Vec<Command> {
    let content = match model.rows() {
        Some(rows) => {
            let state = &model.level().table;
            table::export(rows.as_ref(), state, &model.context(), format)
        }
        None => lines(&picture(model)).join("\n") + "\n",
    };
    vec![Command::Export {
        path: path(model, format),
        content,
    }]
}

/// `wirewait-servers-20261120T070000Z.csv`: when the figures stood so.
fn path(model: &Model, format: Format) -> PathBuf {
    let place = view::of(&model.level().place).name();
    let at = moment(model);
    PathBuf::from(format!("wirewait-{place}{at}.{}", format.ending()))
}

/// `-20261120T070000Z`: the time of the figures, for the names of files.
pub(crate) fn moment(model: &Model) -> String {
    let at = model.feed.as_ref().and_then(|feed| feed.now);
    at.map_or_else(String::new, |at| {
        let text = Rfc3339(at).to_string();
        let digits = text.chars().take(19).filter(|c| !matches!(c, '-' | ':'));
        format!("-{}Z", digits.collect::<String>())
    })
}

/// The screen as it is drawn.
pub(crate) fn picture(model: &Model) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, model.size.0, model.size.1));
    view::draw(model, &mut buffer);
    buffer
}

/// The screen that is left behind: without the line of keys, which do nothing any more.
pub(crate) fn last(model: &Model) -> Buffer {
    let mut picture = picture(model);
    let bottom = picture.area.height.saturating_sub(1);
    for x in 0..picture.area.width {
        if let Some(cell) = picture.cell_mut((x, bottom)) {
            cell.reset();
        }
    }
    picture
}

/// Its lines, without colours and without blanks at their ends.
pub(crate) fn lines(buffer: &Buffer) -> Vec<String> {
    let width = usize::from(buffer.area.width).max(1);
    buffer
        .content
        .chunks(width)
        .map(|row| {
            let mut line = String::new();
            let mut skip = 0;
            for cell in row {
                // A wide letter takes the cells behind it.
                if skip == 0 {
                    line.push_str(cell.symbol());
                    skip = crate::text::width(cell.symbol());
                }
                skip = skip.saturating_sub(1);
            }
            line.trim_end().to_owned()
        })
        .collect()
}
