use windlass_core::price::{ModelUsage, Price};
use windlass_core::values::Listed;
use windlass_core::values::{Cost, Tokens};

use super::prices;

fn used(model: &str, tokens: Tokens) -> ModelUsage {
    ModelUsage { model: model.to_owned(), tokens, ..ModelUsage::default() }
}

fn million(input: u64, output: u64, cache_creation: u64, cache_read: u64) -> Tokens {
    let of = |number: u64| number * 1_000_000;
    Tokens {
        input: of(input),
        output: of(output),
        cache_creation: of(cache_creation),
        cache_read: of(cache_read),
    }
}

fn dollars(dollars: f64) -> Cost {
    Cost::from_dollars(dollars)
}

#[test]
fn each_kind_of_token_has_its_price() {
    let list = prices(&[]);
    let rows = [
        (million(1, 0, 0, 0), 4.0),
        (million(0, 1, 0, 0), 20.0),
        (million(0, 0, 1, 0), 5.0),
        (million(0, 0, 0, 1), 0.2),
        (million(1, 1, 1, 1), 29.2),
    ];
    for (tokens, cost) in rows {
        let listed = list.of(&[used("claude-opus-5-5", tokens)]);
        assert_eq!(listed, Listed::known(dollars(cost)), "{tokens:?}");
    }
    let hour = ModelUsage { cached_for_an_hour: 1_000_000, ..used("claude-opus-5-5", million(0, 0, 1, 0)) };
    assert_eq!(list.of(&[hour]).cost, dollars(8.0));
    let more_than_all =
        ModelUsage { cached_for_an_hour: 9_000_000, ..used("claude-opus-5-5", million(0, 0, 1, 0)) };
    assert_eq!(list.of(&[more_than_all]).cost, dollars(8.0));
    let searches = ModelUsage { searches: 3, ..used("claude-opus-5-5", Tokens::default()) };
    assert_eq!(list.of(&[searches]).cost, dollars(0.03));
    // What the real program says of 100 tokens in and 20 out.
    let little = Tokens { input: 100, output: 20, ..Tokens::default() };
    assert_eq!(list.of(&[used("claude-opus-5-5", little)]).cost, dollars(0.0008));
}

#[test]
fn a_model_is_found_by_its_longest_name() {
    let list = prices(&[]);
    let rows = [
        ("claude-opus-5-5", 4.0),
        ("us.anthropic.claude-opus-5-5-20260901-v1:0", 4.0),
        ("claude-opus-5", 5.0),
        ("claude-opus-4-1-20250805", 15.0),
        ("claude-opus-4-20250514", 15.0),
        ("claude-opus-4-8", 5.0),
        ("claude-sonnet-4-6", 3.0),
        ("claude-sonnet-5-5[1m]", 2.0),
        ("claude-3-5-haiku-20241022", 0.8),
        ("claude-haiku-4-5@20251001", 1.0),
    ];
    for (model, cost) in rows {
        let listed = list.of(&[used(model, million(1, 0, 0, 0))]);
        assert_eq!(listed, Listed::known(dollars(cost)), "{model}");
    }
    for unknown in ["scripted", "sonnet", "", "glm-4.6", "claude-opus-9-9"] {
        let listed = list.of(&[used(unknown, million(1, 0, 0, 0))]);
        assert_eq!(listed, Listed { cost: dollars(5.0), guessed: true, known: Cost::ZERO }, "{unknown}");
    }
}

#[test]
fn what_a_person_says_goes_before_the_list() {
    let own: Vec<Price> = ["claude-opus-5-5 input=1 output=2", "glm input=.5 output=1 cache_read=0"]
        .map(|row| row.parse().unwrap())
        .into();
    let list = prices(&own);
    assert_eq!(
        list.of(&[used("claude-opus-5-5", million(1, 1, 1, 1))]).cost,
        dollars(1.0 + 2.0 + 1.25 + 0.1)
    );
    let foreign = list.of(&[used("glm-4.6", million(1, 1, 1, 1))]);
    assert_eq!(foreign, Listed::known(dollars(0.5 + 1.0 + 0.625)));
}

#[test]
fn the_most_of_everything_is_no_overflow() {
    let most = Tokens { input: u64::MAX, output: u64::MAX, cache_creation: u64::MAX, cache_read: u64::MAX };
    let usage = ModelUsage { searches: u64::MAX, ..used("claude-mythos-5", most) };
    assert_eq!(prices(&[]).of(&[usage.clone(), usage]).cost, Cost::from_micros(u64::MAX));
}
