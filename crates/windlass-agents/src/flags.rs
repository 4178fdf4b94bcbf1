//! Flags of agents that are Windlass's, and may not be passed through.

/// Flags by all of their names, and why each is refused.
pub(crate) type Owned = &'static [(&'static [&'static str], &'static str)];

/// Why an argument for an agent is refused; `None` = it may be passed through. A flag is known by its name, before a `=`
/// (`--model=x`), and by its letter, before what is written behind it (`-mx`).
pub(crate) fn owned(flags: Owned, argument: &str) -> Option<&'static str> {
    if argument == "--" {
        return Some("it would turn Windlass's own flags into a prompt");
    }
    let name = argument.split('=').next()?;
    let letter =
        argument.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|_| argument.get(..2));
    let is_meant = |flag: &&str| *flag == name || Some(*flag) == letter;
    flags.iter().find(|(names, _)| names.iter().any(is_meant)).map(|(_, reason)| *reason)
}
