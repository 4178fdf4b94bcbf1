//! What an agent does in one call.

use std::time::Duration;

use jiff::Timestamp;

use crate::values::{
    Assessed, Assessment, Bill, CallReport, Class, Confidence, Cost, CriterionJudged, Cut, Decision, Ended,
    JobStatus, Review, ReviewFinding, ReviewVerdict, Severity, Tokens, UsageLimit,
};

/// What an agent does in one call.
#[derive(Clone, Debug)]
pub struct Act {
    pub report: CallReport,
    /// The tree that it leaves; `None` = untouched.
    pub tree: Option<String>,
    /// What it writes into the status file; `None` = untouched.
    pub status: Option<JobStatus>,
}

pub fn report(class: Class) -> CallReport {
    CallReport {
        class,
        detail: String::new(),
        ended: Ended::Exited(0),
        cut: None,
        cost: Some(Cost::from_micros(100_000)),
        tokens: Tokens { input: 100, output: 20, ..Tokens::default() },
        bill: Bill::default(),
        results: Vec::new(),
        assessment: None,
        review: None,
        decision: None,
        tool_uses: 1,
        denials: Vec::new(),
        limit: None,
        elsewhere: false,
        overage: false,
        model: String::new(),
        windows: Vec::new(),
        garbage_lines: 0,
        duration: Duration::from_mins(1),
    }
}

impl Act {
    pub fn of(class: Class) -> Act {
        Act { report: report(class), tree: None, status: None }
    }
    pub fn works(tree: &str) -> Act {
        Act { tree: Some(tree.to_owned()), ..Act::of(Class::Success) }
    }
    pub fn claims(tree: &str) -> Act {
        Act::works(tree).says("All done.\nWINDLASS_JOB_COMPLETE\n")
    }
    pub fn idles() -> Act {
        Act::of(Class::Success)
    }
    pub fn says(mut self, text: &str) -> Act {
        self.report.results = vec![text.to_owned()];
        self
    }
    pub fn writes(mut self, status: JobStatus) -> Act {
        self.status = Some(status);
        self
    }
    pub fn judges(verdict: Assessed) -> Act {
        let mut act = Act::of(Class::Success);
        act.report.assessment = Some(Assessment {
            verdict,
            confidence: Confidence::High,
            summary: "looked at it".to_owned(),
            findings: Vec::new(),
            met: Vec::new(),
            recommendation: String::new(),
        });
        act
    }
    pub fn reviews(verdict: ReviewVerdict, blocking: &[&str]) -> Act {
        let finding = |text: &&str| ReviewFinding {
            severity: Severity::Blocking,
            file: "src/main.rs".to_owned(),
            line: None,
            text: (*text).to_owned(),
        };
        let findings = blocking.iter().map(finding).collect();
        let mut act = Act::of(Class::Success);
        act.report.review =
            Some(Review { verdict, summary: "looked at it".to_owned(), findings, criteria: Vec::new() });
        act
    }
    /// What it says of each criterion, and so of the work.
    pub fn judges_criteria(met: &[bool]) -> Act {
        let passes = met.iter().all(|met| *met);
        let mut act = Act::reviews(if passes { ReviewVerdict::Pass } else { ReviewVerdict::Reject }, &[]);
        let said = (1..).zip(met).map(|(number, met)| CriterionJudged {
            number,
            criterion: String::new(),
            met: Some(*met),
            because: "seen".to_owned(),
        });
        if let Some(review) = &mut act.report.review {
            review.criteria = said.collect();
        }
        act
    }
    pub fn rejects(blocking: &str) -> Act {
        Act::reviews(ReviewVerdict::Reject, &[blocking])
    }
    pub fn passes() -> Act {
        Act::reviews(ReviewVerdict::Pass, &[])
    }
    /// What an agent at work says that could not settle something; two ways are offered.
    pub fn conflicts(mut self, question: &str) -> Act {
        let words = self.report.results.pop().unwrap_or_default();
        let conflict = format!(
            r#"{{"principle_conflict": {{"principles": ["a", "b"], "options": ["x", "y"], "question": "{question}"}}}}"#
        );
        self.says(&format!("{conflict}\n{words}"))
    }
    /// What a council decides.
    pub fn decides(choice: Option<u32>) -> Act {
        let mut act = Act::of(Class::Success);
        let decision =
            Decision { decision: "do it".to_owned(), rationale: "it is easier to undo".to_owned(), choice };
        act.report.decision = Some(decision);
        act
    }
    pub fn costs(mut self, cost: Cost) -> Act {
        self.report.cost = Some(cost);
        self
    }
    pub fn free(self) -> Act {
        self.costs(Cost::ZERO)
    }
    pub fn dies(mut self) -> Act {
        self.report.cost = None;
        self
    }
    pub fn leaves(mut self, tree: &str) -> Act {
        self.tree = Some(tree.to_owned());
        self
    }
    pub fn cut(mut self, cut: Cut) -> Act {
        self.report.cut = Some(cut);
        self
    }
    pub fn overage(mut self) -> Act {
        self.report.overage = true;
        self
    }
    pub fn limited(resets_at: Option<Timestamp>) -> Act {
        let mut act = Act::of(Class::UsageLimit).free();
        act.report.limit = Some(UsageLimit { resets_at, window: "five_hour".to_owned() });
        act
    }
}
