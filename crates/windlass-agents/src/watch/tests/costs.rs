//! What a call is known to have cost.

use std::time::Duration;

use windlass_core::spec::AgentSpec;
use windlass_core::values::{Class, Cost, Ended, UsageLimit};

use super::{now, result, tenths};
use crate::testing::clocks;
use crate::{Activity, CallWatch, Digest, ResultDigest};

/// Of agents that say no costs, and of Claude Code where it dies without a result.
#[test]
fn a_call_that_a_limit_or_an_outage_turned_away_cost_nothing() {
    let ended = |agent: &str, digests: &[Digest], ended: Ended| {
        let spec = AgentSpec::new(agent, agent.into());
        let mut watch = CallWatch::new(&spec, Duration::ZERO, clocks());
        for digest in digests {
            watch.observe(tenths(1), digest);
        }
        watch.exited(tenths(2), ended);
        watch.report(now(3), "")
    };
    let rejected = || Digest::Limit { rejected: Some(UsageLimit::default()), overage: false };
    let failed = |text: &str| {
        let result = ResultDigest { is_error: true, cost_usd: None, ..result(text) };
        Digest::Result(Box::new(result))
    };
    let limit = || failed("You've hit your usage limit. Try again later.");
    let (said, used) = (Digest::Activity(Activity::Writing), Digest::Thought);
    let exited = Ended::Exited(1);
    let free = [
        (Class::UsageLimit, ended("codex-exec", &[limit()], exited)),
        (Class::UsageLimit, ended("claude", &[rejected()], exited)),
        (Class::UsageLimit, ended("acp", &[limit()], exited)),
        (Class::Outage, ended("codex-exec", &[failed("exceeded retry limit, last status: 429")], exited)),
        (Class::Auth, ended("codex-exec", &[failed("unexpected status 401 Unauthorized")], exited)),
    ];
    for (class, report) in free {
        assert_eq!((report.class, report.cost, report.bill.doubted), (class, Some(Cost::ZERO), false));
    }
    let charged = [
        ended("codex-exec", &[said, limit()], exited),
        ended("codex-exec", &[used, limit()], exited),
        ended("codex-exec", &[Digest::ToolUse, limit()], exited),
        // Nobody saw its end, or the task failed.
        ended("claude", &[rejected()], Ended::Lost),
        ended("codex-exec", &[failed("it broke")], exited),
    ];
    for report in charged {
        assert_eq!(report.cost, None, "{}", report.detail);
    }
}
