//! The skill: how to work with the tools, for agents. Its files are in `skills/stepscope`.

/// A file of the skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkillFile {
    /// Its path within the skill's folder, with `/`.
    pub path: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// Name of the skill, and of its folder.
pub const NAME: &str = "stepscope";

macro_rules! file {
    ($path:literal) => {
        SkillFile {
            path: $path,
            text: include_str!(concat!("../../../skills/stepscope/", $path)),
        }
    };
}

/// Its files, `SKILL.md` first.
pub const FILES: [SkillFile; 4] = [
    file!("SKILL.md"),
    file!("references/analyses.md"),
    file!("references/capture.md"),
    file!("references/trust.md"),
];

/// The value of a line of the head of `SKILL.md`.
pub(crate) fn head(key: &str) -> &'static str {
    let mut lines = FILES[0]
        .text
        .lines()
        .skip(1)
        .take_while(|line| *line != "---");
    let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    value.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_as_agents_expect_it() {
        assert_eq!(head("name"), NAME);
        let description = head("description");
        assert!((200..=1024).contains(&description.len()), "{description}");
        assert!(description.contains("Use when"), "{description}");
        let body = FILES[0].text.lines().count();
        assert!(body < 500, "{body} lines");
    }

    #[test]
    fn every_file_is_routed_to() {
        for file in &FILES[1..] {
            let link = format!("({})", file.path);
            assert!(
                FILES[0].text.contains(&link),
                "SKILL.md leads to {}",
                file.path
            );
        }
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../skills/stepscope/references"
        );
        let there = std::fs::read_dir(folder).expect("the references").count();
        assert_eq!(there, FILES.len() - 1, "a file is not embedded");
    }

    #[test]
    fn tools_and_analyses_that_are_named_exist() {
        let tools: Vec<&str> = crate::tools().iter().map(|tool| tool.name).collect();
        for tool in &tools {
            assert!(FILES[0].text.contains(&format!("`{tool}`")), "{tool}");
        }
        let analyses = FILES[1].text;
        for entry in stepscope_analysis::ANALYSES {
            assert!(
                analyses.contains(&format!("`{}`", entry.name)),
                "{}",
                entry.name
            );
        }
        // `ask` `NAME` names an analysis.
        for file in FILES {
            for rest in file.text.split("`ask` `").skip(1) {
                let name = rest.split('`').next().unwrap_or_default();
                assert!(
                    stepscope_analysis::find(name).is_some(),
                    "{}: {name}",
                    file.path
                );
            }
        }
    }
}
