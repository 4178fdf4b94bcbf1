//! Issues, by REST: its lists have pages, and what was edited last is asked for by its time.

use jiff::Timestamp;
use serde_json::json;
use windlass_core::forge::{Issue, IssueFilter};

use super::call::Method;
use super::{Gh, LONGEST_BODY, read_issues};
use crate::issues::{CommentList, IssueList, Issues, MOST_COMMENTS, MOST_ISSUES};
use crate::text;
use crate::{ForgeError, ForgeFault};

/// So many are asked for at once: of the longest that GitHub takes, an answer has room for them.
const PAGE: usize = 50;

/// So many milestones are looked through.
const MILESTONES: usize = 100;

impl Issues for Gh {
    fn open_issues(&self, filter: &IssueFilter) -> Result<IssueList, ForgeError> {
        let doing = "list the issues";
        let query = self.filter_query(filter)?;
        let mut list = IssueList::default();
        for page in 1..=MOST_ISSUES / PAGE {
            let path = format!("issues?{query}&per_page={PAGE}&page={page}");
            let answer = self.call(doing).get(&self.path(&path))?.value;
            let (issues, count) = read_issues::issues(&answer).ok_or_else(|| self.garbled(doing))?;
            list.issues.extend(issues);
            if count < PAGE {
                return Ok(list);
            }
        }
        list.cut = true;
        Ok(list)
    }

    fn issue(&self, number: u64) -> Result<Issue, ForgeError> {
        let doing = format!("look at issue {number}");
        let answer = self.call(&doing).get(&self.path(&format!("issues/{number}")))?.value;
        read_issues::issue(&answer).ok_or_else(|| self.garbled(&doing))
    }

    fn comments(&self, number: u64, since: Option<Timestamp>) -> Result<CommentList, ForgeError> {
        let doing = format!("read the comments of issue {number}");
        let since = since.map_or_else(String::new, |since| format!("since={}&", encoded(&to_second(since))));
        let (mut comments, mut asked) = (Vec::new(), None);
        for page in 1..=MOST_COMMENTS / PAGE {
            let path = format!("issues/{number}/comments?{since}per_page={PAGE}&page={page}");
            let answer = self.call(&doing).get(&self.path(&path))?;
            // Without a time nobody could say which leases hold.
            asked = asked.or(answer.date);
            let asked = asked.ok_or_else(|| self.garbled(&doing))?;
            let read = read_issues::comments(&answer.value).ok_or_else(|| self.garbled(&doing))?;
            let count = read.len();
            comments.extend(read);
            if count < PAGE {
                return Ok(CommentList { comments, cut: false, asked });
            }
        }
        let asked = asked.ok_or_else(|| self.garbled(&doing))?;
        Ok(CommentList { comments, cut: true, asked })
    }

    fn add_comment(&self, number: u64, body: &str) -> Result<u64, ForgeError> {
        let doing = format!("comment on issue {number}");
        let body = json!({ "body": text::beginning_of(body, LONGEST_BODY) });
        let path = self.path(&format!("issues/{number}/comments"));
        let made = self.call(&doing).rest(Method::Post, &path, Some(&body))?;
        read_issues::number_of(&made).ok_or_else(|| self.garbled(&doing))
    }

    fn edit_comment(&self, comment: u64, body: &str) -> Result<(), ForgeError> {
        let body = json!({ "body": text::beginning_of(body, LONGEST_BODY) });
        let path = self.path(&format!("issues/comments/{comment}"));
        self.call(&format!("change comment {comment}")).rest(Method::Patch, &path, Some(&body)).map(drop)
    }

    fn add_label(&self, number: u64, label: &str) -> Result<(), ForgeError> {
        let body = json!({ "labels": [label] });
        let path = self.path(&format!("issues/{number}/labels"));
        self.call(&format!("label issue {number}")).rest(Method::Post, &path, Some(&body)).map(drop)
    }

    fn remove_label(&self, number: u64, label: &str) -> Result<(), ForgeError> {
        let path = self.path(&format!("issues/{number}/labels/{}", encoded(label)));
        let doing = format!("take a label from issue {number}");
        match self.call(&doing).rest(Method::Delete, &path, None) {
            // It does not have it.
            Err(ForgeError { fault: ForgeFault::NotFound(_), .. }) => Ok(()),
            other => other.map(drop),
        }
    }

    fn close_issue(&self, number: u64) -> Result<(), ForgeError> {
        let body = json!({ "state": "closed", "state_reason": "completed" });
        let path = self.path(&format!("issues/{number}"));
        self.call(&format!("close issue {number}")).rest(Method::Patch, &path, Some(&body)).map(drop)
    }
}

impl Gh {
    fn filter_query(&self, filter: &IssueFilter) -> Result<String, ForgeError> {
        let mut query = vec!["state=open&sort=created&direction=asc".to_owned()];
        if !filter.labels.is_empty() {
            query.push(format!("labels={}", encoded(&filter.labels.join(","))));
        }
        if let Some(assignee) = &filter.assignee {
            query.push(format!("assignee={}", encoded(assignee)));
        }
        if let Some(milestone) = &filter.milestone {
            query.push(format!("milestone={}", self.milestone_number(milestone)?));
        }
        Ok(query.join("&"))
    }

    /// People know milestones by their titles; the list of issues asks for numbers.
    fn milestone_number(&self, milestone: &str) -> Result<u64, ForgeError> {
        let doing = format!("find the milestone {}", text::one_line(milestone));
        let path = self.path(&format!("milestones?state=all&per_page={MILESTONES}"));
        let answer = self.call(&doing).get(&path)?.value;
        let by_title = read_issues::milestone(&answer, milestone);
        by_title.or_else(|| milestone.parse().ok()).ok_or_else(|| {
            self.call(&doing).failed(ForgeFault::NotFound("no milestone has that title".to_owned()))
        })
    }
}

fn to_second(time: Timestamp) -> String {
    Timestamp::from_second(time.as_second()).unwrap_or(time).to_string()
}

/// As it stands in a path or a query: all but letters, digits, `-`, `_` and `.` as `%XX`.
fn encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_is_taken_for_a_part_of_the_address() {
        assert_eq!(
            encoded("good first issue,ä&page=2/../x"),
            "good%20first%20issue%2C%C3%A4%26page%3D2%2F..%2Fx"
        );
    }
}
