use super::*;

#[test]
fn what_is_no_price_is_refused() {
    let rows = [
        ("", PriceError::NoModel),
        ("input=1 output=2", PriceError::NoModel),
        ("m", PriceError::Incomplete("m".into())),
        ("m input=1", PriceError::Incomplete("m".into())),
        ("m input=1 output", PriceError::NoPrice("output".into())),
        ("m input=1 words=2", PriceError::NoPrice("words=2".into())),
    ];
    for (text, error) in rows {
        assert_eq!(text.parse::<Price>(), Err(error), "{text}");
    }
    for text in ["m input=-1 output=2", "m input=x output=2", "m input=1 output=9999999"] {
        assert!(matches!(text.parse::<Price>(), Err(PriceError::Money(_))), "{text}");
    }
}
