//! Prompt templates: text with `{{tokens}}`.

/// Replaces `{{name}}` by the value of that name, in one pass: what is put in is never looked at again, and no
/// character in it has a meaning (seed defect D1, utils/template.ts). Names that are not known stay as they are.
pub(super) fn render(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(begin) = rest.find("{{") {
        let (before, after) = rest.split_at(begin);
        text.push_str(before);
        let token = after[2..].split_once("}}").map(|(name, _)| name);
        let value = token.and_then(|name| values.iter().find(|(known, _)| *known == name.trim()));
        if let (Some(name), Some((_, value))) = (token, value) {
            text.push_str(value);
            rest = &after[name.len() + 4..];
        } else {
            text.push_str("{{");
            rest = &after[2..];
        }
    }
    text.push_str(rest);
    text
}

/// Does the template say where the value of this name goes?
pub fn names(template: &str, name: &str) -> bool {
    const PROBE: &str = "\u{0}";
    render(template, &[(name, PROBE)]).contains(PROBE)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Seed defect D1, utils/template.ts:20: `$&` in a value was expanded, and tokens in it replaced.
    #[test]
    fn values_are_put_in_once_and_word_for_word() {
        let values = [("a", "$& {{b}} $1 \\0"), ("b", "B")];
        assert_eq!(render("{{a}}/{{ b }}", &values), "$& {{b}} $1 \\0/B");
    }

    #[test]
    fn what_is_no_token_stays() {
        for text in ["{{unknown}}", "{{", "}}", "{{{{", "{{}}", "{ {a} }", "{{a"] {
            assert_eq!(render(text, &[("a", "A")]), text);
        }
        assert_eq!(render("{{x {{a}}", &[("a", "A")]), "{{x A");
    }

    #[test]
    fn a_name_is_found() {
        assert!(names("x {{ a }} y", "a"));
        assert!(!names("{{b}} a", "a"));
    }
}
