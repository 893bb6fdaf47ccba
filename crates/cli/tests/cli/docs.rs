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
        } else if is_inside && line.starts_with("$ ") {
            // Another program's, with its answer.
            found.push((String::new(), String::new()));
        } else if let Some((_, output)) = found.last_mut().filter(|_| is_inside) {
            output.push_str(line);
            output.push('\n');
        }
    }
    found.retain(|(command, _)| !command.is_empty());
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

/// Commands that wait, write, or need more than a fixture.
const OTHERS: [&str; 5] = ["view", "capture", "run", "attach", "export"];

/// Whether an example can be run here: on files of the repository.
fn can_run(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let is_other = words.next().is_none_or(|word| OTHERS.contains(&word));
    !is_other && !command.contains(['|', '>']) && words.any(|word| root().join(word).exists())
}

/// The lines that a page shows and the answer does not have, in order. `…` stands for what is left
/// out, at the end of a line for its rest.
fn missing<'a>(shown: &'a str, said: &str) -> Vec<&'a str> {
    let mut said = said.lines().map(str::trim_end);
    let mut found = Vec::new();
    for line in shown
        .lines()
        .filter(|line| !matches!(line.trim(), "" | "…" | "..."))
    {
        let rest = said.clone();
        let is_there = match line.trim_end().strip_suffix('…') {
            Some(start) => said.any(|one| one.starts_with(start.trim_end())),
            None => said.any(|one| one == line.trim_end()),
        };
        if !is_there {
            found.push(line);
            said = rest;
        }
    }
    found
}

#[test]
fn examples_of_all_pages_are_true() {
    let mut pages = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                pages.push(path);
            }
        }
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        let examples = commands(&text).into_iter();
        for (command, shown) in examples.filter(|(line, shown)| !shown.is_empty() && can_run(line))
        {
            let mut process = stepscope();
            let words = command.split_whitespace();
            process.args(words.map(|word| word.trim_matches('\'')));
            process.current_dir(root()).env("COLUMNS", "100");
            let output = process.output().expect("the binary runs");
            let said = [output.stderr, output.stdout].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            compared += 1;
            for line in missing(&shown, &said) {
                wrong.push(format!("{}: {command}: {line}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 12, "only {compared} examples were found");
}
