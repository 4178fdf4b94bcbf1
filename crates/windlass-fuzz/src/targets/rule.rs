//! A command as a permission rule. A rule that could be read as another one would allow what nobody allowed.

use windlass_agents::{Right, usual};

pub(crate) fn run(data: &[u8]) {
    let command = String::from_utf8_lossy(data);
    let rules = usual().rules(&Right::RunCheck(command.to_string()));
    let rule = &rules[0];
    assert_eq!(content(rule).as_deref(), Some(expected(command.trim()).as_str()), "{rule}");
    for part in &rules {
        assert!(content(part).is_some(), "{part}");
    }
    let unique: std::collections::BTreeSet<_> = rules.iter().collect();
    assert_eq!(unique.len(), rules.len(), "a rule is there twice");
    assert_eq!(usual().owned_flag(&command), usual().owned_flag(&command.clone()));
}

/// What Claude Code makes of `Bash(…)`: the content ends at the first parenthesis that no backslash escapes, and that
/// must be the end of the rule.
fn content(rule: &str) -> Option<String> {
    let mut rest = rule.strip_prefix("Bash(")?.chars();
    let mut content = String::new();
    loop {
        match rest.next()? {
            '\\' => content.push(rest.next()?),
            ')' => return rest.next().is_none().then_some(content),
            '(' => return None,
            character => content.push(character),
        }
    }
}

/// A rule with a `*` is unescaped once more.
fn expected(command: &str) -> String {
    let mut escaped = false;
    let wild = command.chars().any(|character| {
        let found = character == '*' && !escaped;
        escaped = character == '\\' && !escaped;
        found
    });
    if wild { command.replace('\\', "\\\\") } else { command.to_owned() }
}
