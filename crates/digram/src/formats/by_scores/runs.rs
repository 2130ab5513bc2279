//! Equal scores in a list, where each merge has a place of its own.
//!
//! Llama's and Mistral's models have one score for all runs of spaces. Such runs merge with
//! nothing else, so they come by themselves: from the left, each grows until no longer one is a
//! piece. In a list, the same happens where longer runs go first: a run that has begun is longer
//! than any that has not, and goes on. That the two go the same way is tried for every run of up
//! to three times the longest, by when they have begun anew.

use hashbrown::HashSet;

use crate::merge::Step;
use crate::merge::pairs::{Pairs, Product};
use crate::merge::scan;
use crate::model::{Merge, Model};

/// Longer runs are not tried: models have up to 16.
const LONGEST: usize = 64;

/// Merges with their scores, best first, in an order that a list may have; or which scores are
/// equal where that matters.
pub(super) fn untied(model: &Model, scored: &[(f32, Merge)]) -> Result<Vec<Merge>, String> {
    let mut merges: Vec<Merge> = Vec::with_capacity(scored.len());
    for group in scored.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let first = merges.len();
        merges.extend(group.iter().map(|(_, merge)| merge));
        if group.len() > 1 {
            let tied = &mut merges[first..];
            tied.sort_by_key(|merge| std::cmp::Reverse(model.vocabulary.bytes(merge.merged).len()));
            if !is_run_of_one(model, tied) || !goes_alike(model, tied) || is_used(tied, scored) {
                let [a, b] = [&tied[0], &tied[1]].map(|merge| model.spelling(merge.merged));
                return Err(format!("{a:?} and {b:?} have one score"));
            }
        }
    }
    Ok(merges)
}

fn length(model: &Model, id: u32) -> usize {
    String::from_utf8_lossy(model.vocabulary.bytes(id)).chars().count()
}

/// Whether all are runs of one character.
fn is_run_of_one(model: &Model, tied: &[Merge]) -> bool {
    let text = |id| String::from_utf8_lossy(model.vocabulary.bytes(id)).into_owned();
    let one = text(tied[0].merged).chars().next();
    tied.iter().all(|merge| text(merge.merged).chars().all(|other| Some(other) == one))
        && length(model, tied[0].merged) <= LONGEST
}

/// Whether a run is part of what is no run.
fn is_used(tied: &[Merge], scored: &[(f32, Merge)]) -> bool {
    let runs: HashSet<u32> = tied.iter().map(|merge| merge.merged).collect();
    let mut others = scored.iter().map(|(_, merge)| merge).filter(|m| !runs.contains(&m.merged));
    others.any(|merge| runs.contains(&merge.left) || runs.contains(&merge.right))
}

/// Whether every run merges by equal scores as it does by places in the list.
fn goes_alike(model: &Model, tied: &[Merge]) -> bool {
    let Some(shortest) = tied.last().filter(|merge| merge.left == merge.right) else {
        return false;
    };
    let pairs = |rank: fn(usize) -> u32| {
        let mut pairs = Pairs::with_capacity(tied.len());
        for (place, merge) in tied.iter().enumerate() {
            let product = Product { rank: rank(place), merged: merge.merged };
            pairs.add(merge.left, merge.right, product);
        }
        pairs
    };
    let (level, listed) = (pairs(|_| 0), pairs(|place| place as u32));
    let steps = |pairs: &Pairs, count: usize| {
        let (mut symbols, mut steps) = (vec![shortest.left; count], Vec::<Step>::new());
        scan::merge(&mut symbols, pairs, &mut Vec::new(), &mut steps);
        steps.iter().map(|step| (step.at, step.left, step.right)).collect::<Vec<_>>()
    };
    let longest = length(model, tied[0].merged);
    (2..=3 * longest).all(|count| steps(&level, count) == steps(&listed, count))
}
