use super::*;
use crate::model::Model;
use crate::table::{Head, List, columns_of};

fn list(rows: &[u64]) -> List<u64> {
    List {
        columns: columns_of![|n: &u64, context|
            Head::right("n", 4) => Cell::count(*n),
            Head::right("low", 4) => Cell::count(*n % 10),
        ],
        rows: rows.to_vec(),
        key: |n| RowIdentity::Number(*n),
        sorted: Some(("n", true)),
        empty: "",
    }
}

fn shown(state: &State, list: &List<u64>) -> Vec<u64> {
    state.order().iter().map(|row| list.rows[*row]).collect()
}

#[test]
fn the_chosen_row_is_followed_and_the_first_place_kept() {
    let model = Model::default();
    let context = model.context();
    let mut state = State::default();
    let before = list(&[31, 12, 23]);
    state.refresh(&before, &context, 2);
    assert_eq!(shown(&state, &before), [31, 23, 12]);
    let more = list(&[31, 12, 23, 99]);
    state.refresh(&more, &context, 2);
    assert_eq!(
        (state.cursor(), state.chosen_key()),
        (0, Some(&RowIdentity::Number(99)))
    );
    state.go(Move::By(2), &more, 2);
    assert_eq!(state.chosen_key(), Some(&RowIdentity::Number(23)));
    assert_eq!(state.top(), 1);
    state.sort_by(1, false);
    state.refresh(&more, &context, 2);
    assert_eq!(shown(&state, &more), [31, 12, 23, 99]);
    assert_eq!(
        state.chosen_key(),
        Some(&RowIdentity::Number(23)),
        "it stands elsewhere"
    );
    state.refresh(&list(&[31, 12]), &context, 2);
    assert_eq!(
        state.chosen_key(),
        Some(&RowIdentity::Number(12)),
        "the nearest one"
    );
    state.refresh(&list(&[]), &context, 2);
    assert_eq!((state.chosen(), state.chosen_key()), (None, None));
}

#[test]
fn pages_end_at_the_ends() {
    let model = Model::default();
    let mut state = State::default();
    let many = list(&(0..100).collect::<Vec<_>>());
    state.refresh(&many, &model.context(), 10);
    for (to, cursor, top) in [
        (Move::Pages(1), 10, 1),
        (Move::By(-5), 5, 1),
        (Move::By(-5), 0, 0),
        (Move::Last, 99, 90),
        (Move::Pages(1), 99, 90),
        (Move::Pages(-1), 89, 89),
        (Move::First, 0, 0),
        (Move::By(isize::MIN), 0, 0),
        (Move::Pages(isize::MAX), 99, 90),
    ] {
        state.go(to, &many, 10);
        assert_eq!((state.cursor(), state.top()), (cursor, top), "{to:?}");
    }
    state.refresh(&many, &model.context(), 200);
    assert_eq!(state.top(), 0, "a higher screen shows all");
}

#[test]
fn a_filter_leaves_what_it_takes() {
    let model = Model::default();
    let mut state = State::default();
    let rows = list(&[31, 12, 23]);
    state.filter_by("low:3");
    state.refresh(&rows, &model.context(), 5);
    assert_eq!(shown(&state, &rows), [23]);
    assert_eq!(state.all(), 3);
}
