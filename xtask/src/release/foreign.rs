//! Programs for another kind of machine than this one: linked by the distribution's cross compiler, run by its emulator.

use std::path::Path;
use std::process::Command;

use crate::program::{Failure, succeeds};

/// The kind of machine of a target: `aarch64` of `aarch64-unknown-linux-musl`.
pub fn architecture(target: &str) -> &str {
    target.split('-').next().unwrap_or_default()
}

/// The compiler of the distribution that makes programs for the target: C code of dependencies, and what links all of it.
/// `None` where this machine is of that kind.
pub fn compiler(target: &str, host: &str) -> Option<String> {
    let wanted = architecture(target);
    (wanted != architecture(host)).then(|| format!("{wanted}-linux-gnu-gcc"))
}

/// What tells cargo and the builds of dependencies to use `compiler` for the target.
pub fn variables(target: &str, compiler: &str) -> [(String, String); 2] {
    let name = target.replace('-', "_");
    [
        (format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), compiler.to_owned()),
        (format!("CC_{name}"), compiler.to_owned()),
    ]
}

/// A call of `program`, which was built for the target: by an emulator where this machine cannot run it.
pub fn call(program: &Path, target: &str) -> Result<Command, Failure> {
    if succeeds(Command::new(program).arg("--version")) {
        return Ok(Command::new(program));
    }
    let wanted = architecture(target);
    let emulators = [format!("qemu-{wanted}-static"), format!("qemu-{wanted}")];
    let found = emulators.iter().find(|emulator| succeeds(Command::new(emulator).arg("-version")));
    let emulator = found.ok_or_else(|| {
        let program = program.display();
        Failure(format!(
            "{program} does not run here; for programs of another machine install qemu-user-static"
        ))
    })?;
    let mut command = Command::new(emulator);
    command.arg(program);
    Ok(command)
}
