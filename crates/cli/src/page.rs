//! Pieces of text pages: headlines, titles, notes, bars.

use std::fmt::Write;

use anstyle::{AnsiColor, Color, RgbColor, Style};
use stepscope_analysis::telling::thresholds::VerdictKind;
use stepscope_analysis::{Note, NoteKind};

use crate::format::{self, Charset};

/// Maximum width of sentences.
pub(crate) const READABLE: usize = 100;

/// For what matters on a line.
pub(crate) const BOLD: Style = Style::new().bold();
/// For what matters least.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// A heading, for a line of its own.
pub(crate) fn heading(text: &str) -> String {
    format!("{BOLD}{text}{BOLD:#}")
}

/// The color of a verdict; red is for problems only.
pub(crate) fn verdict_style(verdict: VerdictKind) -> Style {
    match verdict {
        VerdictKind::Good => AnsiColor::Green.on_default(),
        VerdictKind::Warning => AnsiColor::Yellow.on_default(),
        VerdictKind::Bad => AnsiColor::Red.on_default().bold(),
        VerdictKind::Unknown | VerdictKind::Neutral => FAINT,
    }
}

/// A title on a line of its own.
pub(crate) fn title(text: &str, charset: Charset) -> String {
    format!("{BOLD}{}{BOLD:#}\n", charset.text(text))
}

/// Names and values, with the values aligned and wrapped.
pub(crate) fn headline(pairs: &[(String, String)], width: usize, charset: Charset) -> String {
    // Replacement characters may have other widths, so names are measured as printed.
    let names: Vec<String> = pairs.iter().map(|(name, _)| charset.text(name)).collect();
    let widest = names
        .iter()
        .map(|name| format::width(name))
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for (name, (_, value)) in names.iter().zip(pairs) {
        let room = width.saturating_sub(widest + 2).max(20);
        let value = charset.text(&format::one_line(value));
        // What fits stays as it is, including spaces.
        let lines = if format::width(&value) <= room {
            vec![value]
        } else {
            format::wrapped(&value, room)
        };
        for (index, line) in lines.iter().enumerate() {
            let name = if index == 0 { name.as_str() } else { "" };
            let gap = " ".repeat(widest - format::width(name) + 2);
            let _ = writeln!(text, "{FAINT}{name}{FAINT:#}{gap}{BOLD}{line}{BOLD:#}");
        }
    }
    text
}

/// The word before a note.
fn word(note: &Note) -> &'static str {
    match note.kind {
        NoteKind::Warning => "warning",
        NoteKind::Info => "note",
    }
}

/// Notes, warnings first, wrapped; the hint is below each note.
pub(crate) fn notes(notes: &[Note], width: usize, charset: Charset) -> String {
    let mut sorted: Vec<&Note> = notes.iter().collect();
    sorted.sort_by_key(|note| note.kind);
    sorted
        .iter()
        .flat_map(|note| note_lines(note, width, charset))
        .fold(String::new(), |mut text, line| {
            text.push_str(&line);
            text.push('\n');
            text
        })
}

/// One note as lines.
pub(crate) fn note_lines(note: &Note, width: usize, charset: Charset) -> Vec<String> {
    let style = match note.kind {
        NoteKind::Warning => AnsiColor::Yellow.on_default().bold(),
        NoteKind::Info => FAINT,
    };
    let word = word(note);
    let indent = " ".repeat(word.len() + 2);
    let room = width.saturating_sub(indent.len()).max(20);
    let mut lines = Vec::new();
    for (index, line) in wrapped(&note.text, room, charset).into_iter().enumerate() {
        let start = if index == 0 {
            format!("{style}{word}:{style:#} ")
        } else {
            indent.clone()
        };
        lines.push(format!("{start}{line}"));
    }
    // Lines of code stay lines.
    for (index, line) in format::bare(&note.hint).lines().enumerate() {
        let is_command = line.starts_with("stepscope ");
        let line = match index {
            0 => format!("hint: {line}"),
            _ => line.to_owned(),
        };
        let margin = if index == 0 { "" } else { "      " };
        // A command is pasted as a whole.
        let room = if is_command {
            usize::MAX
        } else {
            room.saturating_sub(margin.len())
        };
        for line in wrapped(&line, room, charset) {
            lines.push(format!("{indent}{margin}{FAINT}{line}{FAINT:#}"));
        }
    }
    lines
}

/// Sentences, one per line, or wrapped with a hanging indent; the status word that starts a finding
/// is in its color. Indentation is kept, and deeply indented lines are code, left as they are.
pub(crate) fn sentences(lines: &[String], width: usize, charset: Charset) -> String {
    const CODE: usize = 5;
    let mut text = String::new();
    for line in lines {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let margin = " ".repeat(indent);
        if indent >= CODE {
            let code = charset.text(&format::one_line(line.trim_start_matches(' ')));
            let word = code.split("  ").next().unwrap_or_default();
            let style = check_style(word).unwrap_or(FAINT);
            let _ = writeln!(text, "{margin}{style}{code}{style:#}");
            continue;
        }
        if line.is_empty() {
            text.push('\n');
        }
        let marked = line.split_once(": ").and_then(|(word, _)| {
            let style = finding_style(word)?;
            Some((word, style))
        });
        let below = if indent == 0 { "  " } else { margin.as_str() };
        let room = width.saturating_sub(below.len()).max(20);
        for (index, part) in wrapped(line, room, charset).into_iter().enumerate() {
            match (index, marked) {
                (0, Some((word, style))) => {
                    let rest = part.strip_prefix(word).unwrap_or(&part);
                    let _ = writeln!(text, "{style}{word}{style:#}{rest}");
                }
                (0, None) => {
                    let _ = writeln!(text, "{margin}{part}");
                }
                _ => {
                    let _ = writeln!(text, "{below}{part}");
                }
            }
        }
    }
    text
}

/// The style of the word that a finding or a check starts with.
pub(crate) fn finding_style(word: &str) -> Option<Style> {
    match word {
        "bad" => Some(verdict_style(VerdictKind::Bad)),
        "warning" => Some(verdict_style(VerdictKind::Warning)),
        "ok" => Some(verdict_style(VerdictKind::Good)),
        "note" => Some(FAINT),
        _ => None,
    }
}

/// The style of the verdict of a budget.
pub(crate) fn check_style(word: &str) -> Option<Style> {
    match word {
        "broken" => Some(verdict_style(VerdictKind::Bad)),
        "within noise" | "unknown" => Some(verdict_style(VerdictKind::Warning)),
        "passed" => Some(verdict_style(VerdictKind::Good)),
        _ => None,
    }
}

fn wrapped(text: &str, columns: usize, charset: Charset) -> Vec<String> {
    format::wrapped(&charset.text(&format::one_line(text)), columns)
}

/// A line in color with a plain label of so many columns, wrapped beside the label if it does not fit.
pub(crate) fn hanging(line: &str, label: usize, width: usize) -> Vec<String> {
    let columns = |text: &str| format::width(&anstream::adapter::strip_str(text).to_string());
    let (label, text) = match line.split_at_checked(label) {
        Some(parts) if columns(line) > width => parts,
        _ => return vec![line.to_owned()],
    };
    let room = width.saturating_sub(label.len()).max(20);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(last) if last.is_empty() => last.push_str(word),
            Some(last) if columns(last) + 1 + columns(word) <= room => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let margin = " ".repeat(label.len());
    let lines = lines.into_iter().enumerate();
    lines
        .map(|(index, line)| format!("{}{line}", if index == 0 { label } else { &margin }))
        .collect()
}

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A horizontal bar of at most `columns`, in eighths of a column if the characters allow it.
pub(crate) fn bar(ratio: f64, columns: usize, charset: Charset) -> String {
    let ratio = if ratio.is_finite() {
        ratio.clamp(0.0, 1.0)
    } else {
        0.0
    };
    if charset == Charset::Ascii {
        return "#".repeat(rounded(ratio * columns as f64));
    }
    let eighths = rounded(ratio * columns as f64 * 8.0);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// Columns for each share of a stacked bar: they sum to `columns`, and the largest remainders win.
pub(crate) fn stacked(ratios: &[f64], columns: usize) -> Vec<usize> {
    let total: f64 = ratios.iter().filter(|ratio| ratio.is_finite()).sum();
    if total <= 0.0 {
        return vec![0; ratios.len()];
    }
    let exact: Vec<f64> = ratios
        .iter()
        .map(|ratio| {
            if ratio.is_finite() {
                ratio / total * columns as f64
            } else {
                0.0
            }
        })
        .collect();
    let mut shares: Vec<usize> = exact.iter().map(|share| floored(*share)).collect();
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|&a, &b| {
        exact[b]
            .fract()
            .total_cmp(&exact[a].fract())
            .then(a.cmp(&b))
    });
    let left = columns.saturating_sub(shares.iter().sum());
    for &index in order.iter().take(left) {
        shares[index] += 1;
    }
    shares
}

/// One character per value, taller for larger values.
pub(crate) fn sparkline(values: &[f64], charset: Charset) -> String {
    let levels: &[char] = match charset {
        Charset::Ascii => &['_', '.', '-', '=', '+', '*', '#'],
        Charset::Unicode => &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
    };
    let largest = values.iter().copied().fold(0.0, f64::max);
    let level = |value: f64| {
        let height = if largest > 0.0 {
            value / largest * (levels.len() - 1) as f64
        } else {
            0.0
        };
        levels[rounded(height).min(levels.len() - 1)]
    };
    values.iter().map(|&value| level(value)).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "terminal columns: small, and negative ones saturate to none"
)]
fn rounded(value: f64) -> usize {
    value.round() as usize
}

fn floored(value: f64) -> usize {
    let nearest = rounded(value);
    if nearest as f64 > value {
        nearest - 1
    } else {
        nearest
    }
}

/// A foreground color; terminals without 24-bit color show the nearest one.
pub(crate) const fn foreground(red: u8, green: u8, blue: u8) -> Style {
    Style::new().fg_color(Some(Color::Rgb(RgbColor(red, green, blue))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_below_each_other_whatever_characters_names_have() {
        let pairs = [("Ops", "4"), ("Σ self", "1.090 s")];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        for (charset, expected) in [
            (Charset::Unicode, "Ops     4\nΣ self  1.090 s\n"),
            (Charset::Ascii, "Ops          4\nsum of self  1.090 s\n"),
        ] {
            let text = headline(&pairs, 80, charset);
            assert_eq!(anstream::adapter::strip_str(&text).to_string(), expected);
        }
        let pairs = [("Why".to_owned(), "an op is slower than it was".to_owned())];
        let text = headline(&pairs, 25, Charset::Ascii);
        let expected = "Why  an op is slower than\n     it was\n";
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), expected);
    }

    #[test]
    fn a_colored_line_wraps_beside_its_label() {
        let line = format!("MFU   {BOLD}9.5 %{BOLD:#} (HFU 9.9 %) of the time");
        let plain = |width| {
            let lines = hanging(&line, 6, width);
            let plain = lines.iter().map(|line| anstream::adapter::strip_str(line));
            plain.map(|line| line.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(plain(40), ["MFU   9.5 % (HFU 9.9 %) of the time"]);
        assert_eq!(plain(30), ["MFU   9.5 % (HFU 9.9 %) of the", "      time"]);
    }

    #[test]
    fn a_stacked_bar_is_full() {
        assert_eq!(stacked(&[0.5, 0.3, 0.2], 10), [5, 3, 2]);
        assert_eq!(stacked(&[1.0, 1.0, 1.0], 10).iter().sum::<usize>(), 10);
        assert_eq!(stacked(&[0.999, 0.001], 40), [40, 0]);
        assert_eq!(stacked(&[0.0], 40), [0]);
        assert_eq!(stacked(&[f64::NAN, 1.0], 4), [0, 4]);
    }

    #[test]
    fn bars_measure() {
        assert_eq!(bar(0.5, 8, Charset::Unicode), "████");
        assert_eq!(bar(0.53, 8, Charset::Unicode), "████▎");
        assert_eq!(bar(0.5, 8, Charset::Ascii), "####");
        assert_eq!(bar(7.0, 8, Charset::Ascii), "########");
        assert_eq!(bar(f64::NAN, 8, Charset::Unicode), "");
    }

    #[test]
    fn sparklines_start_at_zero() {
        assert_eq!(sparkline(&[1.0, 2.0, 8.0, 0.0], Charset::Unicode), "▂▃█▁");
        assert_eq!(sparkline(&[], Charset::Unicode), "");
    }

    #[test]
    fn notes_wrap_and_warnings_come_first() {
        let list = [
            Note::info("steps-complete", "All steps are complete."),
            Note::warning("data-truncated", "The file ends early.")
                .with_hint("Copy it again.\ncp a b"),
        ];
        let text = anstream::adapter::strip_str(&notes(&list, 30, Charset::Ascii)).to_string();
        let expected = "\
warning: The file ends early.
         hint: Copy it again.
               cp a b
note: All steps are complete.
";
        assert_eq!(text, expected);
    }
}
