//! Pages: the runs' model as HTML that is read without a script. Whatever came from an agent, a file or a person is text in it.

pub mod changes;
pub mod iteration;
pub mod night;
pub mod numbers;
pub mod parts;
pub mod projects;
pub mod report;
pub mod run;
pub mod tasks;
pub mod transcript;

use axum::http::request::Parts;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{DOCTYPE, Markup, html};
use windlass_app::AppError;
use windlass_core::values::RunId;

use crate::assets;
use crate::names::query_value;
use crate::site::{Rights, Site};
use parts::line;

/// Who looks, and when.
#[derive(Clone, Debug)]
pub struct Viewer {
    /// How far they may go.
    pub rights: Rights,
    /// The clock on the wall.
    pub zone: TimeZone,
    /// When.
    pub now: Timestamp,
    query: String,
}

impl Viewer {
    /// Whoever made a request.
    pub fn of(site: &Site, parts: &Parts) -> Viewer {
        let query = parts.uri.query().unwrap_or_default().to_owned();
        Viewer { rights: site.rights, zone: site.zone.clone(), now: Timestamp::now(), query }
    }

    /// One value of the address.
    pub fn asked(&self, name: &str) -> Option<String> {
        query_value(&self.query, name)
    }

    /// The same where it is of a kind.
    pub fn asked_as<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.asked(name)?.parse().ok()
    }
}

/// An iteration of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The run.
    pub run: RunId,
    /// The iteration.
    pub number: u32,
}

/// What a page is, beside its content.
pub struct Sheet<'a> {
    /// Its title.
    pub title: &'a str,
    /// The address of what keeps it live; empty where nothing does.
    pub live: String,
    /// The run that it is about, and the number of its last fact.
    pub run: Option<(&'a RunId, u64)>,
    /// What stands above the content, from the list of runs down to here.
    pub path: &'a [(String, String)],
}

/// A page.
pub fn sheet(viewer: &Viewer, about: &Sheet<'_>, content: &Markup) -> Markup {
    let (run, seq) = about.run.map_or(("", 0), |(run, seq)| (run.0.as_str(), seq));
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(about.title))
            body data-live=(about.live) data-run=(run) data-seq=(seq) {
                a.skip href="#content" { "To the content" }
                header.top {
                    nav aria-label="Main" {
                        a.brand href="/" { "windlass" }
                        a href="/runs" { "All runs" }
                        a href="/projects" { "Projects" }
                    }
                    @if !about.path.is_empty() {
                        nav.path aria-label="Where this is" {
                            @for (address, name) in about.path { a href=(address) { (line(name)) } " " }
                        }
                    }
                    p #said role="status" {}
                    p.hidden #told role="status" {}
                }
                main #content tabindex="-1" { (content) }
                footer {
                    p {
                        (match viewer.rights {
                            Rights::Read => "This page only shows.",
                            Rights::Stop => "This page shows, and stops runs after their iterations.",
                            Rights::Act => "This page shows and acts.",
                        })
                        " Read " time { (windlass_ui::format::date_time(viewer.now, &viewer.zone)) } "."
                    }
                }
                dialog #ask aria-labelledby="ask-title" {
                    form method="dialog" {
                        h2 #ask-title { "Do it?" }
                        p #ask-text {}
                        label #ask-label for="ask-value" { "To" }
                        input #ask-value autocomplete="off" inputmode="decimal";
                        p.buttons { button #leave type="button" { "Leave it" } " " button.act value="yes" { "Do it" } }
                    }
                }
            }
        }
    }
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (line(title)) " - windlass" }
            link rel="stylesheet" href=(assets::address(assets::STYLE));
            link rel="icon" href=(assets::address(assets::ICON)) type="image/svg+xml";
            script type="module" src=(assets::address(assets::SCRIPT)) {}
        }
    }
}

/// For a browser that was not let in yet.
pub fn way_in() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head("Come in"))
            body data-way-in="yes" {
                main #content {
                    h1 { "windlass" }
                    p #said role="status" { "This browser was not let in yet." }
                    p { "Open the link that " code { "windlass web" } " printed. It lets one browser in, once, within ten minutes." }
                    p { "For another browser or a later time, where windlass runs: " code { "windlass web --link" } }
                    noscript { p { "Coming in takes a script; reading afterwards does not." } }
                }
            }
        }
    }
}

fn plain_sheet(title: &str) -> Sheet<'_> {
    Sheet { title, live: String::new(), run: None, path: &[] }
}

/// There is no such page.
pub fn nothing(viewer: &Viewer) -> Markup {
    let content = html! { h1 { "Nothing is here" } p { "There is no such page, or no such run any more." } };
    sheet(viewer, &plain_sheet("Nothing is here"), &content)
}

/// Something went wrong.
pub fn trouble(viewer: &Viewer, error: &AppError) -> Markup {
    let content = html! {
        h1 { "This cannot be shown" }
        p { (parts::text(&error.message)) }
        @for hint in &error.hints { p.hint { (parts::text(&hint.to_string())) } }
        p { a href="/runs" { "All runs" } }
    };
    sheet(viewer, &plain_sheet("This cannot be shown"), &content)
}
