//! What a fresh agent made of an iteration's work that it was asked to look over.

use serde::{Deserialize, Serialize};
use strum::VariantNames;

use super::{CallSummary, Class};

/// The answer of a call whose purpose is to review, as a structure: prose is never searched for a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// What it says of the work.
    pub verdict: ReviewVerdict,
    /// One paragraph, at most 1,000 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What it found, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ReviewFinding>,
    /// What it says of each success criterion that it was asked about, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionJudged>,
}

/// What a reviewer says of one success criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionJudged {
    /// Which, from 1, as they were put to it.
    pub number: u32,
    /// Its words, as the task has them; empty in an answer that the run has not taken in yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub criterion: String,
    /// Is it met? `None` where the answer leaves that out, or says both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
    /// Why, at most 500 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
}

/// What a reviewer says of the work. What it means is said by [`Reviewed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReviewVerdict {
    /// It is good as it is.
    Pass,
    /// It is good with what the reviewer itself has changed.
    Changed,
    /// It has to be mended first.
    Reject,
}

/// One thing that a reviewer found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewFinding {
    /// Must it be mended?
    pub severity: Severity,
    /// The file, relative to the project, at most 200 characters; empty where it is about none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What, at most 500 characters.
    pub text: String,
}

/// Must it be mended?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// The work may not stand with it.
    Blocking,
    /// It is advice.
    Minor,
}

/// What the runner makes of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Reviewed {
    /// The work may stand.
    Passed,
    /// It may not.
    Rejected,
    /// There is no verdict that could be used: the work is not shown to be good.
    Unusable,
    /// Nobody was asked, since too little had changed.
    Skipped,
}

impl ReviewFinding {
    /// Where and what, whichever line it is on now.
    pub fn identity(&self) -> (&str, &str) {
        (&self.file, &self.text)
    }
}

impl Review {
    /// What must be mended.
    pub fn blocking(&self) -> impl Iterator<Item = &ReviewFinding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Blocking)
    }

    /// The success criteria that are not met.
    pub fn unmet(&self) -> impl Iterator<Item = &CriterionJudged> {
        self.criteria.iter().filter(|judged| judged.met == Some(false))
    }

    /// The same answer with each of the criteria that were asked about, whether it names them or not, and with no others.
    #[must_use]
    pub fn of_criteria<'a>(self, asked: impl IntoIterator<Item = &'a str>) -> Review {
        let of = |(number, criterion)| one_answer(&self.criteria, number, criterion);
        let criteria = (1..).zip(asked).map(of).collect();
        Review { criteria, ..self }
    }

    /// Does it say of each criterion whether it is met?
    fn says_all(&self) -> bool {
        self.criteria.iter().all(|judged| judged.met.is_some())
    }

    /// What it means; advice alone rejects nothing, and a criterion that is not met blocks as a finding does.
    pub fn outcome(&self) -> Reviewed {
        if !self.says_all() {
            return Reviewed::Unusable;
        }
        let rejects = self.verdict == ReviewVerdict::Reject;
        let blocks = self.blocking().next().is_some() || self.unmet().next().is_some();
        match (rejects, blocks) {
            (true, true) => Reviewed::Rejected,
            (true, false) if self.findings.is_empty() => Reviewed::Unusable,
            (false, true) => Reviewed::Unusable,
            (_, false) => Reviewed::Passed,
        }
    }
}

impl Reviewed {
    /// What a reviewing call came to. One that went on working and failed has not said its last word.
    pub fn of(call: &CallSummary) -> Reviewed {
        let ended = call.class == Class::Success;
        call.review.as_ref().filter(|_| ended).map_or(Reviewed::Unusable, Review::outcome)
    }

    /// May the work stand?
    pub const fn holds(self) -> bool {
        matches!(self, Reviewed::Passed | Reviewed::Skipped)
    }

    /// Why a call's answer cannot be used, in one sentence; `None` where it can.
    pub fn unusable_because(call: &CallSummary) -> Option<&'static str> {
        if Reviewed::of(call) != Reviewed::Unusable {
            return None;
        }
        Some(match &call.review {
            _ if call.class != Class::Success => "the reviewer's call failed",
            None => "the reviewer gave no verdict",
            Some(review) if !review.says_all() => {
                "the reviewer did not say of each success criterion whether it is met"
            }
            Some(review) if review.verdict == ReviewVerdict::Reject => {
                "the reviewer rejected the work and named nothing to fix"
            }
            Some(review) if review.unmet().next().is_some() => {
                "the reviewer let the work pass and called a success criterion not met"
            }
            Some(_) => "the reviewer let the work pass and named what must be fixed",
        })
    }
}

/// What the answers say of one criterion.
fn one_answer(answers: &[CriterionJudged], number: u32, criterion: &str) -> CriterionJudged {
    let said: Vec<&CriterionJudged> = answers.iter().filter(|answer| answer.number == number).collect();
    let first = said.first().and_then(|answer| answer.met);
    let met = first.filter(|met| said.iter().all(|answer| answer.met == Some(*met)));
    let because = said.first().map(|answer| answer.because.clone()).unwrap_or_default();
    CriterionJudged { number, criterion: criterion.to_owned(), met, because }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(verdict: ReviewVerdict, severities: &[Severity]) -> Review {
        let finding = |severity: &Severity| ReviewFinding {
            severity: *severity,
            file: "a.rs".to_owned(),
            line: Some(3),
            text: "wrong".to_owned(),
        };
        let findings = severities.iter().map(finding).collect();
        Review { verdict, summary: String::new(), findings, criteria: Vec::new() }
    }

    fn says(number: u32, met: Option<bool>) -> CriterionJudged {
        CriterionJudged { number, criterion: String::new(), met, because: "seen".to_owned() }
    }

    // rows: 135
    #[test]
    fn an_answer_is_one_only_with_each_criterion_and_an_unmet_one_blocks() {
        use ReviewVerdict::{Pass, Reject};
        let (yes, no) = (Some(true), Some(false));
        for (verdict, answers, means) in [
            (Pass, vec![says(1, yes), says(2, yes)], Reviewed::Passed),
            (Pass, vec![says(2, yes), says(1, yes), says(9, no)], Reviewed::Passed),
            (Pass, vec![says(1, yes)], Reviewed::Unusable),
            (Pass, vec![], Reviewed::Unusable),
            (Pass, vec![says(1, yes), says(2, no)], Reviewed::Unusable),
            (Pass, vec![says(1, yes), says(2, yes), says(2, no)], Reviewed::Unusable),
            (Pass, vec![says(1, yes), says(2, None)], Reviewed::Unusable),
            (Reject, vec![says(1, yes), says(2, no)], Reviewed::Rejected),
            (Reject, vec![says(1, no)], Reviewed::Unusable),
            (Reject, vec![says(1, yes), says(2, yes)], Reviewed::Unusable),
        ] {
            let answer = Review { criteria: answers, ..review(verdict, &[]) };
            let review = answer.of_criteria(["It is fast", "It is small"]);
            assert_eq!(review.outcome(), means, "{review:?}");
            assert_eq!(review.criteria.len(), 2);
            assert_eq!(review.criteria[1].criterion, "It is small");
            let call = CallSummary { review: Some(review), ..CallSummary::uneventful() };
            assert_eq!(Reviewed::unusable_because(&call).is_some(), means == Reviewed::Unusable);
        }
        let unasked = Review { criteria: vec![says(1, no)], ..review(Pass, &[]) };
        assert_eq!(unasked.of_criteria([]).outcome(), Reviewed::Passed);
    }

    #[test]
    fn a_verdict_that_its_findings_contradict_is_none() {
        use ReviewVerdict::{Changed, Pass, Reject};
        use Severity::{Blocking, Minor};
        for (verdict, severities, means) in [
            (Pass, &[][..], Reviewed::Passed),
            (Pass, &[Minor], Reviewed::Passed),
            (Pass, &[Minor, Blocking], Reviewed::Unusable),
            (Changed, &[], Reviewed::Passed),
            (Changed, &[Blocking], Reviewed::Unusable),
            (Reject, &[Blocking], Reviewed::Rejected),
            (Reject, &[Minor, Blocking], Reviewed::Rejected),
            (Reject, &[Minor], Reviewed::Passed),
            (Reject, &[], Reviewed::Unusable),
        ] {
            let review = review(verdict, severities);
            assert_eq!(review.outcome(), means, "{review:?}");
            let call = CallSummary { review: Some(review), ..CallSummary::uneventful() };
            assert_eq!(Reviewed::of(&call), means);
            assert_eq!(Reviewed::unusable_because(&call).is_some(), means == Reviewed::Unusable);
        }
    }

    #[test]
    fn a_call_that_failed_or_said_nothing_has_no_verdict() {
        let pass = Some(review(ReviewVerdict::Pass, &[]));
        let silent = CallSummary::uneventful();
        let failed = CallSummary { class: Class::TaskFailure, review: pass, ..CallSummary::uneventful() };
        for call in [silent, failed] {
            assert_eq!(Reviewed::of(&call), Reviewed::Unusable);
            assert!(Reviewed::unusable_because(&call).is_some());
        }
    }
}
