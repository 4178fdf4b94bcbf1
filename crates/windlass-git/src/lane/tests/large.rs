//! Many files: what a landing costs must not grow with them.

use super::Yard;
use crate::git::calls_made;

#[test]
fn how_often_git_is_called_does_not_depend_on_how_many_files_there_are() {
    // Its version is asked for once.
    crate::git::version(std::path::Path::new("/")).unwrap();
    let mut counts = Vec::new();
    for files in [3, 60] {
        let yard = Yard::new();
        for number in 0..files {
            yard.scratch.write(&format!("many/{}/{number}", number % 7), number.to_string());
        }
        yard.scratch.git(&["add", "-A"]);
        yard.scratch.git(&["commit", "-q", "-m", "many"]);
        let before = calls_made();
        let (worker, other) = (yard.open(1), yard.open(2));
        for number in 0..files {
            worker.write(&format!("many/{}/{number}", number % 7), "changed");
            other.write(&format!("more/{number}"), "new");
        }
        yard.deliver(&worker);
        yard.deliver(&other);
        counts.push(calls_made() - before);
        assert_eq!(yard.status(), "");
    }
    assert_eq!(counts[0], counts[1], "{counts:?}");
}
