//! Text whose bytes are spelled as characters before the last stages split it, some words at a time.

use std::mem::take;

use super::Tokenizer;
use super::pieces::Pieces;
use super::pipeline::Scratch;
use super::sink::Sink;
use crate::error::Result;
use crate::limits;
use crate::merge;
use crate::monitor::Monitor;

impl Tokenizer {
    /// Gives the ids of a text to `sink` that is changed by spelling its bytes alone.
    pub(super) fn encode_spelled(
        &self,
        text: &str,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        merge::check_length(text)?;
        let (mut position, mut length) = (0, 0);
        let (mut spelled, mut batch) = (take(&mut scratch.spelled), take(&mut scratch.batch));
        while position < text.len() {
            monitor.check()?;
            let from = (text, position);
            position =
                self.splitter.fill_spelled(from, &mut scratch.split, &mut spelled, &mut batch)?;
            let spelled = spelled.text();
            length += spelled.len();
            if length > limits::most(text.len(), self.expansion) {
                return Err(limits::grows("pre-tokenizer", text.len(), self.expansion));
            }
            merge::check_length(spelled)?;
            self.encode_pieces(spelled, Pieces::of(&batch), scratch, sink, monitor)?;
        }
        (scratch.spelled, scratch.batch) = (spelled, batch);
        Ok(())
    }
}
