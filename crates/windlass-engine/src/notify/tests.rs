//! Queues without a network: sinks are commands of a keeper that cannot be started, or addresses where nobody listens.

mod answers;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::mpsc::{Receiver as Woken, channel};
use std::time::{Duration, Instant};
use strum::IntoEnumIterator;

use jiff::Timestamp;
use windlass_core::config::{NotifySettings, Secret};
use windlass_core::notification::{self, Priority};
use windlass_core::values::{Delivery, NotifyEvent};

use super::*;

const PATIENCE: Duration = Duration::from_secs(30);

fn settings(url: Option<String>) -> NotifySettings {
    NotifySettings {
        url,
        webhook: None,
        command: None,
        events: NotifyEvent::iter().collect(),
        milestone: None,
        timeout: Duration::from_secs(20),
        retries: 0,
        secret: Some(Secret::new("hunter2hunter2".to_owned())),
        page: None,
    }
}

fn room() -> CommandRoom {
    CommandRoom {
        program: "/nowhere/windlass".into(),
        environment: Vec::new(),
        directory: "/".into(),
        project: None,
    }
}

fn dispatcher(settings: &NotifySettings) -> (Dispatcher, Woken<()>) {
    let (wake, woken) = channel();
    let wake = move || {
        let _ = wake.send(());
    };
    (Dispatcher::start(settings, &Redactor::new(), &room(), wake).unwrap(), woken)
}

fn told(about: u64, event: NotifyEvent) -> Notification {
    let mut told = notification::test(event, Timestamp::UNIX_EPOCH);
    told.key.about = about;
    told
}

/// Accepts connections and never says anything.
fn mute() -> (TcpListener, String) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/secret-path", listener.local_addr().unwrap());
    (listener, url)
}

fn settle(dispatcher: &Dispatcher, woken: &Woken<()>, count: usize) -> Vec<NotificationSettled> {
    let deadline = Instant::now() + PATIENCE;
    let mut settled = Vec::new();
    while settled.len() < count {
        woken.recv_timeout(deadline.saturating_duration_since(Instant::now())).expect("a settlement");
        settled.extend(dispatcher.settled());
    }
    settled
}

#[test]
fn without_sinks_nothing_is_started_and_nothing_owed() {
    let (dispatcher, _woken) = dispatcher(&settings(None));
    assert!(dispatcher.is_empty() && dispatcher.is_idle());
    dispatcher.send(&told(1, NotifyEvent::RunEnd), |_| true);
    assert_eq!(dispatcher.settled(), []);
}

#[test]
fn a_full_queue_gives_up_the_least_urgent_and_oldest() {
    let (_listener, url) = mute();
    let (dispatcher, woken) = dispatcher(&settings(Some(url)));
    dispatcher.send(&told(1, NotifyEvent::ExecutionStart), |_| true);
    // The first is on its way for as long as the service is mute; whether the thread took it yet does not matter.
    for about in 2..=33 {
        dispatcher.send(&told(about, NotifyEvent::Iteration), |_| true);
    }
    for about in 34..=80 {
        dispatcher.send(&told(about, NotifyEvent::Completion), |_| true);
    }
    let settled = settle(&dispatcher, &woken, 15);
    assert!(settled.iter().all(|settled| settled.delivery == Delivery::Abandoned && settled.attempts == 0));
    assert!(settled.iter().all(|settled| settled.key.event == NotifyEvent::Iteration), "{settled:?}");
    let first: Vec<u64> = settled.iter().take(15).map(|settled| settled.key.about).collect();
    assert_eq!(first, (2..=16).collect::<Vec<_>>());
    assert!(Priority::Low < Priority::High);
}

#[test]
fn what_is_given_up_is_settled_exactly_once() {
    let (_listener, url) = mute();
    let (dispatcher, woken) = dispatcher(&settings(Some(url)));
    for (about, event) in [(1, NotifyEvent::Iteration), (2, NotifyEvent::Iteration), (3, NotifyEvent::RunEnd)]
    {
        dispatcher.send(&told(about, event), |_| true);
    }
    assert!(!dispatcher.is_idle());
    dispatcher.hurry();
    dispatcher.abandon("enough");
    dispatcher.abandon("again");
    assert!(dispatcher.is_idle());
    let mut settled = settle(&dispatcher, &woken, 3);
    settled.sort_by_key(|settled| settled.key.about);
    assert_eq!(settled.iter().map(|settled| settled.key.about).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((settled[2].delivery, settled[2].detail.as_str()), (Delivery::Abandoned, "enough"));
    dispatcher.close();
    assert_eq!(dispatcher.settled(), []);
}

#[test]
fn an_address_where_nobody_listens_is_said_without_naming_it() {
    let (listener, url) = mute();
    drop(listener);
    let (dispatcher, woken) = dispatcher(&settings(Some(url)));
    dispatcher.send(&told(1, NotifyEvent::RunEnd), |_| true);
    let settled = settle(&dispatcher, &woken, 1).remove(0);
    assert_eq!((settled.delivery, settled.attempts, settled.status), (Delivery::Failed, 1, None));
    assert_eq!(settled.detail, "the connection is refused: nobody listens there");
}

#[test]
fn a_sink_that_cannot_work_fails_and_says_why() {
    let mut settings = settings(Some("ftp://example.org".to_owned()));
    settings.command = Some("true".to_owned());
    let (dispatcher, woken) = dispatcher(&settings);
    dispatcher.send(&told(1, NotifyEvent::RunEnd), |_| true);
    let mut settled = settle(&dispatcher, &woken, 2);
    settled.sort_by_key(|settled| settled.sink);
    assert_eq!(settled[0].detail, "its address is not a web address");
    assert_eq!((settled[1].sink, settled[1].delivery), (SinkKind::Command, Delivery::Failed));
    assert!(settled[1].detail.contains("/nowhere/windlass"), "{}", settled[1].detail);
}

#[test]
fn only_who_is_meant_is_told() {
    let (_listener, url) = mute();
    let (dispatcher, _woken) = dispatcher(&settings(Some(url)));
    dispatcher.send(&told(1, NotifyEvent::RunEnd), |sink| sink != SinkKind::Ntfy);
    assert!(dispatcher.is_idle());
}

#[test]
fn a_reason_is_one_short_line() {
    assert_eq!(one_line(" a\r\n\tb\u{1b}[31m "), "a b [31m");
    assert!(one_line(&"é".repeat(500)).len() <= LONGEST_DETAIL);
}
