//! subword-nmt's vocabulary filter: which tokens a list of those allowed takes apart again.
//!
//! A token is listed as it is written: with `@@` where it does not end a word.

use hashbrown::{HashMap, HashSet};

use super::dialect::Dialect;
use super::lines::MergeLine;
use crate::error::{Error, Result};
use crate::model::{Model, Rule};

/// What subword-nmt writes behind a token that does not end a word.
const SEPARATOR: &str = "@@";

/// The ids of the tokens that merges make and that are not among those allowed.
pub(super) fn unused(
    model: &Model,
    dialect: &Dialect,
    lines: &[MergeLine],
    allowed: &[String],
) -> Result<Vec<u32>> {
    if dialect.by_product {
        return Err(Error::Value(
            "vocabulary= is given, but these are OpenNMT's codes; the filter is subword-nmt's and \
             fastBPE's"
                .into(),
        ));
    }
    if allowed.is_empty() {
        return Err(Error::Value(
            "vocabulary holds no token, or none that reaches the threshold; subword-nmt filters \
             nothing then: leave it out"
                .into(),
        ));
    }
    let Rule::Merges(merges) = &model.rule else { return Ok(Vec::new()) };
    let allowed: HashSet<&str> = allowed.iter().map(String::as_str).collect();
    let is_unused = |&id: &u32| {
        let text = String::from_utf8_lossy(model.vocabulary.bytes(id));
        let separator = if model.vocabulary.ends_word(id) { "" } else { SEPARATOR };
        !allowed.contains(format!("{text}{separator}").as_str())
    };
    let mut unused: Vec<u32> = merges.iter().map(|merge| merge.merged).filter(is_unused).collect();
    unused.sort_unstable();
    unused.dedup();
    check_repeated(model, &unused, lines)?;
    Ok(unused)
}

/// Refuses what a repeated line makes unclear. Of several merges to one token, subword-nmt undoes
/// the first by their last lines; here the first counts by its first line.
fn check_repeated(model: &Model, unused: &[u32], lines: &[MergeLine]) -> Result<()> {
    let mut last = HashMap::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        last.insert((line.left, line.right), at);
    }
    let mut undone = HashMap::with_capacity(lines.len());
    for (&(left, right), &at) in &last {
        let by = undone.entry([left, right].concat()).or_insert(at);
        *by = at.min(*by);
    }
    let unused: HashSet<String> = unused.iter().map(|&id| model.spelling(id)).collect();
    let mut first = HashSet::with_capacity(lines.len());
    for line in lines {
        let product = [line.left, line.right].concat();
        let by = &lines[undone[&product]];
        let differs =
            first.insert(product.clone()) && (by.left, by.right) != (line.left, line.right);
        if differs && unused.contains(&product) {
            return Err(Error::Format(format!(
                "line {}: the merge to {product:?} stands in the file again, behind another one \
                 to the same token, so that it is unclear which of them is undone; remove the \
                 second of the equal lines",
                line.line
            )));
        }
    }
    Ok(())
}
