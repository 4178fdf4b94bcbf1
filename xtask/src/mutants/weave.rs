//! All mutants of a file in one text: each function becomes a `match` on the number of the mutant that is wanted, with
//! one arm for each of its mutants and a last one for what it really does. So all of them are compiled at once.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use super::listing::{Mutant, Place, Span};

/// What stands before the arms of a function, and before the numbers of its mutants.
const SWITCH: &str = "match crate::which::mutant";

/// A file with its mutants.
pub struct Woven {
    /// The file's text.
    pub text: String,
    /// The lines of each mutant's arm.
    pub arms: Vec<(usize, Range<usize>)>,
}

/// Weaves the mutants into their file's text. What cannot be woven has no arm: mutants outside of functions, and those
/// of functions that return what only one body can be (`impl Trait`).
pub fn weave(source: &str, mutants: &[(usize, &Mutant)]) -> Woven {
    let lines = line_starts(source);
    let mut functions: BTreeMap<Span, Vec<(usize, &Mutant)>> = BTreeMap::new();
    for (number, mutant) in mutants {
        if let Some(function) = mutant.function.as_ref().filter(|one| !one.return_type.contains("impl ")) {
            functions.entry(function.span).or_default().push((*number, *mutant));
        }
    }
    let mut woven = Woven { text: String::with_capacity(source.len() * 4), arms: Vec::new() };
    let mut at = 0;
    for (span, mutants) in functions {
        let whole = offset(source, &lines, span.start)..offset(source, &lines, span.end);
        let Some(body) = body(source, &whole).filter(|body| body.start >= at) else { continue };
        woven.text.push_str(&source[at..body.start]);
        let (first, last) = (mutants[0].0, mutants[mutants.len() - 1].0);
        let _ = writeln!(woven.text, "{SWITCH}({first}..={last}) {{");
        for (number, mutant) in mutants {
            let change = offset(source, &lines, mutant.span.start)..offset(source, &lines, mutant.span.end);
            woven.arm(number, source, &body, &change, &mutant.replacement);
        }
        woven.text.push_str("_ => {");
        woven.text.push_str(&source[body.clone()]);
        woven.text.push_str("}\n}\n");
        at = body.end;
    }
    woven.text.push_str(&source[at..]);
    // Which mutant is wanted is not known to the compiler.
    woven.text = woven.text.replace("const fn ", "fn ");
    woven
}

impl Woven {
    fn arm(&mut self, number: usize, source: &str, body: &Range<usize>, change: &Range<usize>, by: &str) {
        let first = self.line();
        let (before, after) = (&source[body.start..change.start], &source[change.end..body.end]);
        let _ = writeln!(self.text, "{number} => {{{before}{by} {after}}}");
        self.arms.push((number, first..self.line()));
    }

    fn line(&self) -> usize {
        self.text.matches('\n').count() + 1
    }
}

/// What stands between the braces of a function.
fn body(source: &str, function: &Range<usize>) -> Option<Range<usize>> {
    let mut at = function.start;
    let signature = source[function.clone()].split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        let text = line.trim_start();
        (!text.starts_with("///") && !text.starts_with('#')).then_some(start)
    })?;
    let brace = signature + opening_brace(&source[signature..function.end])?;
    Some(brace + 1..function.end - 1)
}

/// The brace that a function's body begins with: the first one outside of the parameters, whose patterns have some as well.
fn opening_brace(signature: &str) -> Option<usize> {
    let mut depth = 0_usize;
    signature.char_indices().find_map(|(at, character)| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (character == '{' && depth == 0).then_some(at)
    })
}

fn line_starts(source: &str) -> Vec<usize> {
    std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

fn offset(source: &str, lines: &[usize], place: Place) -> usize {
    let start = lines.get(place.line - 1).copied().unwrap_or(source.len());
    let rest = &source[start..];
    start + rest.char_indices().nth(place.column - 1).map_or(rest.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::listing::Function;

    fn mutant(line: usize, from: usize, to: usize, replacement: &str) -> Mutant {
        let span = |line, from, last, to| Span {
            start: Place { line, column: from },
            end: Place { line: last, column: to },
        };
        let function = Function { return_type: "-> bool".to_owned(), span: span(1, 1, 4, 2) };
        Mutant {
            name: String::new(),
            file: String::new(),
            function: Some(function),
            span: span(line, from, line, to),
            replacement: replacement.to_owned(),
        }
    }

    #[test]
    fn each_mutant_is_an_arm_beside_what_the_function_really_does() {
        let source = "/// Is é {less}?\nconst fn less(a: u8) -> bool {\n    a < 2\n}\nfn next() {}\n";
        let (less, all) = (mutant(3, 7, 8, "<="), mutant(3, 5, 10, "true"));
        let woven = weave(source, &[(7, &less), (8, &all)]);
        assert_eq!(
            woven.text,
            "/// Is é {less}?\nfn less(a: u8) -> bool {match crate::which::mutant(7..=8) {\n7 => {\n    a <=  2\n}\n\
             8 => {\n    true \n}\n_ => {\n    a < 2\n}\n}\n}\nfn next() {}\n"
        );
        assert_eq!(woven.arms, [(7, 3..6), (8, 6..9)]);
    }

    #[test]
    fn a_body_begins_behind_the_patterns_of_the_parameters() {
        let source = "fn of(Pair { a, b }: Pair) -> bool {\n    a < b\n}\n";
        let whole = 0..source.len() - 1;
        assert_eq!(&source[body(source, &whole).unwrap()], "\n    a < b\n");
    }
}
