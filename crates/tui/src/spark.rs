//! Courses as one line of characters.

const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The latest values, one character each, the highest of them the fullest. Nothing is blank;
/// something, however little, is not.
pub(crate) fn line(values: &[u64], width: usize) -> String {
    let shown = &values[values.len().saturating_sub(width)..];
    let highest = shown.iter().copied().max().unwrap_or(0);
    let mut text: String = std::iter::repeat_n(' ', width.saturating_sub(shown.len())).collect();
    text.extend(shown.iter().map(|value| step(*value, highest)));
    text
}

fn step(value: u64, highest: u64) -> char {
    if value == 0 || highest == 0 {
        return ' ';
    }
    let at = (u128::from(value) * 8).div_ceil(u128::from(highest)) - 1;
    STEPS[usize::try_from(at).unwrap_or(0).min(7)]
}

/// Values in at most `width` steps: each the greatest of those that fall into it, so that no
/// peak is lost.
pub(crate) fn squeezed(values: &[u64], width: usize) -> Vec<u64> {
    if values.len() <= width || width == 0 {
        return values.to_vec();
    }
    (0..width)
        .map(|at| {
            let from = at * values.len() / width;
            let to = ((at + 1) * values.len() / width).max(from + 1);
            values[from..to].iter().copied().max().unwrap_or(0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_is_full_and_nothing_is_blank() {
        assert_eq!(line(&[0, 1, 4, 8], 4), " ▁▄█");
        assert_eq!(line(&[1, 1000], 4), "  ▁█", "the latest stand at the right");
        assert_eq!(line(&[9, 9, 1], 2), "█▁", "scaled by what is shown");
        assert_eq!(line(&[], 3), "   ");
        assert_eq!(line(&[5], 0), "");
        assert_eq!(line(&[u64::MAX, 1], 2), "█▁");
    }

    #[test]
    fn no_peak_is_lost() {
        assert_eq!(squeezed(&[1, 9, 2, 3, 4, 4, 5], 3), [9, 3, 5]);
        assert_eq!(squeezed(&[1, 2], 3), [1, 2]);
        assert_eq!(squeezed(&[1, 2], 0), [1, 2]);
    }
}
