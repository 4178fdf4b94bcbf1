//! Parts of a plan that are not there, or hold nothing: work that would be lost from sight.

use std::collections::HashSet;

use crate::doc::tasks::{Contents, FileRole, is_blank};
use crate::doc::text::base_name;
use crate::doc::{Problem, ProblemKind};

pub(super) fn find(contents: &Contents) -> Vec<Problem> {
    let Contents { files, problems, .. } = contents;
    let empty = files.iter().filter(|file| {
        file.role == FileRole::Part
            && is_blank(&file.text)
            && problems.iter().all(|problem| problem.file != file.name)
    });
    let empty = empty.map(|file| Problem {
        kind: ProblemKind::NoTask,
        file: file.name.clone(),
        line: None,
        sentence: "is empty".to_owned(),
    });
    let names: HashSet<&str> = files.iter().map(|file| base_name(&file.name)).collect();
    let indexes = files.iter().filter(|file| file.role == FileRole::Index);
    let links = indexes.flat_map(|index| index.about.links.iter().map(move |link| (index, link)));
    let missing = links.filter(|(_, (name, _))| !names.contains(name.as_str()));
    let missing = missing.map(|(index, (name, line))| Problem {
        kind: ProblemKind::MissingFile,
        file: index.name.clone(),
        line: Some(*line),
        sentence: format!("names `{name}`, which is not there"),
    });
    empty.chain(missing).collect()
}
