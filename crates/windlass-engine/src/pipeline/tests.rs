use super::*;

const DAY: jiff::civil::Date = jiff::civil::date(2026, 3, 1);

// rows: 97
#[test]
fn a_pipeline_is_made_once_and_found_by_its_name_or_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().canonicalize().unwrap();
    let pipelines = Pipelines::of(&directory);
    let project = Project::locate(&directory.join("state"), &directory, None).unwrap();
    let limits = PipelineLimits { tokens: Some(7), ..PipelineLimits::default() };
    assert_eq!(pipelines.ids().unwrap(), [""; 0]);
    let made = pipelines.make("Keep a list\n", DAY, (&project, &limits)).unwrap();
    assert_eq!(std::fs::read_to_string(directory.join(made.goal_file())).unwrap(), "Keep a list\n");
    assert_eq!(pipelines.find(&made.id).unwrap(), made);
    assert_eq!(pipelines.find("keep-a").unwrap(), made);
    let other = pipelines.make("Keep a list\n", DAY, (&project, &limits)).unwrap();
    assert_ne!(made.id, other.id);
    assert_eq!(pipelines::limits(&project, &other.id).unwrap(), Some(limits));
    assert_eq!(pipelines::limits(&project, "nothing").unwrap(), None);
    assert!(!pipelines::is_any_at_work(&project).unwrap());
    let at_work = [(); 2].map(|()| pipelines::be_at_work(&project, &other.id).unwrap());
    assert!(pipelines::is_any_at_work(&project).unwrap());
    drop(at_work);
    assert!(!pipelines::is_any_at_work(&project).unwrap());
    for unknown in ["keep-a", "nothing", "", "../x"] {
        match pipelines.find(unknown) {
            Err(PipelineError::Unknown { known, .. }) => assert_eq!(known.len(), 2, "{unknown}"),
            found => panic!("{unknown}: {found:?}"),
        }
    }
}

#[test]
fn whatever_lies_in_a_documents_place_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().canonicalize().unwrap();
    let project = Project::locate(&directory.join("state"), &directory, None).unwrap();
    let limits = PipelineLimits::default();
    let made = Pipelines::of(&directory).make("Keep a list", DAY, (&project, &limits)).unwrap();
    let phase = made.phase(PipelinePhase::Prd);
    let found = find_phase(&directory, &phase);
    assert!(!found.is_there() && !found.is_valid() && found.mark.is_empty());
    std::fs::create_dir(directory.join(phase.document())).unwrap();
    let found = find_phase(&directory, &phase);
    assert!(found.is_there() && found.problems[0].sentence == "is a folder", "{:?}", found.problems);
    let changed = made.made_from(PipelinePhase::Prd);
    std::fs::write(directory.join(made.goal_file()), "Another").unwrap();
    assert_ne!(changed, made.made_from(PipelinePhase::Prd));
}
