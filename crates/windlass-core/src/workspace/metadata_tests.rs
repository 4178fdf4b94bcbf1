use super::*;

const SEED: &str = r#"{
  "name": "port",
  "created": "2025-10-15T14:00:00.000Z",
  "lastRun": "2025-10-16T02:11:30.120Z",
  "status": "in_progress",
  "totalIterations": 9,
  "setupIterations": 1,
  "executionIterations": 8,
  "maxIterations": 50,
  "delay": 2,
  "stagnationThreshold": 2,
  "mode": "iterative",
  "notifyEvents": ["all"],
  "verification": {"verificationAttempts": 1, "lastVerificationStatus": "fail", "verifyResumeCycles": 0, "depthUsed": "deep"}
}
"#;

#[test]
fn the_seeds_file_is_read_whole() {
    let (metadata, problems) = Metadata::parse(SEED.as_bytes()).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!((metadata.name.as_str(), metadata.mode), ("port", Mode::Iterative));
    assert_eq!(
        (metadata.total_iterations, metadata.setup_iterations, metadata.execution_iterations),
        (9, 1, 8)
    );
    assert_eq!(metadata.verification.last_status, VerificationStatus::Fail);
    assert_eq!(metadata.other["maxIterations"], 50);
}

#[test]
fn numbers_of_others_stay_what_they_are() {
    for number in ["0.0024000000000000002", "1e-7", "18446744073709551615", "-0.1"] {
        let text = format!("{{\"mine\": {number}}}");
        let (metadata, _) = Metadata::parse(text.as_bytes()).unwrap();
        let written = String::from_utf8(metadata.to_json()).unwrap();
        assert!(written.contains(&format!("\"mine\": {number}")), "{written}");
        assert_eq!(Metadata::parse(written.as_bytes()).unwrap().0.to_json(), written.as_bytes());
    }
}

#[test]
fn what_is_written_is_read_again_with_the_fields_of_others() {
    let (mut metadata, _) = Metadata::parse(SEED.as_bytes()).unwrap();
    metadata.runs.counted.push(CountedRun { run: RunId("r-1".into()), iterations: 3 });
    metadata.runs.reset = metadata.created;
    let bytes = metadata.to_json();
    assert_eq!(Metadata::parse(&bytes).unwrap(), (metadata, Vec::new()));
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with("{\n  \"name\": \"port\",\n  \"created\""), "{text}");
    assert!(text.contains("\"depthUsed\": \"deep\"") && text.ends_with("}\n"), "{text}");
}

#[test]
fn a_field_that_cannot_be_read_is_named_and_the_rest_counts() {
    let text = "\u{feff}{\"name\": 7, \"created\": \"yesterday\", \"status\": \"paused\", \"mode\": \"looop\",\r\n\
                \"totalIterations\": -1, \"executionIterations\": \"4\", \"setupIterations\": 2.0,\r\n\
                \"verification\": [], \"windlass\": {\"counted\": [{\"run\": \"r-1\"}]}, \"mine\": [1]}\r\n";
    let (metadata, problems) = Metadata::parse(text.as_bytes()).unwrap();
    assert_eq!(metadata.setup_iterations, 2);
    assert_eq!(metadata.other["mine"][0], 1);
    for name in [
        "name",
        "created",
        "status",
        "mode",
        "totalIterations",
        "executionIterations",
        "verification",
        "counted",
    ] {
        assert!(problems.iter().any(|problem| problem.contains(name)), "{name}: {problems:?}");
    }
    assert_eq!(problems.len(), 8);
}

#[test]
fn times_have_a_zone_an_offset_or_neither() {
    for text in ["2026-03-01T20:30:00Z", "2026-03-01T21:30:00+01:00", "2026-03-01T20:30:00"] {
        assert_eq!(read_time(text), "2026-03-01T20:30:00Z".parse().ok(), "{text}");
    }
}

#[test]
fn what_is_no_object_is_corrupt() {
    for (bytes, why) in [
        (&b""[..], "empty"),
        (b" \r\n", "empty"),
        (b"{\"name\": \"x\", \"tot", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b"\xff\xfe{", "is not JSON"),
        (b"{}x", "is not JSON"),
    ] {
        let error = Metadata::parse(bytes).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(Metadata::parse(&vec![b' '; LONGEST_METADATA + 1]), Err(Corrupt::TooLong));
}
