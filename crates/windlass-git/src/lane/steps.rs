//! The steps of a landing. Cut off after any of them, the same landing is called again and finishes it.

/// What has been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The lane's commit is in the main repository; nothing names it.
    Fetched,
    /// The commit that lands is made; nothing names it.
    Committed,
    /// What the checkout will get is on its disk, aside.
    Staged,
    /// Nobody else can change the checkout's index.
    Locked,
    /// The branch is at the commit. Whoever looks for it finds it from here on.
    Advanced,
    /// One of the checkout's files is what it should be.
    OneWritten,
    /// All of them are.
    Written,
    /// The index is, too; it is still locked.
    Indexed,
}

impl Step {
    /// All of them, in order.
    #[cfg(test)]
    pub(crate) const ALL: [Step; 8] = [
        Step::Fetched,
        Step::Committed,
        Step::Staged,
        Step::Locked,
        Step::Advanced,
        Step::OneWritten,
        Step::Written,
        Step::Indexed,
    ];

    /// Says that it is done. In a test that wants to see what follows a power failure, it is the last thing that is said.
    #[cfg(test)]
    pub(crate) fn done(self) {
        if std::env::var(END_AFTER).is_ok_and(|name| name == format!("{self:?}")) {
            std::process::exit(ENDED);
        }
    }

    /// Says that it is done.
    #[cfg(not(test))]
    pub const fn done(self) {
        let _ = self;
    }
}

/// The exit code of such a process.
#[cfg(test)]
pub(crate) const ENDED: i32 = 86;

/// Names the step after which a test's process ends.
#[cfg(test)]
pub(crate) const END_AFTER: &str = "WINDLASS_TEST_END_AFTER";
