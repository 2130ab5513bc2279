//! What can go wrong: one error type for the whole crate.

use std::fmt;

/// A result whose error is digram's own.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. Each message names the value, the rule and the remedy.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file or a model that a format cannot hold; the message begins with the place.
    Format(String),
    /// An argument that has the right type and a wrong value.
    Value(String),
    /// A special token where it is refused, or one that does not exist.
    SpecialToken(String),
    /// An id, a token or a character outside the vocabulary.
    UnknownToken(String),
    /// A size beyond what is supported.
    Limit(String),
    /// So many bytes for which there is no memory.
    Memory(usize),
    /// A file that could not be opened, read or written.
    Io {
        /// The file.
        path: std::path::PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Words that there was no room for in memory could not be written to a temporary folder, or
    /// read from there.
    Spill {
        /// The folder.
        folder: std::path::PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The caller asked to stop (Ctrl-C, or an error in a callback).
    Interrupted,
}

impl Error {
    /// The same error, its place prefixed: `file: merges[3]: …`.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Self {
        match self {
            Self::Format(reason) => Self::Format(format!("{place}: {reason}")),
            Self::Limit(reason) => Self::Limit(format!("{place}: {reason}")),
            other => other,
        }
    }

    /// Whether one text of many, or one list of ids, may have it where others have none.
    pub fn is_of_text(&self) -> bool {
        matches!(self, Self::SpecialToken(_) | Self::UnknownToken(_) | Self::Limit(_))
    }

    /// The same error, named after a text, or a list of ids, if it is of one: `texts[3]: …`.
    #[must_use]
    pub fn of_text(self, place: impl fmt::Display) -> Self {
        let named = |reason| format!("{place}: {reason}");
        match self {
            Self::SpecialToken(reason) => Self::SpecialToken(named(reason)),
            Self::UnknownToken(reason) => Self::UnknownToken(named(reason)),
            Self::Limit(reason) => Self::Limit(named(reason)),
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(message)
            | Self::Value(message)
            | Self::SpecialToken(message)
            | Self::UnknownToken(message)
            | Self::Limit(message) => f.write_str(message),
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Spill { folder, source } => {
                let words = source.to_string();
                let words = words.split(" (os error ").next().unwrap_or_default();
                write!(
                    f,
                    "{}: {words}; the words that max_memory leaves no room for go there: make room, \
                     set TMPDIR to another folder, or allow more memory",
                    folder.display()
                )
            }
            Self::Memory(bytes) => write!(
                f,
                "there is no memory for {bytes} bytes; give less at a time, or allow more memory"
            ),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } | Self::Spill { source, .. } => Some(source),
            _ => None,
        }
    }
}
