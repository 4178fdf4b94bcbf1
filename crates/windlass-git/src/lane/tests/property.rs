//! Lanes in any order.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Worker, Yard};
use crate::commit::CommitOutcome;
use crate::lane::{Landed, MergeResult};

/// What one lane does: a line of the shared file is given a new text, and a file of its own is written.
#[derive(Clone, Debug)]
struct Edit {
    line: usize,
    text: String,
    own: Option<String>,
}

/// Every third line belongs to somebody; those between keep neighbours from touching.
const LINES: usize = 30;

fn shared(edits: &[Edit]) -> String {
    let mut lines: Vec<String> = (0..LINES).map(|line| format!("line {line}")).collect();
    for edit in edits {
        lines[edit.line * 3] = edit.text.clone();
    }
    lines.join("\n") + "\n"
}

fn edits(lanes: usize) -> impl Strategy<Value = Vec<Edit>> {
    let edit = (0..LINES / 3, "[a-z]{1,8}", prop::option::of("[a-z]{1,3}"));
    prop::collection::vec(edit.prop_map(|(line, text, own)| Edit { line, text, own }), lanes)
}

/// Lands what each lane did, in an order; gives the lanes whose work conflicted.
fn land_all(yard: &Yard, edits: &[Edit], order: &[usize]) -> Vec<usize> {
    let workers: Vec<Worker> = (0..edits.len()).map(|at| yard.open(u32::try_from(at).unwrap())).collect();
    for (worker, edit) in workers.iter().zip(edits) {
        worker.write("shared", shared(std::slice::from_ref(edit)));
        if let Some(own) = &edit.own {
            worker.write(&format!("own/{own}"), &edit.text);
        }
    }
    let mut conflicted = Vec::new();
    for at in order {
        let worker = &workers[*at];
        let CommitOutcome::Committed { commit: work, .. } = yard.squash(worker) else { continue };
        let tip = yard.tip();
        match worker.lane.merge(work, tip).unwrap() {
            MergeResult::Clean { commit, .. } => match yard.land(worker, commit, tip, &[]) {
                Landed::Landed { behind: None, left, .. } => assert!(left.is_empty()),
                Landed::Nothing => {}
                other => panic!("{other:?}"),
            },
            MergeResult::Conflict(_) => conflicted.push(*at),
        }
    }
    assert_eq!((yard.status(), yard.is_tidy()), (String::new(), true));
    conflicted
}

fn yard() -> Yard {
    let yard = Yard::new();
    yard.person("shared", &shared(&[]));
    yard
}

/// What the branch has after all of it, if no two lanes disagree.
fn expected(edits: &[Edit]) -> Option<BTreeMap<String, String>> {
    let mut lines: BTreeMap<usize, &str> = BTreeMap::new();
    let mut files = BTreeMap::from([("shared".to_owned(), shared(edits))]);
    for edit in edits {
        if *lines.entry(edit.line).or_insert(&edit.text) != edit.text {
            return None;
        }
        if let Some(own) = &edit.own
            && *files.entry(format!("own/{own}")).or_insert(edit.text.clone()) != edit.text
        {
            return None;
        }
    }
    Some(files)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 12, ..ProptestConfig::default() })]

    // rows: 10
    #[test]
    fn what_goes_together_is_the_same_in_any_order_and_the_rest_is_never_mixed(
        (edits, order) in (2..5_usize).prop_flat_map(|lanes| {
            (edits(lanes), Just((0..lanes).collect::<Vec<_>>()).prop_shuffle())
        })
    ) {
        let yard = yard();
        let conflicted = land_all(&yard, &edits, &order);
        match expected(&edits) {
            Some(files) => {
                prop_assert!(conflicted.is_empty());
                for (path, content) in files {
                    prop_assert_eq!(yard.scratch.read(&path), content);
                }
            }
            None => prop_assert!(!conflicted.is_empty()),
        }
        // Whatever landed is exactly what its lane wrote.
        let landed: Vec<Edit> = order.iter().filter(|at| !conflicted.contains(at)).map(|at| edits[*at].clone()).collect();
        prop_assert_eq!(yard.scratch.read("shared"), shared(&landed));
    }
}
