//! What the agent answers about success criteria where its script says nothing of them.

use serde_json::{Value, json};

/// What stands before the criteria in a prompt.
const HEADING: &str = "## The success criteria\n";

/// The answer with what it says of each criterion that the prompt names: that it is met, unless it rejects. A script that has
/// `criteria` of its own has said all.
pub fn with_criteria(structured: Option<&Value>, prompt: &str) -> Option<Value> {
    let mut answer = structured?.clone();
    let fields = answer.as_object_mut()?;
    let asked = criteria(prompt);
    if asked > 0 && !fields.contains_key("criteria") {
        let met = fields.get("verdict").and_then(Value::as_str) != Some("reject");
        let said =
            (1..=asked).map(|number| json!({"number": number, "met": met, "because": "the script says so"}));
        fields.insert("criteria".to_owned(), said.collect());
    }
    Some(answer)
}

/// How many criteria a prompt asks about.
fn criteria(prompt: &str) -> usize {
    let Some((_, section)) = prompt.split_once(HEADING) else { return 0 };
    let section = section.split("\n## ").next().unwrap_or_default();
    let is_numbered = |line: &&str| {
        let digits = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
        digits.len() < line.len() && digits.starts_with(". ")
    };
    section.lines().filter(is_numbered).count()
}
