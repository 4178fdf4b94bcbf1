//! Documents of a pipeline: read and judged in each phase, whatever stands in them.

use windlass_core::spec::PipelinePhase;
use windlass_jobs::doc::pipeline::{PhaseDocument, problems, requirement_ids, standing};

pub(crate) fn run(data: &[u8]) {
    // A PRD may come first, and the document that refers to it behind a line.
    let cut = data.windows(5).position(|bytes| bytes == b"\n===\n");
    let (prd, rest) = cut.map_or((data, data), |at| (&data[..=at], &data[at + 5..]));
    let prd = document("prd.md", prd);
    for phase in PipelinePhase::all() {
        let document = document(phase.document(), rest);
        let found = problems(phase, &document, &prd);
        for problem in &found {
            assert!(!problem.sentence.contains(char::is_control), "{problem:?}");
            let lines = rest.split(|byte| *byte == b'\n').count();
            assert!(problem.line.is_none_or(|line| (1..=lines).contains(&line)), "{problem:?}");
        }
        let told = standing(phase, &document, &found, "m");
        assert_eq!(told.complete, found.is_empty());
        if rest.iter().all(u8::is_ascii_whitespace) {
            assert!(!told.complete, "an empty document is valid");
        }
    }
    assert!(requirement_ids(&prd).iter().all(|id| !id.is_empty() && !id.contains(char::is_control)));
}

fn document(name: &str, bytes: &[u8]) -> PhaseDocument {
    PhaseDocument { name: name.to_owned(), content: Some(Ok(bytes.to_vec())) }
}
