//! Opening beneath a folder, as the kernel does it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

/// So often the kernel may say that something was renamed while it looked.
const TRIES: u32 = 64;

/// Opens a path below a folder. `flags` say what is wanted; what is opened is closed on `exec`, and no pipe is waited for.
pub(super) fn open_at(
    folder: impl AsFd,
    path: &Path,
    flags: OFlags,
    mode: Mode,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let careful = if flags.contains(OFlags::PATH) {
        OFlags::CLOEXEC
    } else {
        OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY
    };
    let resolve = resolve | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..TRIES {
        match openat2(folder.as_fd(), path, flags | careful, mode, resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // Old kernels, and the filters of old containers.
            Err(Errno::NOSYS | Errno::PERM) if !has_openat2() => {
                return open_step_by_step(folder.as_fd(), path, flags | careful, mode);
            }
            answer => return answer,
        }
    }
    Err(Errno::AGAIN)
}

/// Does the kernel know how to open beneath a folder?
fn has_openat2() -> bool {
    use std::sync::OnceLock;
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        openat2(rustix::fs::CWD, "/", flags, Mode::empty(), ResolveFlags::empty()).is_ok()
    })
}

/// Without the kernel's help no link is followed at all.
fn open_step_by_step(
    folder: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let first = if path.is_absolute() { Path::new("/") } else { Path::new(".") };
    let mut at = openat(folder, first, step, Mode::empty())?;
    let mut parts = path.components().filter(|part| !matches!(part, Component::RootDir | Component::CurDir));
    let mut next = parts.next();
    while let Some(part) = next {
        next = parts.next();
        let Component::Normal(name) = part else { return Err(Errno::XDEV) };
        if next.is_none() {
            return openat(&at, name, flags | OFlags::NOFOLLOW, mode);
        }
        at = openat(&at, name, step, Mode::empty())?;
    }
    openat(&at, ".", flags, mode)
}

/// It leads out of the tree that it is in, by a link or by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it leads out of the project, and nothing out there is read or written for what is in it")]
pub(super) struct LeadsOut;

/// Was something refused because it leads out of its tree?
pub fn leads_out(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<LeadsOut>)
}

/// What the kernel said, as people are told it.
pub(super) fn as_error(errno: Errno) -> io::Error {
    match errno {
        Errno::XDEV => io::Error::other(LeadsOut),
        Errno::LOOP => io::Error::other("it is a link that may not be followed, or one on the way to it is"),
        Errno::NXIO | Errno::NODEV => no_file(),
        errno => errno.into(),
    }
}

/// There is something else than a regular file.
pub(super) fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")
}
