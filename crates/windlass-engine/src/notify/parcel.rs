//! What is sent: headers and a body.

use jiff::Timestamp;
use windlass_core::notification::{Button, Link, Notification};
use windlass_core::values::{Named, SinkKind};

use super::encoding::{header_value, hmac_sha256, shortened};

/// ntfy takes longer messages for attachments.
const LONGEST_MESSAGE: usize = 3_800;

/// The longest title, in bytes.
const LONGEST_TITLE: usize = 200;

/// Headers and a body, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// Name and value; ASCII, one line each.
    pub headers: Vec<(&'static str, String)>,
    /// UTF-8.
    pub body: String,
}

/// Packs a notification for a sink. It is signed anew for each attempt, since the signature holds the time.
pub(super) fn pack(
    notification: &Notification,
    sink: SinkKind,
    signing: Option<&str>,
    now: Timestamp,
) -> Parcel {
    let mut notification = notification.clone();
    notification.title = shortened(&notification.title, LONGEST_TITLE);
    notification.body = shortened(&notification.body, LONGEST_MESSAGE);
    let (mut headers, body) = match sink {
        SinkKind::Ntfy => {
            let mut headers = vec![
                ("Content-Type", "text/plain".to_owned()),
                ("Title", header_value(&notification.title)),
                ("Priority", notification.priority.name().to_owned()),
                ("Tags", header_value(&notification.tags.join(","))),
            ];
            if let Some(link) = &notification.link {
                headers.push(("Click", header_value(&link.address)));
                headers.extend((!link.buttons.is_empty()).then(|| ("Actions", actions(link))));
            }
            (headers, notification.body)
        }
        SinkKind::Webhook => (vec![("Content-Type", "application/json".to_owned())], notification.to_json()),
        SinkKind::Command => (Vec::new(), notification.to_json()),
    };
    if let Some(secret) = signing.filter(|_| sink != SinkKind::Command) {
        let time = now.as_second().to_string();
        let signature = hmac_sha256(secret.as_bytes(), format!("{time}.{body}").as_bytes());
        headers.push(("Windlass-Timestamp", time));
        headers.push(("Windlass-Signature", format!("sha256={signature}")));
    }
    Parcel { headers, body }
}

/// ntfy's short form. They are all of its kind `view`, which opens an address: a kind that calls one would act without being asked.
fn actions(link: &Link) -> String {
    let action = |button: &Button| format!("view, \"{}\", \"{}\"", button.label, button.address);
    header_value(&link.buttons.iter().map(action).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use windlass_core::notification;
    use windlass_core::values::NotifyEvent;

    use super::*;

    fn notification() -> Notification {
        notification::test(NotifyEvent::Completion, Timestamp::UNIX_EPOCH)
    }

    fn header<'a>(parcel: &'a Parcel, name: &str) -> Option<&'a str> {
        parcel.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    // rows: 109
    #[test]
    fn ntfy_gets_what_it_always_got() {
        let parcel = pack(&notification(), SinkKind::Ntfy, None, Timestamp::UNIX_EPOCH);
        assert_eq!(header(&parcel, "Content-Type"), Some("text/plain"));
        assert_eq!(header(&parcel, "Title"), Some("windlass: a test"));
        assert_eq!(header(&parcel, "Priority"), Some("high"));
        assert_eq!(header(&parcel, "Tags"), Some("windlass,completion"));
        assert!(parcel.body.starts_with("TEST\n"));
        assert_eq!(header(&parcel, "Windlass-Signature"), None);
    }

    #[test]
    fn links_open_the_page_and_call_nothing() {
        let mut notification = notification();
        assert_eq!(header(&pack(&notification, SinkKind::Ntfy, None, Timestamp::UNIX_EPOCH), "Click"), None);
        notification.run = Some(windlass_core::values::RunId("r-7f3a".to_owned()));
        notification.key.event = NotifyEvent::NeedsHuman;
        let linked = notification.linked(Some("https://night.example.org"));
        let parcel = pack(&linked, SinkKind::Ntfy, None, Timestamp::UNIX_EPOCH);
        assert_eq!(header(&parcel, "Click"), Some("https://night.example.org/r/r-7f3a"));
        let actions = header(&parcel, "Actions").unwrap();
        assert_eq!(
            actions,
            "view, \"Resume\", \"https://night.example.org/r/r-7f3a#do=resume\"; view, \"Report\", \
             \"https://night.example.org/r/r-7f3a/report\""
        );
        let json: serde_json::Value =
            serde_json::from_str(&pack(&linked, SinkKind::Webhook, None, Timestamp::UNIX_EPOCH).body)
                .unwrap();
        assert_eq!(json["link"], "https://night.example.org/r/r-7f3a");
        assert_eq!(json["buttons"][1]["link"], "https://night.example.org/r/r-7f3a/report");
    }

    #[test]
    fn no_title_can_add_a_header() {
        let mut notification = notification();
        notification.title = "x\r\nTags: evil\r\n\r\nbody é".repeat(50);
        let parcel = pack(&notification, SinkKind::Ntfy, None, Timestamp::UNIX_EPOCH);
        assert!(
            parcel.headers.iter().all(|(_, value)| value.bytes().all(|byte| (b' '..=b'~').contains(&byte)))
        );
        assert_eq!(header(&parcel, "Tags"), Some("windlass,completion"));
    }

    #[test]
    fn a_signature_covers_the_time_and_the_body() {
        let now = Timestamp::from_second(1_763_773_200).unwrap();
        let parcel = pack(&notification(), SinkKind::Webhook, Some("hunter2"), now);
        assert_eq!(header(&parcel, "Windlass-Timestamp"), Some("1763773200"));
        let wanted = hmac_sha256(b"hunter2", format!("1763773200.{}", parcel.body).as_bytes());
        assert_eq!(header(&parcel, "Windlass-Signature"), Some(format!("sha256={wanted}").as_str()));
        assert!(serde_json::from_str::<serde_json::Value>(&parcel.body).is_ok());
    }

    #[test]
    fn a_huge_message_is_cut() {
        let mut notification = notification();
        notification.body = "✅".repeat(1_000_000);
        let parcel = pack(&notification, SinkKind::Ntfy, None, Timestamp::UNIX_EPOCH);
        assert!(parcel.body.len() <= LONGEST_MESSAGE && parcel.body.ends_with('…'));
    }
}
