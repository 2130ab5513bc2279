//! Reading what may have nothing to read yet: a pipe, a device.
//!
//! To read from such, and even to open a pipe with a name, waits for another process. Meanwhile it is not heard that a
//! call is to stop; so it is asked for a short time whether there is anything, again and again.

use std::fs::File;
use std::io::Result;
use std::path::Path;

#[cfg(unix)]
pub(super) use unix::{open, read};

/// Whether a file is such.
pub(super) fn waits(path: &Path) -> bool {
    cfg!(unix) && path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

#[cfg(unix)]
mod unix {
    use std::io::{ErrorKind, Read};
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    use super::{File, Path, Result};

    /// So long it is waited before anything else is heard.
    const A_WHILE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

    /// Opens a file, without waiting for who writes into it.
    pub fn open(path: &Path) -> Result<File> {
        File::options().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)
    }

    /// Reads some bytes, or waits for them a while; `None` where there are none yet.
    pub fn read(file: &mut File, bytes: &mut [u8]) -> Result<Option<usize>> {
        let mut awaited = [PollFd::new(file, PollFlags::IN)];
        match poll(&mut awaited, Some(&A_WHILE)) {
            Ok(0) | Err(Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        match file.read(bytes) {
            Ok(read) => Ok(Some(read)),
            Err(error)
                if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Opens a file.
#[cfg(not(unix))]
pub(super) fn open(path: &Path) -> Result<File> {
    File::open(path)
}

/// Reads some bytes.
#[cfg(not(unix))]
pub(super) fn read(file: &mut File, bytes: &mut [u8]) -> Result<Option<usize>> {
    std::io::Read::read(file, bytes).map(Some)
}
