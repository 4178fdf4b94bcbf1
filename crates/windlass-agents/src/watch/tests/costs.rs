//! What a call is known to have cost.

use std::time::Duration;

use windlass_core::price::ModelUsage;
use windlass_core::spec::AgentSpec;
use windlass_core::values::{CallReport, Class, Cost, Ended, Tokens, UsageLimit};

use super::{now, result, tenths};
use crate::testing::clocks;
use crate::{Activity, CallWatch, Digest, MessageId, MessageUsage, ResultDigest};

fn report(spec: &AgentSpec, digests: &[Digest], ended: Ended) -> CallReport {
    let mut watch = CallWatch::new(spec, Duration::ZERO, clocks());
    for digest in digests {
        watch.observe(tenths(1), digest);
    }
    watch.exited(tenths(2), ended);
    watch.report(now(3), "")
}

fn agent(name: &str) -> AgentSpec {
    AgentSpec::new(name, name.into())
}

fn input(tokens: u64) -> Tokens {
    Tokens { input: tokens, ..Tokens::default() }
}

fn streamed(model: &str, tokens: u64) -> Digest {
    Digest::Usage(Box::new(MessageUsage {
        message: MessageId(1),
        model: model.into(),
        tokens: input(tokens),
        cached_for_an_hour: 0,
        written: 0,
        whole: true,
    }))
}

fn ended(cost: f64, models: Vec<ModelUsage>) -> Digest {
    let tokens = models.iter().fold(Tokens::default(), |mut sum, used| {
        sum += used.tokens;
        sum
    });
    Digest::Result(Box::new(ResultDigest { cost_usd: Some(cost), tokens, models, ..result("done") }))
}

fn used(model: &str, tokens: u64) -> ModelUsage {
    ModelUsage { model: model.into(), tokens: input(tokens), ..ModelUsage::default() }
}

/// What the list says of what a total has in it: the price, whether a model is on no list, and the tokens.
fn listed(report: &CallReport) -> (Cost, bool, u64) {
    (report.bill.reported.cost, report.bill.reported.guessed, report.tokens.total())
}

#[test]
fn a_total_without_tokens_is_of_what_was_streamed() {
    let million = 1_000_000;
    let free = ended(0.0, Vec::new());
    let both = [streamed("claude-opus-5-5", 6 * million), free.clone()];
    let told = report(&agent("claude"), &both, Ended::Exited(0));
    assert_eq!(
        (told.cost, listed(&told)),
        (Some(Cost::ZERO), (Cost::from_dollars(24.0), false, 6 * million))
    );
    // So does one that says less than that; one that says more has sub-agents in it.
    let few = ended(0.0, vec![used("claude-opus-5-5", 10)]);
    let told = report(&agent("claude"), &[streamed("claude-opus-5-5", million), few], Ended::Exited(0));
    assert_eq!(listed(&told), (Cost::from_dollars(4.0), false, million));
    let more = ended(8.0, vec![used("claude-opus-5-5", 2 * million)]);
    let all = [streamed("claude-opus-5-5", million), free.clone(), more];
    let told = report(&agent("claude"), &all, Ended::Exited(0));
    assert_eq!(listed(&told), (Cost::from_dollars(8.0), false, 2 * million));
    // What is streamed after it is in no total.
    let after = [free, streamed("claude-opus-5-5", million)];
    let told = report(&agent("claude"), &after, Ended::Exited(0));
    assert_eq!(
        (listed(&told), told.bill.unreported.cost),
        ((Cost::ZERO, false, million), Cost::from_dollars(4.0))
    );
}

#[test]
fn what_is_used_of_no_named_model_is_of_the_one_that_it_started_with() {
    let started = Digest::Started { model: "claude-opus-5-5".into() };
    let alias = AgentSpec { model: Some("opus".into()), ..agent("claude") };
    let unnamed = ended(0.01, vec![used("", 1_000_000)]);
    let told = report(&alias, &[started, unnamed.clone()], Ended::Exited(0));
    assert_eq!(listed(&told), (Cost::from_dollars(4.0), false, 1_000_000));
    let asked = AgentSpec { model: Some("claude-opus-5-5".into()), ..agent("claude") };
    assert_eq!(
        listed(&report(&asked, &[unnamed], Ended::Exited(0))),
        (Cost::from_dollars(4.0), false, 1_000_000)
    );
}

#[test]
fn a_model_that_a_person_says_is_free_costs_nothing() {
    let own = |prices: &str| AgentSpec {
        model: Some("local".into()),
        prices: vec![prices.parse().unwrap()],
        ..agent("codex-exec")
    };
    let (free, cheap) = (own("local input=0 output=0"), own("local input=1 output=1"));
    let turn = |tokens| {
        let tokens = input(tokens);
        Digest::Result(Box::new(ResultDigest { tokens, ..result("done") }))
    };
    let broke = || Digest::Result(Box::new(ResultDigest { is_error: true, ..result("it broke") }));
    assert_eq!(report(&free, &[turn(1_000_000)], Ended::Exited(0)).cost, Some(Cost::ZERO));
    assert_eq!(report(&cheap, &[turn(1_000_000)], Ended::Exited(0)).cost, Some(Cost::from_dollars(1.0)));
    // It does not say what a turn used that failed, and died without a word.
    for digests in [vec![broke()], Vec::new()] {
        assert_eq!(report(&free, &digests, Ended::Exited(1)).cost, Some(Cost::ZERO));
        assert_eq!(report(&cheap, &digests, Ended::Exited(1)).cost, None);
    }
    // One that says what it cost is believed.
    let claude = AgentSpec { name: "claude".into(), ..free };
    let told = report(&claude, &[ended(3.0, vec![used("local", 5)])], Ended::Exited(0));
    assert_eq!(told.cost, Some(Cost::from_dollars(3.0)));
}

/// Of agents that say no costs, and of Claude Code where it dies without a result.
#[test]
fn a_call_that_a_limit_or_an_outage_turned_away_cost_nothing() {
    let ended = |name: &str, digests: &[Digest], ended| report(&agent(name), digests, ended);
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
