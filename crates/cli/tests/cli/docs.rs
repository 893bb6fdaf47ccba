//! `docs/reference/cli.md` shows what the binary answers: blocks with output are run and compared,
//! and the other commands must parse.

use crate::support::{root, stepscope};

/// Commands on the page, each with the output shown below it.
fn commands(page: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ stepscope").filter(|_| is_inside) {
            let command = command.split(" #").next().unwrap_or_default();
            found.push((command.trim().to_owned(), String::new()));
        } else if let Some((_, output)) = found.last_mut().filter(|_| is_inside) {
            output.push_str(line);
            output.push('\n');
        }
    }
    found
}

#[test]
fn the_guide_is_true() {
    let page =
        std::fs::read_to_string(root().join("docs/reference/cli.md")).expect("the page is there");
    let commands = commands(&page);
    assert!(commands.len() > 15, "the page has commands");
    let mut compared = 0;
    for (command, shown) in commands {
        let words = command
            .split_whitespace()
            .map(|word| word.trim_matches('\''));
        let mut process = stepscope();
        process
            .args(words)
            .current_dir(root())
            .env("COLUMNS", "100");
        if shown.is_empty() {
            process.arg("--help");
        }
        let output = process.output().expect("the binary runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("Usage"), "{command}: {stderr}");
        if !shown.is_empty() {
            let said = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
            assert_eq!(format!("{stderr}{said}"), shown, "stepscope {command}");
            compared += 1;
        }
    }
    assert!(compared >= 5, "the page shows answers");
}
