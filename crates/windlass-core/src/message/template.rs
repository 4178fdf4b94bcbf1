//! A line with placeholders: `{type}({feature}): {task} {title}`.

use crate::typed::{nearest, shown};

/// A line of a project's own, checked when it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    source: String,
    parts: Vec<Part>,
}

/// Why a text is not a template: one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TemplateError(String);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Words(String),
    Value(Placeholder),
}

/// What a template may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placeholder {
    Action,
    Iteration,
    Task,
    Title,
    Type,
    Feature,
    Status,
    Run,
}

const PLACEHOLDERS: [(&str, Placeholder); 8] = [
    ("action", Placeholder::Action),
    ("iteration", Placeholder::Iteration),
    ("task", Placeholder::Task),
    ("title", Placeholder::Title),
    ("type", Placeholder::Type),
    ("feature", Placeholder::Feature),
    ("status", Placeholder::Status),
    ("run", Placeholder::Run),
];

/// Names of seed 003 that have another name here.
const FORMER: [(&str, &str); 2] = [("taskId", "task"), ("taskTitle", "title")];

/// Characters of a template.
const LONGEST: usize = 200;

impl Template {
    /// Reads a template. `{{` and `}}` stand for a brace.
    pub(super) fn parse(text: &str, presets: [&str; 3]) -> Result<Template, TemplateError> {
        let refuse = |why: String| Err(TemplateError(format!("`{}` {why}", shown(text))));
        if text.is_empty() {
            return Err(TemplateError("it is empty".to_owned()));
        }
        if text.chars().any(char::is_control) {
            return refuse("must be one line, without control characters".to_owned());
        }
        if text.chars().count() > LONGEST {
            return refuse(format!("is longer than {LONGEST} characters"));
        }
        let parts = match parts(text) {
            Ok(parts) => parts,
            Err(why) => return refuse(why),
        };
        if !parts.iter().any(|part| matches!(part, Part::Value(_))) {
            return refuse(match nearest(text, presets) {
                Some(meant) => format!("is not a preset; did you mean `{meant}`?"),
                None => format!(
                    "says the same of every commit; write {}, or a line with a placeholder such as `{{action}}`",
                    presets.map(|name| format!("`{name}`")).join(", ")
                ),
            });
        }
        Ok(Template { source: text.to_owned(), parts })
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn names(&self, placeholder: Placeholder) -> bool {
        self.parts.contains(&Part::Value(placeholder))
    }

    pub(super) fn fill(&self, value: impl Fn(Placeholder) -> String) -> String {
        let part = |part: &Part| match part {
            Part::Words(words) => words.clone(),
            Part::Value(placeholder) => value(*placeholder),
        };
        self.parts.iter().map(part).collect()
    }
}

fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut words = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        words.push_str(before);
        if let Some(after) = from.strip_prefix("{{") {
            words.push('{');
            rest = after;
        } else if let Some(after) = from.strip_prefix("}}") {
            words.push('}');
            rest = after;
        } else {
            let inner = from.strip_prefix('{').ok_or("has a `}` without a `{`; write `}}` for a brace")?;
            let (name, after) =
                inner.split_once('}').ok_or("has a `{` without a `}`; write `{{` for a brace")?;
            parts.push(Part::Words(std::mem::take(&mut words)));
            parts.push(Part::Value(placeholder(name)?));
            rest = after;
        }
    }
    words.push_str(rest);
    parts.push(Part::Words(words));
    parts.retain(|part| *part != Part::Words(String::new()));
    Ok(parts)
}

fn placeholder(name: &str) -> Result<Placeholder, String> {
    if let Some((_, placeholder)) = PLACEHOLDERS.into_iter().find(|(known, _)| *known == name) {
        return Ok(placeholder);
    }
    let names = PLACEHOLDERS.map(|(name, _)| name);
    let former = FORMER.into_iter().find(|(former, _)| *former == name).map(|(_, now)| now);
    let meant = former.or_else(|| nearest(&name.trim().to_ascii_lowercase(), names));
    let name = shown(name);
    Err(meant.map_or_else(
        || {
            let all = names.map(|name| format!("{{{name}}}")).join(" ");
            format!("names `{{{name}}}`, which there is not; there are {all}")
        },
        |meant| format!("names `{{{name}}}`; did you mean `{{{meant}}}`?"),
    ))
}
