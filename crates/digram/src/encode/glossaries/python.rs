//! Python's regular expressions, in which glossaries are written, as far as they mean the same here.
//!
//! Both languages write most things alike. What differs is replaced (`\w` is a letter, a number or
//! `_` there) or refused: then it has no counterpart, or glossaries have no use for it.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, GroupKind, Literal,
    LiteralKind, RepetitionKind, Span,
};

use crate::error::{Error, Result};

/// Letters, numbers and `_`: what Python's `str.isalnum` tells.
const WORD: &str = r"\p{L}\p{N}_";
/// What Python's `str.isspace` tells.
const SPACE: &str =
    r"\t-\r\x1C-\x20\x85\xA0\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}";

/// The text that a glossary is, where it has no signs of regular expressions but escaped ones.
pub(crate) fn text_of(glossary: &str) -> Option<String> {
    let translated = translated(glossary).ok()?;
    let text = |ast: &Ast| if let Ast::Literal(literal) = ast { Some(literal.c) } else { None };
    match &Parser::new().parse(&translated).ok()? {
        Ast::Concat(parts) => parts.asts.iter().map(text).collect(),
        ast => text(ast).map(String::from),
    }
}

/// The same pattern in the language of the crate `regex`. Fails for what has none.
pub(super) fn translated(glossary: &str) -> Result<String> {
    let refused = |why: &str| {
        Error::Value(format!(
            "the glossary {glossary:?} {why}; write it with letters, classes, repetitions, `|` and \
             (?:…) alone"
        ))
    };
    let ast = Parser::new().parse(glossary).map_err(|error| {
        refused(&format!("is no pattern that can be followed: {}", error.kind()))
    })?;
    let mut changes = Changes { glossary, made: Vec::new() };
    changes.of(&ast).map_err(refused)?;
    Ok(changes.applied())
}

/// What is written otherwise, in the order of the text.
struct Changes<'a> {
    glossary: &'a str,
    made: Vec<(Span, String)>,
}

impl Changes<'_> {
    fn of(&mut self, ast: &Ast) -> std::result::Result<(), &'static str> {
        match ast {
            Ast::Empty(_) | Ast::Dot(_) => Ok(()),
            Ast::Literal(literal) => literal_is_alike(literal),
            Ast::Assertion(assertion) => match assertion.kind {
                AssertionKind::StartLine | AssertionKind::EndLine | AssertionKind::StartText => {
                    Ok(())
                }
                AssertionKind::WordBoundaryStartAngle => self.replace(assertion.span, "<"),
                AssertionKind::WordBoundaryEndAngle => self.replace(assertion.span, ">"),
                _ => Err("looks at what is around (\\b, \\B)"),
            },
            Ast::ClassPerl(class) => {
                let class_ = written(class);
                self.replace(class.span, &class_)
            }
            Ast::ClassBracketed(class) => self.of_set(&class.kind),
            Ast::Repetition(repetition) => {
                if matches!(*repetition.ast, Ast::Repetition(_)) {
                    return Err("repeats a repetition");
                }
                let span = repetition.op.span;
                let is_range = matches!(repetition.op.kind, RepetitionKind::Range(_));
                if is_range && self.text(span).contains(char::is_whitespace) {
                    return Err("has a blank between braces");
                }
                self.of(&repetition.ast)
            }
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(flags) if flags.items.is_empty() => self.of(&group.ast),
                GroupKind::NonCapturing(_) => Err("has flags"),
                _ => Err("has a group that captures, whose text subword-nmt writes twice"),
            },
            Ast::Alternation(all) => all.asts.iter().try_for_each(|ast| self.of(ast)),
            Ast::Concat(all) => all.asts.iter().try_for_each(|ast| self.of(ast)),
            Ast::Flags(_) => Err("has flags"),
            Ast::ClassUnicode(_) => Err("has a class \\p, which Python does not know"),
        }
    }

    fn of_set(&mut self, set: &ClassSet) -> std::result::Result<(), &'static str> {
        match set {
            ClassSet::Item(item) => self.of_item(item),
            ClassSet::BinaryOp(_) => Err("has a class with &&, -- or ~~"),
        }
    }

    fn of_item(&mut self, item: &ClassSetItem) -> std::result::Result<(), &'static str> {
        match item {
            ClassSetItem::Empty(_) => Ok(()),
            ClassSetItem::Literal(literal) => literal_is_alike(literal),
            ClassSetItem::Range(range) => {
                literal_is_alike(&range.start)?;
                literal_is_alike(&range.end)
            }
            ClassSetItem::Perl(class) => {
                let class_ = written(class);
                self.replace(class.span, &class_)
            }
            ClassSetItem::Union(all) => all.items.iter().try_for_each(|item| self.of_item(item)),
            ClassSetItem::Ascii(_) | ClassSetItem::Unicode(_) | ClassSetItem::Bracketed(_) => {
                Err("has a class within a class")
            }
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "said at the end of each arm")]
    fn replace(&mut self, span: Span, by: &str) -> std::result::Result<(), &'static str> {
        self.made.push((span, by.to_owned()));
        Ok(())
    }

    fn text(&self, span: Span) -> &str {
        &self.glossary[span.start.offset..span.end.offset]
    }

    fn applied(&self) -> String {
        let (mut pattern, mut position) = (String::new(), 0);
        for (span, by) in &self.made {
            pattern.push_str(&self.glossary[position..span.start.offset]);
            pattern.push_str(by);
            position = span.end.offset;
        }
        pattern.push_str(&self.glossary[position..]);
        pattern
    }
}

fn literal_is_alike(literal: &Literal) -> std::result::Result<(), &'static str> {
    match literal.kind {
        LiteralKind::HexBrace(_) => Err("writes a character with braces, as Python does not"),
        LiteralKind::Octal => Err("writes a character in octal digits"),
        _ => Ok(()),
    }
}

/// A class as Python means it.
fn written(class: &ClassPerl) -> String {
    let not = if class.negated { "^" } else { "" };
    let of = match class.kind {
        ClassPerlKind::Digit => r"\p{Nd}",
        ClassPerlKind::Space => SPACE,
        ClassPerlKind::Word => WORD,
    };
    format!("[{not}{of}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_from_patterns() {
        for (glossary, text) in [
            ("USA", Some("USA")),
            (r"U\.S\.", Some("U.S.")),
            (r"\<b\>", Some("<b>")),
            ("x", Some("x")),
            ("U.S", None),
            ("a|b", None),
            ("", None),
        ] {
            assert_eq!(text_of(glossary).as_deref(), text, "{glossary:?}");
        }
    }

    #[test]
    fn classes_are_those_of_python() {
        assert_eq!(translated(r"<\w*>\d").expect("alike"), format!(r"<[{WORD}]*>[\p{{Nd}}]"));
        assert_eq!(translated(r"[^\d-]+").expect("alike"), r"[^[\p{Nd}]-]+");
        assert_eq!(translated(r"(?:a|b){2,3}?").expect("alike"), "(?:a|b){2,3}?");
    }

    #[test]
    fn what_python_means_otherwise_is_refused() {
        for (glossary, why) in [
            ("(a)", "captures"),
            ("(?P<n>a)", "captures"),
            ("(?i:a)", "flags"),
            ("(?i)a", "flags"),
            (r"\ba", "looks at"),
            ("(?=a)", "no pattern"),
            (r"\p{L}", "Python does not know"),
            ("[a&&b]", "&&"),
            ("[[:alpha:]]", "within a class"),
            ("a*+", "repeats a repetition"),
            ("a{ 1}", "blank between braces"),
            (r"\x{61}", "braces"),
            (r"a\Z", "no pattern"),
            ("a{", "no pattern"),
        ] {
            let error = translated(glossary).expect_err(glossary).to_string();
            assert!(error.contains(why), "{glossary:?}: {error}");
        }
    }
}
