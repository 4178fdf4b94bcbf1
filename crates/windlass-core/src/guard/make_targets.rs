//! Rules of a makefile that run only as long as nothing has their name: `test:` that is not `.PHONY` does nothing, and
//! succeeds, as soon as there is a file or a folder called `test`.

use std::collections::{BTreeMap, BTreeSet};

/// One target: what it needs, and whether its recipe speaks of it, as one does that makes it.
#[derive(Debug, Default)]
struct Target {
    needs: Vec<String>,
    has_recipe: bool,
    is_written: bool,
}

/// The targets that these goals lead to (none = the first of the file), and that no recipe seems to make: a file of that
/// name would keep make from running them. Patterns and names with variables are left out.
pub fn unwritten_targets(text: &str, goals: &[String]) -> BTreeSet<String> {
    let joined = text.replace("\\\n", " ");
    let (mut targets, first) = read(&joined);
    let phony = targets.remove(".PHONY").map(|phony| phony.needs).unwrap_or_default();
    let mut open: Vec<String> = if goals.is_empty() { first.into_iter().collect() } else { goals.to_vec() };
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        let Some(target) = targets.get(&name) else { continue };
        if seen.insert(name) {
            open.extend(target.needs.iter().cloned());
        }
    }
    seen.retain(|name| {
        let target = targets.get(name);
        target.is_some_and(|target| target.has_recipe && !target.is_written) && !phony.contains(name)
    });
    seen
}

/// The targets of a makefile whose lines are joined, and the first that a bare `make` would make.
fn read(text: &str) -> (BTreeMap<String, Target>, Option<String>) {
    let mut targets: BTreeMap<String, Target> = BTreeMap::new();
    let mut first = None;
    let mut names: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(recipe) = line.strip_prefix('\t') {
            take_recipe(&mut targets, &names, recipe);
            continue;
        }
        let line = line.split('#').next().unwrap_or_default();
        let Some((left, needs, recipe)) = rule(line) else {
            if !line.trim().is_empty() {
                names.clear();
            }
            continue;
        };
        names =
            left.split_whitespace().filter(|name| !name.contains(['%', '$'])).map(str::to_owned).collect();
        for name in &names {
            let target = targets.entry(name.clone()).or_default();
            target.needs.extend(needs.split_whitespace().map(str::to_owned));
        }
        first = first.or_else(|| names.iter().find(|name| !name.starts_with('.')).cloned());
        if let Some(recipe) = recipe {
            take_recipe(&mut targets, &names, recipe);
        }
    }
    (targets, first)
}

/// `a b: c d ; recipe`; a line that sets a variable is none.
fn rule(line: &str) -> Option<(&str, &str, Option<&str>)> {
    let (left, rest) = line.split_once(':')?;
    if left.contains('=') || rest.starts_with('=') || rest.starts_with(":=") {
        return None;
    }
    let rest = rest.trim_start_matches(':');
    let (needs, recipe) = rest.split_once(';').map_or((rest, None), |(needs, recipe)| (needs, Some(recipe)));
    // What a target sets for itself: `test: FLAGS = -v`.
    (!needs.contains('=')).then_some((left, needs, recipe))
}

fn take_recipe(targets: &mut BTreeMap<String, Target>, names: &[String], recipe: &str) {
    let words = || recipe.split(|char: char| !(char.is_alphanumeric() || "_-./+".contains(char)));
    let makes = |name: &str| words().any(|word| word.trim_start_matches("./").trim_end_matches('/') == name);
    let by_variable = recipe.contains("$@") || recipe.contains("$(@") || recipe.contains("${@");
    for name in names {
        let target = targets.entry(name.clone()).or_default();
        target.has_recipe = true;
        target.is_written |= by_variable || makes(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, goals: &[&str]) -> Vec<String> {
        let goals: Vec<String> = goals.iter().map(|goal| (*goal).to_owned()).collect();
        unwritten_targets(text, &goals).into_iter().collect()
    }

    #[test]
    fn what_only_a_missing_file_lets_run_is_found_by_the_goals() {
        let text = "V := 1\n# c: d\ntest: unit lint ; @echo $(V)\nunit:\n\tsh unit.sh\nlint: FLAGS = x\nlint:\n\tsh lint.sh\nother:\n\tx\n";
        assert_eq!(found(text, &["test"]), ["lint", "test", "unit"]);
        assert_eq!(found(text, &[]), ["lint", "test", "unit"]);
        assert_eq!(found(text, &["lint"]), ["lint"]);
        assert_eq!(found(text, &["none"]), Vec::<String>::new());
        assert_eq!(found("a \\\n b:\n\n\tx\n", &["b"]), ["b"]);
    }

    #[test]
    fn what_is_phony_or_made_by_its_recipe_is_not() {
        for text in [
            ".PHONY: test\ntest:\n\tx\n",
            "test:\n\tx\n.PHONY: a \\\n test\n",
            "test:\n\tcc -o $@ x.c\n",
            "test:\n\tcc -o ./test x.c\n",
            "test:\n\tmkdir -p test/\n",
            "test:\n\tcp x $(@D)\n",
            "test: unit\n",
            "%: x\n\ty\n$(NAME):\n\ty\n",
            "test = a:b\n",
        ] {
            assert_eq!(found(text, &["test"]), Vec::<String>::new(), "{text}");
        }
        // To run something in another folder makes nothing here.
        assert_eq!(found("test:\n\tcd sub && pytest tests\n", &["test"]), ["test"]);
    }
}
