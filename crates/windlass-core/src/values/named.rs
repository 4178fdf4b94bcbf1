//! Names of variants.

/// What is called by a word: in journals, in `--json`, in configuration. The word is strum's `IntoStaticStr`.
pub trait Named {
    /// The word.
    fn name(&self) -> &'static str;
}

impl<T> Named for T
where
    for<'a> &'a T: Into<&'static str>,
{
    fn name(&self) -> &'static str {
        self.into()
    }
}
