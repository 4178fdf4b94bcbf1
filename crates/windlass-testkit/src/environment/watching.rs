//! Whether a test can watch the system calls of what it starts.

use super::TestEnv;

impl TestEnv {
    /// Can system calls be watched here? Where not, that is said, and the test passes over what it would show.
    ///
    /// # Panics
    /// They cannot be watched where `WINDLASS_TEST_SANDBOX` is `required`: continuous integration has to have all it takes.
    #[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
    pub fn can_watch_system_calls(&self) -> bool {
        let tried = self.command("strace").args(["-o", "/dev/null", "true"]).output();
        let works = tried.is_ok_and(|output| output.status.success());
        let required = std::env::var_os("WINDLASS_TEST_SANDBOX").is_some_and(|value| value == "required");
        assert!(works || !required, "strace is not installed, or may not watch here");
        if !works {
            eprintln!("skipped, because strace is not installed or may not watch here");
        }
        works
    }
}
