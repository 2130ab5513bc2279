//! Training: from word counts to merges.

pub mod options;
pub mod report;
pub mod words;

mod alphabet;
mod build;
mod constraints;
mod corpus;
mod count;
mod extend;
mod file;
mod heap;
mod hot;
mod learn;
#[cfg(test)]
mod naive;
mod neighbours;
mod pairs;
mod queue;
mod scan;
mod short;
mod tally;
#[cfg(test)]
mod tests;
mod ties;
mod tokens;

pub use build::{Around, build};
pub use count::Counter;
pub use extend::extend;
pub use file::read_file;
pub use learn::{Learned, learn};
pub use options::{Alphabet, Apart, LearnOptions, Ties};
pub use report::{StopReason, TrainingReport};
pub use words::WordCounts;
