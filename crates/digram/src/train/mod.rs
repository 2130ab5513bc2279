//! Training: from word counts to merges.

pub mod options;
pub mod report;
pub mod words;

mod adjacent;
mod alphabet;
mod build;
mod columns;
mod constraints;
mod corpus;
mod count;
mod course;
mod digest;
mod distinct;
mod extend;
mod file;
mod gather;
mod heap;
mod holes;
mod hot;
mod known;
mod learn;
mod long;
#[cfg(test)]
mod naive;
mod neighbours;
mod pairs;
mod part;
mod pipe;
mod queue;
mod rare;
mod required;
mod run;
mod scan;
mod shares;
mod short;
mod spill;
mod tally;
#[cfg(test)]
mod tests;
mod ties;
mod tokens;
mod windows;

pub use build::{Around, Learned, build};
pub use columns::{BadRow, Column, Memory, utf8};
pub use count::Counter;
pub use course::{Course, Done, Keeper, fingerprint};
pub use extend::{extend, extend_on};
pub use file::read_file;
pub use learn::{learn, learn_on};
pub use options::{Alphabet, Apart, LearnOptions, Ties};
pub use part::Part;
pub use report::{StopReason, TrainingReport};
pub use words::WordCounts;
