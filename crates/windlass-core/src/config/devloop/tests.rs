use super::*;

fn object(text: &str) -> Map<String, Json> {
    devloop_object(text.as_bytes()).unwrap()
}

// rows: 129
#[test]
fn a_projects_format_of_commits_is_taken() {
    for (format, ours) in [
        ("DevLoop: {action}", "DevLoop: {action}"),
        ("chore({feature}): {taskId} {title}", "chore({feature}): {task} {title}"),
    ] {
        let json = serde_json::json!({ "devloopCommitFormat": format }).to_string();
        let found = DevloopSettings::of_project(&object(&json));
        assert_eq!(found.options, [("commit.message", Value::from(ours))]);
        assert!(found.notes.is_empty(), "{:?}", found.notes);
    }
    let stated = DevloopSettings::of_project(&object(r#"{"devloopCommitFormat":"{status} {taskId}"}"#));
    assert_eq!(stated.options, [("commit.message", Value::from("{status} {task}"))]);
    assert!(stated.notes[0].contains("`done`, `in-progress`, `failed` or `interrupted`"), "{stated:?}");
    let odd = DevloopSettings::of_project(&object(
        r#"{"devloopCommitFormat":"{nobody}","verifyEachTask":true,"new\nkey":1,"none":null}"#,
    ));
    assert!(odd.options.is_empty());
    assert_eq!(odd.notes.len(), 3, "{:?}", odd.notes);
    assert!(
        odd.notes.iter().all(|note| !note.contains('\n') && note.contains("is left out")),
        "{:?}",
        odd.notes
    );
}

// rows: 129
// Seed defect D3, commands/shared.ts:36, core/config.ts:11: `maxIterations` of the global config was never used.
#[test]
fn the_users_workspace_and_limit_are_taken_where_somebody_chose_them() {
    let found =
        DevloopSettings::of_user(&object(r#"{"defaultWorkspace":"/home/ada/ledger","maxIterations":25}"#));
    let expected =
        [("project.default", Value::from("/home/ada/ledger")), ("limits.max_iterations", Value::Integer(25))];
    assert_eq!(found.options, expected);
    for nothing in [
        r#"{"defaultWorkspace":null,"maxIterations":10}"#,
        r#"{"defaultWorkspace":"ledger","maxIterations":0}"#,
        r#"{"defaultWorkspace":"/home/\u007fada"}"#,
        r#"{"maxIterations":-1}"#,
        r#"{"maxIterations":"many"}"#,
    ] {
        let found = DevloopSettings::of_user(&object(nothing));
        assert!(found.options.is_empty() && !found.notes.is_empty(), "{found:?}");
    }
}

// Seed defect D3, core/config.ts:26-28, 148-151; session.ts:26-28: malformed JSON was taken for an empty file.
#[test]
fn malformed_json_is_said_with_its_line() {
    for (text, why) in [
        ("{\n  \"phase\": ,\n}", "is not JSON: line 2, column 12"),
        ("{\"phase\":", "is broken off in line 1"),
        ("[]", "is not a JSON object"),
        ("", "is broken off in line 1"),
    ] {
        assert_eq!(devloop_object(text.as_bytes()), Err(why.to_owned()), "{text}");
    }
    assert!(devloop_object(b"\xEF\xBB\xBF{}").is_ok());
}

#[test]
fn a_session_says_what_was_interrupted() {
    let session = DevloopSession::read(&object(
        r#"{"phase":"run","sessionId":null,"lastIteration":7,"startedAt":"2025-01-02T03:04:05.678Z",
            "activeTask":{"taskId":"TASK-003","taskTitle":"Parse\nit","iterationNumber":7}}"#,
    ));
    assert_eq!(session.sentence(), "its last session began 2025-01-02T03:04:05.678Z and did 7 iterations");
    let interrupted = session.interrupted().unwrap();
    assert!(
        interrupted.starts_with("work on TASK-003 - Parseit was interrupted in iteration 7;"),
        "{interrupted}"
    );
    let fresh = DevloopSession::read(&object(r#"{"phase":"init","lastIteration":0,"activeTask":null}"#));
    assert_eq!(fresh.sentence(), "its last session never got beyond its beginning");
    assert_eq!(fresh.interrupted(), None);
    assert_eq!(
        DevloopSession::read(&object(r#"{"phase":5,"activeTask":{"taskId":""}}"#)),
        DevloopSession::default()
    );
}

#[test]
fn what_it_generated_is_known_and_what_people_wrote_is_not() {
    assert!(is_devloop_settings(br#"{"permissions":{},"restrictToWorkspace":true,"workspacePath":"/w"}"#));
    assert!(!is_devloop_settings(br#"{"restrictToWorkspace":true}"#) && !is_devloop_settings(b"{"));
    let generated =
        "# CLAUDE.md\n\n## Environment\n\n- **Platform**: linux\n- **Workspace**: /w\n\n## Your job\n";
    assert!(is_devloop_guidance(generated) && is_devloop_guidance(&generated.replace('\n', "\r\n")));
    for other in [
        "# CLAUDE.md\n\n## Build\n\n## Environment\n- Platform: linux\n- Workspace: /w\n",
        "## Environment\n\nPlatform and Workspace matter.\n",
        "",
    ] {
        assert!(!is_devloop_guidance(other), "{other}");
    }
}

#[test]
fn its_commits_are_counted() {
    let commits = devloop_commits([
        "DevLoop: Initial commit",
        "DevLoop: Initialize workspace",
        "DevLoop iteration 3: Complete TASK-001 - Parse",
        "DevLoop iteration 4: Attempted TASK-002 - Print (failed)",
        "DevLoop: Complete TASK-002 - Print",
        "DevLoop: [pay] Complete TASK-001 - Card",
        "DevLoop: Iteration 9",
        "DevLoop: Interrupted work on TASK-003 - Save",
        "DevLoop: tidy up",
        "DevLoop is gone",
        "feat: T1 - title",
        "",
    ]);
    assert_eq!(commits, DevloopCommits { completed: 3, attempted: 1, interrupted: 1, others: 3 });
    assert_eq!(commits.total(), 8);
}
