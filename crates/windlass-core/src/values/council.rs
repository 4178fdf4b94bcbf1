//! Councils: what an agent could not settle by a project's principles, and what a fresh agent decided about it.

use serde::{Deserialize, Serialize};

use super::{CallSummary, Class};

/// A conflict of principles that an agent has reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The principles that contradict each other, at most 6 of at most 80 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub principles: Vec<String>,
    /// What could be done, at most 6 of at most 300 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What has to be decided, at most 1,000 characters.
    pub question: String,
}

/// What a council has answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What is to be done, at most 500 characters.
    pub decision: String,
    /// Why, at most 1,000 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rationale: String,
    /// Which of the offered options it is, counted from 1; `None` = it names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<u32>,
}

/// A conflict that a council has settled. It is a rule for every later call of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledConflict {
    /// The iteration whose agent reported it.
    pub iteration: u32,
    /// The council's attempt within that iteration.
    pub attempt: u32,
    /// What was in conflict.
    pub conflict: Conflict,
    /// What was decided.
    pub decision: Decision,
}

impl Conflict {
    /// Does a decision settle it? Where options were offered it has to be one of them.
    pub fn is_settled_by(&self, decision: &Decision) -> bool {
        let offered = self.options.is_empty() || self.chosen(decision).is_some();
        offered && !decision.decision.is_empty()
    }

    /// The option that a decision chooses; `None` where none were offered, or it names none of them.
    pub fn chosen(&self, decision: &Decision) -> Option<&str> {
        let place = usize::try_from(decision.choice?.checked_sub(1)?).ok()?;
        self.options.get(place).map(String::as_str)
    }
}

impl SettledConflict {
    /// The option that was chosen; `None` where none were offered.
    pub fn chosen(&self) -> Option<&str> {
        self.conflict.chosen(&self.decision)
    }
}

impl Decision {
    /// What a council's call came to; `None` where it decided nothing of what was asked. One that went on working and failed
    /// has not said its last word.
    pub fn of<'a>(call: &'a CallSummary, conflict: &Conflict) -> Option<&'a Decision> {
        let said = call.decision.as_deref().filter(|_| call.class == Class::Success)?;
        conflict.is_settled_by(said).then_some(said)
    }

    /// Why a council's answer cannot be used, in one sentence; `None` where it can.
    pub fn unusable_because(call: &CallSummary, conflict: &Conflict) -> Option<&'static str> {
        if Decision::of(call, conflict).is_some() {
            return None;
        }
        Some(match &call.decision {
            _ if call.class != Class::Success => "the council's call failed",
            None => "the council decided nothing",
            Some(_) => "the council chose what was not offered",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(choice: Option<u32>) -> Decision {
        Decision { decision: "do it".to_owned(), rationale: String::new(), choice }
    }

    fn offering(options: &[&str]) -> Conflict {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Conflict { options, question: "which?".to_owned(), ..Conflict::default() }
    }

    #[test]
    fn where_options_are_offered_one_of_them_is_chosen_or_nothing_is_decided() {
        let (open, two) = (offering(&[]), offering(&["a", "b"]));
        for (conflict, choice, settles) in [
            (&open, None, true),
            (&open, Some(3), true),
            (&two, None, false),
            (&two, Some(0), false),
            (&two, Some(1), true),
            (&two, Some(2), true),
            (&two, Some(3), false),
            (&two, Some(u32::MAX), false),
        ] {
            let decision = Some(Box::new(decision(choice)));
            let call = CallSummary { decision, ..CallSummary::uneventful() };
            assert_eq!(Decision::of(&call, conflict).is_some(), settles, "{choice:?} of {conflict:?}");
            assert_eq!(Decision::unusable_because(&call, conflict).is_none(), settles);
        }
        let settled =
            SettledConflict { conflict: two, decision: decision(Some(2)), ..SettledConflict::default() };
        assert_eq!(settled.chosen(), Some("b"));
        let settled =
            SettledConflict { conflict: open, decision: decision(Some(2)), ..SettledConflict::default() };
        assert_eq!(settled.chosen(), None);
    }

    #[test]
    fn a_call_that_failed_or_said_nothing_decides_nothing() {
        let silent = CallSummary::uneventful();
        let decision = Some(Box::new(decision(None)));
        let failed = CallSummary { class: Class::TaskFailure, decision, ..CallSummary::uneventful() };
        for call in [silent, failed] {
            assert_eq!(Decision::of(&call, &offering(&[])), None);
            assert!(Decision::unusable_because(&call, &offering(&[])).is_some());
        }
    }
}
