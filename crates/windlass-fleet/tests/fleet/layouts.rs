//! What a fleet keeps: made, looked at, never altered.

use windlass_fleet::FleetError;
use windlass_fleet::layout::{LAYOUT, Made, Part, Replicas, Store, check, create};
use windlass_fleet::settings::Role;
use windlass_testkit::Nats;
use windlass_testkit::nats::{Keeps, Setup};

use super::raw::Raw;
use super::support::{connect, soon};

#[test]
fn a_layout_is_made_once_and_then_is_as_it_has_to_be() {
    let nats = Nats::one();
    let fleet = connect(&nats, Role::Administrator);
    let missing = check(&fleet, Replicas::One, soon()).unwrap();
    assert_eq!(missing.len(), LAYOUT.len());
    assert!(missing.iter().all(|problem| matches!(problem, FleetError::Missing { .. })), "{missing:?}");
    assert_eq!(missing[0].to_string(), "the fleet has no KV_windlass_night_leases");
    assert!(missing[0].hint().ends_with(": windlass fleet init"));

    let made = create(&fleet, Replicas::One, soon()).unwrap();
    assert_eq!(made, LAYOUT.map(|part| (part, Made::New)));
    assert!(check(&fleet, Replicas::One, soon()).unwrap().is_empty());
    let made = create(&fleet, Replicas::One, soon()).unwrap();
    assert_eq!(made, LAYOUT.map(|part| (part, Made::Already)));
}

#[test]
fn what_differs_is_named_and_left_as_it_is() {
    let nats = Nats::one();
    let fleet = connect(&nats, Role::Administrator);
    let mut raw = Raw::connect(&nats.urls()[0], None);
    let foreign = r#"{"name":"windlass_night_journal","subjects":["windlass.night.journal.*"],"retention":"limits",
        "max_consumers":-1,"max_msgs":-1,"max_bytes":-1,"max_age":60000000000,"storage":"file","discard":"new",
        "num_replicas":1}"#;
    assert!(raw.publish("$JS.API.STREAM.CREATE.windlass_night_journal", foreign.as_bytes()));

    let error = create(&fleet, Replicas::One, soon()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "windlass_night_journal of the fleet differs in max_age: it has 60 s, and 15552000 s is needed"
    );
    // Nothing was made beside it, and it is what it was.
    let problems = check(&fleet, Replicas::One, soon()).unwrap();
    let missing = problems.iter().filter(|problem| matches!(problem, FleetError::Missing { .. })).count();
    assert_eq!((problems.len(), missing), (LAYOUT.len(), LAYOUT.len() - 1), "{problems:?}");
    assert!(problems.iter().any(|problem| problem.to_string() == error.to_string()));
}

#[test]
fn copies_are_looked_at_like_everything_else() {
    let nats = Nats::one();
    let fleet = connect(&nats, Role::Administrator);
    let error = create(&fleet, Replicas::Three, soon()).unwrap_err();
    assert!(matches!(error, FleetError::TooFewServers { .. }), "{error}");
    create(&fleet, Replicas::One, soon()).unwrap();
    let problems = check(&fleet, Replicas::Three, soon()).unwrap();
    assert_eq!(problems.len(), LAYOUT.len());
    for problem in problems {
        assert!(
            matches!(&problem, FleetError::Differs { field: "num_replicas", found, .. } if found == "1"),
            "{problem}"
        );
    }
}

#[test]
fn three_servers_keep_three_copies_of_everything_object_stores_included() {
    let nats = Nats::three();
    let fleet = connect(&nats, Role::Administrator);
    create(&fleet, Replicas::Three, soon()).unwrap();
    assert!(check(&fleet, Replicas::Three, soon()).unwrap().is_empty());
    let problems = check(&fleet, Replicas::One, soon()).unwrap();
    assert_eq!(problems.len(), LAYOUT.len(), "{problems:?}");
    assert!(LAYOUT.contains(&Part::Files(Store::Code)));
}

#[test]
fn a_server_that_may_keep_too_little_is_full() {
    let nats = Nats::one_with(&Setup { keeps: Keeps::Bytes(1024 * 1024), ..Setup::default() });
    let fleet = connect(&nats, Role::Runner);
    create(&fleet, Replicas::One, soon()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    std::fs::write(&path, vec![7; 4 * 1024 * 1024]).unwrap();
    let files = windlass_fleet::store::Files::of(&fleet, Store::Code);
    let error = files.put(&path, u64::MAX, soon()).unwrap_err();
    assert!(matches!(&error, FleetError::Full { doing, .. } if doing.contains("large")), "{error}");
    assert!(error.hint().starts_with("Make room"));
}
