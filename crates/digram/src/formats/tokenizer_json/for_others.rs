//! Patterns as a file shows them to Hugging Face: what Oniguruma does not know, or takes for another, is spelled
//! as both engines read it, `\pL` as `\p{L}` and `\p{Script=Han}` as `\p{Han}`.
//!
//! What has no such spelling stays; `oniguruma` finds it.

use serde_json::Value;
use std::collections::BTreeMap;

use super::named_classes::{is_known, plain};
use super::repetitions::{begins_oddly, each_pattern};

/// Spells each pattern of a component so, and adds to `given` how those were that change.
pub(super) fn spell(component: &mut Value, given: &mut BTreeMap<String, String>) {
    each_pattern(component, &mut |regex| {
        let spelled = spelled(regex);
        if spelled != *regex {
            given.insert(spelled.clone(), std::mem::replace(regex, spelled));
        }
    });
}

/// Gives the patterns of a component back as they were given.
pub(super) fn restore(component: &mut Value, given: &BTreeMap<String, String>) {
    each_pattern(component, &mut |regex| {
        if let Some(own) = given.get(regex) {
            regex.clone_from(own);
        }
    });
}

/// A pattern as both engines read it, where there is such.
pub(super) fn spelled(regex: &str) -> String {
    if begins_oddly(regex) {
        return regex.to_owned();
    }
    let (mut out, mut rest, mut classes) = (String::new(), regex, 0_usize);
    while let Some(first) = rest.chars().next() {
        let (text, length) = match first {
            '\\' => escape(rest).unwrap_or_else(|| {
                let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                (rest[..length].into(), length)
            }),
            '{' if classes == 0 && rest.starts_with("{,}") => ("{0,}".into(), 3),
            other => (other.into(), other.len_utf8()),
        };
        match first {
            '[' => classes += 1,
            ']' => classes = classes.saturating_sub(1),
            _ => {}
        }
        out.push_str(&text);
        rest = &rest[length..];
    }
    out
}

/// How an escape is spelled that is a property or the number of a character, and how long it is.
fn escape(rest: &str) -> Option<(String, usize)> {
    let sign = rest[1..].chars().next()?;
    let behind = &rest[1 + sign.len_utf8()..];
    let short = match sign {
        'p' | 'P' => behind.chars().next()?.len_utf8(),
        'x' => 2,
        'U' => 8,
        _ => 0,
    };
    let (inside, length) = match behind.strip_prefix('{') {
        Some(braced) => (braced.split_once('}')?.0, r"\p{}".len()),
        None => (behind.get(..short)?, r"\p".len()),
    };
    let length = length + inside.len();
    match sign {
        'p' | 'P' => Some((property(inside, sign == 'P')?, length)),
        'x' | 'u' | 'U' => {
            let number = u32::from_str_radix(inside, 16).ok()?;
            let stays = sign == 'x' && (behind.starts_with('{') || number < 0x80);
            let text = format!(r"\x{{{inside}}}");
            Some((if stays { rest[..length].into() } else { text }, length))
        }
        _ => None,
    }
}

/// How both engines spell a property, or all characters that have it not.
fn property(name: &str, others: bool) -> Option<String> {
    let written = |name: &str, others| format!(r"\{}{{{name}}}", if others { 'P' } else { 'p' });
    let meant = regex_syntax::parse(&written(name, others)).ok()?;
    let is_meant = |own: &str, others| {
        is_known(own) && regex_syntax::parse(&written(own, others)).is_ok_and(|own| own == meant)
    };
    let value = |sign: &str| {
        let (field, value) = name.split_once(sign)?;
        ["gc", "generalcategory", "sc", "script"].contains(&&*plain(field)).then_some(value)
    };
    let bare = name.strip_prefix(['i', 'I']).and_then(|name| name.strip_prefix(['s', 'S']));
    let ways = [
        (Some(name), others),
        (bare, others),
        (value("!="), !others),
        (value(":"), others),
        (value("="), others),
    ];
    let ways = ways.into_iter().filter_map(|(own, others)| Some((own?, others)));
    let (own, others) = ways.into_iter().find(|&(own, others)| is_meant(own, others))?;
    Some(written(own, others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_oniguruma_does_not_know_is_spelled_another_way() {
        for (ours, theirs) in [
            (r"\pL+[\PN\pZ]", r"\p{L}+[\P{N}\p{Z}]"),
            (r"\p{Script=Han}\P{sc:Greek}[\p{script=latn}]", r"\p{Han}\P{Greek}[\p{latn}]"),
            (r"\p{gc=Lu}\p{General_Category=Letter}", r"\p{Lu}\p{Letter}"),
            (r"\p{gc!=L}\P{sc!=Han}", r"\P{L}\p{Han}"),
            (r"\p{isAlpha}\p{IsGreek}", r"\p{Alpha}\p{Greek}"),
            (
                r"\xE9\u{4e00}\U0001F600\u4e00\x41\x{E9}",
                r"\x{E9}\x{4e00}\x{0001F600}\u4e00\x41\x{E9}",
            ),
            ("a{,}[{,}]b{ 2, 3 }", "a{0,}[{,}]b{ 2, 3 }"),
        ] {
            assert_eq!(spelled(ours), theirs);
            assert_eq!(spelled(theirs), theirs);
        }
    }

    #[test]
    fn what_has_no_other_spelling_stays() {
        for pattern in [
            crate::pretokenize::GPT2,
            r"\p{scx=Han}|\p{Age=6.0}|\p{Bidi_Mirrored}|\p{gcb=Extend}|\p{Word}|\p{^L}|[]\pL]",
            r"\p|\p{L|\x|\x4|\u41|\\pL|\é",
        ] {
            assert_eq!(spelled(pattern), pattern);
        }
    }

    #[test]
    fn each_value_is_spelled_as_its_bare_name() {
        for name in
            ["gc=Cf", "gc=Sc", "gc=Currency_Symbol", "gc=LC", "sc=Qaai", "sc=Zyyy", "sc=Latin"]
        {
            let spelled = spelled(&format!(r"\p{{{name}}}"));
            let bare = name.split_once('=').expect("it has a value").1;
            assert_eq!(spelled, format!(r"\p{{{bare}}}"));
        }
    }
}
