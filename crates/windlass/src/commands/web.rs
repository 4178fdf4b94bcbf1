//! `web`: serves the page.

use windlass_app::AppError;
use windlass_ui::{Line, Mark, Tone};
use windlass_web::{Rights, ServedPage, Serving};

use super::{app, print_lines};
use crate::args::WebArgs;

/// Does it.
pub fn run(args: &WebArgs) -> Result<(), AppError> {
    if args.link {
        let links = windlass_web::links()?;
        print_lines(&links.into_iter().map(|link| Line::new().command(link)).collect::<Vec<_>>())
    } else if args.metrics_token {
        print_lines(&[Line::new().plain(windlass_web::metrics_token()?)])
    } else if args.forget {
        let said = match windlass_web::forget()? {
            0 => "no browser had been let in".to_owned(),
            1 => "1 browser is forgotten".to_owned(),
            many => format!("{many} browsers are forgotten"),
        };
        print_lines(&[super::done(&said)])
    } else {
        let serving = Serving { listen: args.listen, names: args.names.clone(), rights: rights(args) };
        windlass_web::serve(app()?, &serving, |page| print_lines(&said(page)))
    }
}

const fn rights(args: &WebArgs) -> Rights {
    match (args.read_only, args.actions) {
        (true, _) => Rights::Read,
        (false, true) => Rights::Act,
        (false, false) => Rights::Stop,
    }
}

fn said(page: &ServedPage) -> Vec<Line> {
    let may = match page.rights {
        Rights::Read => "only shows",
        Rights::Stop => "shows, and stops runs after their iterations",
        Rights::Act => "shows, and acts: it can spend money and change files",
    };
    let mut lines = vec![
        Line::hanging(2).strong("page").plain(format!(" at {}: {may}", page.address)),
        Line::hanging(2).dim("  open     ").command(page.link.clone()).unbroken(),
        Line::hanging(2).dim("           lets one browser in, once, within ten minutes"),
        Line::hanging(2).dim("  another  ").command("windlass web --link"),
        Line::hanging(2).dim("  end      Ctrl-C; no run notices"),
    ];
    if page.is_open {
        lines.push(
            Line::hanging(2)
                .mark(Tone::Warn, Mark::Notice)
                .plain(" other machines reach it, and what is sent is not encrypted: docs/web.md"),
        );
    }
    lines
}
