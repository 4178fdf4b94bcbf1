//! What a service answers, and when it is tried again.

use windlass_testkit::receiver::{Receiver, Response};

use super::*;

fn with_retries(receiver: &Receiver, retries: u32) -> (Dispatcher, Woken<()>) {
    dispatcher(&NotifySettings { retries, ..settings(Some(receiver.url())) })
}

/// What became of one notification whose service answers so.
fn outcome_of(response: Response) -> NotificationSettled {
    let receiver = Receiver::start([response]);
    let (dispatcher, woken) = with_retries(&receiver, 0);
    dispatcher.send(&told(1, NotifyEvent::RunEnd), |_| true);
    settle(&dispatcher, &woken, 1).remove(0)
}

fn unavailable(retry_after: &str) -> Response {
    Response::Answer(503, vec![("Retry-After".to_owned(), retry_after.to_owned())], String::new())
}

#[test]
fn each_further_attempt_comes_after_a_longer_pause() {
    let receiver = Receiver::start([Response::status(503), Response::status(503), Response::status(200)]);
    let (dispatcher, woken) = with_retries(&receiver, 2);
    let began = Instant::now();
    dispatcher.send(&told(1, NotifyEvent::Iteration), |_| true);
    let settled = settle(&dispatcher, &woken, 1).remove(0);
    assert_eq!((settled.delivery, settled.attempts, settled.status), (Delivery::Sent, 3, Some(200)));
    // Half a second, then a whole one.
    assert!(began.elapsed() >= Duration::from_millis(1500), "{:?}", began.elapsed());
}

#[test]
fn once_a_run_is_over_only_its_end_is_tried_again() {
    let receiver = Receiver::start([unavailable("60")]);
    let (dispatcher, woken) = with_retries(&receiver, 3);
    dispatcher.send(&told(1, NotifyEvent::Iteration), |_| true);
    assert!(receiver.wait_for(1, PATIENCE));
    dispatcher.hurry();
    let settled = settle(&dispatcher, &woken, 1).remove(0);
    assert_eq!((settled.delivery, settled.attempts), (Delivery::Abandoned, 1));

    let receiver = Receiver::start([Response::status(503), Response::status(200)]);
    let (dispatcher, woken) = with_retries(&receiver, 3);
    dispatcher.send(&told(1, NotifyEvent::RunEnd), |_| true);
    dispatcher.hurry();
    let settled = settle(&dispatcher, &woken, 1).remove(0);
    assert_eq!((settled.delivery, settled.attempts), (Delivery::Sent, 2));
}

#[test]
fn what_is_under_way_is_given_up_with_its_attempts() {
    let receiver = Receiver::start([Response::Hang]);
    let (dispatcher, woken) = with_retries(&receiver, 3);
    dispatcher.send(&told(1, NotifyEvent::RunEnd), |_| true);
    assert!(receiver.wait_for(1, PATIENCE));
    dispatcher.close();
    let settled = settle(&dispatcher, &woken, 1).remove(0);
    assert_eq!((settled.delivery, settled.attempts), (Delivery::Abandoned, 1));
    assert_eq!(settled.detail, "the run ended first");
    assert!(dispatcher.is_idle());
}

#[test]
fn a_queue_takes_as_many_as_it_has_room_for() {
    let receiver = Receiver::start([Response::Hang]);
    let (dispatcher, woken) = with_retries(&receiver, 0);
    dispatcher.send(&told(0, NotifyEvent::Iteration), |_| true);
    assert!(receiver.wait_for(1, PATIENCE));
    for about in 1..=64 {
        dispatcher.send(&told(about, NotifyEvent::Iteration), |_| true);
    }
    assert_eq!(dispatcher.settled(), []);
    dispatcher.send(&told(65, NotifyEvent::Iteration), |_| true);
    let given_up = settle(&dispatcher, &woken, 1).remove(0);
    assert_eq!((given_up.key.about, given_up.detail.as_str()), (1, "too many were waiting"));
}

#[test]
fn a_redirect_says_where_it_leads_where_that_is_another_host() {
    let elsewhere = outcome_of(Response::redirect("https://other.example/topic"));
    assert_eq!((elsewhere.delivery, elsewhere.status), (Delivery::Failed, Some(307)));
    assert!(elsewhere.detail.starts_with("redirected to other.example;"), "{}", elsewhere.detail);
    let same = outcome_of(Response::redirect("http://127.0.0.1/other/topic"));
    assert!(same.detail.starts_with("redirected elsewhere;"), "{}", same.detail);
}

#[test]
fn each_way_of_no_answer_has_words_of_its_own() {
    let closed = outcome_of(Response::Close);
    assert_eq!((closed.delivery, closed.status), (Delivery::Failed, None));
    assert!(
        !closed.detail.contains("nobody listens") && !closed.detail.contains("within"),
        "{}",
        closed.detail
    );

    let receiver = Receiver::start([Response::Hang]);
    let settings = NotifySettings { timeout: Duration::from_millis(200), ..settings(Some(receiver.url())) };
    let (dispatcher, woken) = dispatcher(&settings);
    dispatcher.send(&told(1, NotifyEvent::RunEnd), |_| true);
    assert_eq!(settle(&dispatcher, &woken, 1)[0].detail, "no answer within 0.2 s");
}

#[test]
fn a_place_is_a_host_or_a_command_without_its_secrets() {
    let mut settings = settings(Some("https://someone:hunter3@ntfy.example/topic-nobody-guesses".to_owned()));
    settings.webhook = Some("gopher://ntfy.example".to_owned());
    settings.command = Some("tell --token hunter2hunter2".to_owned());
    let places: Vec<String> =
        Sink::all(&settings, &Redactor::new(), &room()).iter().map(Sink::place).collect();
    assert_eq!(places[..2], ["ntfy.example", "nowhere"]);
    assert!(places[2].starts_with("tell --token ") && !places[2].contains("hunter2"), "{}", places[2]);
}
