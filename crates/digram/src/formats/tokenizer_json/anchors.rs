//! The anchors of a file's patterns, written so that every engine reads them as Oniguruma does.
//!
//! There `$` is the end of any line and `^` the beginning of one, whatever the flags, but for an empty line at the end of
//! the text; `\Z` is before a newline that ends the text, too. Behind all blanks that there are, or behind blanks
//! where a stage before has split off newlines, the end of the text is meant: this needs no look-around.

use serde_json::Value;

use super::named_classes::LOOKS_BEHIND;
use super::repeated::MOST_BYTES;
use super::repetitions::{atom_end, begins_oddly};

const END_OF_LINE: &str = r"(?=\n|\z)";
const BEGIN_OF_LINE: &str = r"(?:\A|(?<=\n)(?!\z))";
const END_OF_LAST_LINE: &str = r"(?=\n?\z)";
/// Patterns that find every newline.
const NEWLINES: [&str; 4] = [r"[\r\n]", r"[\n\r]", r"\n", "\n"];

/// Rewrites each pattern of a component, and of its parts.
pub(super) fn rewrite(component: &mut Value) {
    let mut are_lines = false;
    rewrite_part(component, &mut are_lines);
}

/// The same for a part, behind parts that may have left lines; says whether it leaves such, too.
fn rewrite_part(component: &mut Value, are_lines: &mut bool) {
    let splits = splits_lines(component);
    match component {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(regex) if name == "Regex" => {
                        if let Some(told) = rewritten(regex, *are_lines) {
                            *regex = told;
                        }
                    }
                    _ => rewrite_part(value, are_lines),
                }
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| rewrite_part(part, are_lines)),
        _ => {}
    }
    *are_lines |= splits;
}

/// Whether a component makes each newline a piece, or leaves it out.
fn splits_lines(component: &Value) -> bool {
    let pattern = &component["pattern"];
    let found = pattern["Regex"].as_str().or_else(|| pattern["String"].as_str());
    component["type"] == "Split"
        && component["invert"] == false
        && (component["behavior"] == "Isolated" || component["behavior"] == "Removed")
        && found.is_some_and(|found| NEWLINES.contains(&found))
}

/// The pattern with all anchors rewritten; `None` where its parts are not told, where one stands in what looks
/// behind (there no engine looks ahead), or where it grows long.
fn rewritten(regex: &str, are_lines: bool) -> Option<String> {
    if begins_oddly(regex) {
        return None;
    }
    let (mut out, mut at, mut atoms) = (String::new(), 0, Vec::new());
    // of each group that is open, whether it looks behind
    let mut groups = Vec::new();
    while at < regex.len() {
        let end = atom_end(regex, at)?;
        match &regex[at..end] {
            "(" => groups.push(LOOKS_BEHIND.iter().any(|sign| regex[at..].starts_with(sign))),
            ")" => drop(groups.pop()),
            "$" | "^" | r"\Z" if groups.contains(&true) => return None,
            _ => {}
        }
        let told = match &regex[at..end] {
            "$" if is_behind_all_blanks(&atoms, are_lines) => r"\z",
            "$" => END_OF_LINE,
            "^" if are_lines => r"\A",
            "^" => BEGIN_OF_LINE,
            r"\Z" => END_OF_LAST_LINE,
            atom => atom,
        };
        out.push_str(told);
        atoms.push(&regex[at..end]);
        at = end;
    }
    (out.len() <= regex.len() + MOST_BYTES).then_some(out)
}

/// Whether the parts of a pattern end with blanks that no newline can follow: there are none behind them in a
/// text, or in a line that is one itself.
fn is_behind_all_blanks(atoms: &[&str], are_lines: bool) -> bool {
    let takes_all = [[r"\s", "+", "+"], [r"\s", "*", "+"]].iter().any(|all| atoms.ends_with(all));
    takes_all || (are_lines && atoms.ends_with(&[r"\s", "+"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_written_as_they_are_read() {
        for (theirs, ours, in_lines) in [
            (r"\s+$", r"\s+(?=\n|\z)", r"\s+\z"),
            (r"\s++$|a*+$", r"\s++\z|a*+(?=\n|\z)", r"\s++\z|a*+(?=\n|\z)"),
            (r"^a|[$^]\$\^", r"(?:\A|(?<=\n)(?!\z))a|[$^]\$\^", r"\Aa|[$^]\$\^"),
            (r"a\Z|\\s++$", r"a(?=\n?\z)|\\s++(?=\n|\z)", r"a(?=\n?\z)|\\s++(?=\n|\z)"),
        ] {
            assert_eq!(rewritten(theirs, false).as_deref(), Some(ours));
            assert_eq!(rewritten(theirs, true).as_deref(), Some(in_lines));
        }
        assert_eq!(rewritten("(?<=(?:^|b))a", false), None);
        assert_eq!(rewritten("(?<=b)$", false).as_deref(), Some(r"(?<=b)(?=\n|\z)"));
        assert_eq!(rewritten("[]$]", false), None);
    }
}
