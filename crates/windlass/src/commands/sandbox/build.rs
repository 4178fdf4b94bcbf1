//! `sandbox build`: the project's image.

use std::process::ExitCode;

use windlass_core::config::Layer;
use windlass_core::values::Ended;
use windlass_engine::sandbox::container::{Builder, Engine};
use windlass_ui::{Line, Mark, Tone};

use super::super::print_lines;
use super::{Place, labelled};
use crate::args::SandboxBuildArgs;
use crate::commands::from_here;
use windlass_app::trusting::Purpose;
use windlass_app::{AppError, Kind};

/// Does it; what the engine prints is shown as it comes. Exit code: that of the engine.
pub fn run(args: &SandboxBuildArgs) -> Result<ExitCode, AppError> {
    let place = Place::find(Layer::default())?;
    let recipe = place.recipe()?;
    place.require_trust(Purpose::Image, &args.trust)?;
    let image = recipe.image();
    let builder = builder(args, &place)?;
    if !args.anew && builder.has(&image).map_err(|why| AppError::new(Kind::System, why))? {
        print_lines(&[done(&image, "is there, and up to date"), next(&builder)])?;
        return Ok(ExitCode::SUCCESS);
    }
    let of = recipe.written.as_ref().map_or_else(
        || "a generated Dockerfile; windlass sandbox init writes it".to_owned(),
        |path| from_here(path),
    );
    print_lines(&[
        labelled("image", &image),
        labelled("made of", &of),
        labelled("by", builder.engine().name()),
    ])?;
    let ended = builder
        .build(&recipe, args.anew.into())
        .map_err(|error| AppError::new(Kind::System, error.to_string()))?;
    match ended {
        Ended::Exited(0) => {
            print_lines(&[done(&image, "is made"), next(&builder)])?;
            Ok(ExitCode::SUCCESS)
        }
        Ended::Exited(code) => Err(AppError::new(
            Kind::System,
            format!(
                "{} could not make the image (exit code {code}); what it said is above",
                builder.engine().name()
            ),
        )),
        Ended::Signalled(_) | Ended::Lost => Err(AppError::new(
            Kind::System,
            format!("{} was ended before the image was made", builder.engine().name()),
        )),
    }
}

/// Who makes it: as said, as configured, or the first that works.
fn builder(args: &SandboxBuildArgs, place: &Place) -> Result<Builder, AppError> {
    let named = match args.engine.as_deref() {
        Some("docker") => Some(Engine::Docker),
        Some("podman") => Some(Engine::Podman),
        Some(other) => {
            return Err(AppError::usage(format!("`{other}` makes no images; --engine is docker or podman")));
        }
        None => Engine::of(&place.resolved().sandbox.kind).map(|(engine, _)| engine),
    };
    let wanted = named.map_or(vec![Engine::Docker, Engine::Podman], |engine| vec![engine]);
    let mut refused = Vec::new();
    for engine in wanted {
        match Builder::find(engine) {
            Ok(builder) => return Ok(builder),
            Err(why) => refused.push(why),
        }
    }
    let error = AppError::new(Kind::Configuration, format!("no image can be made: {}", refused.join("; ")));
    Err(error.hint("A sandbox without containers needs none: --sandbox bwrap"))
}

fn done(image: &str, what: &str) -> Line {
    Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" {image} {what}"))
}

fn next(builder: &Builder) -> Line {
    let name = builder.engine().name();
    Line::new().dim("  next       ").command(format!("windlass run --sandbox {name} …"))
}
