//! `stepscope skills`: the skill that says to agents how to use Stepscope, as files.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use stepscope_mcp::skill::{FILES, NAME, SkillFile};

use crate::args::flag;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Where agents of any maker look for skills of a project.
const OF_ALL: &str = ".agents/skills";
/// Where Claude Code looks for them, below a folder that is there if it is used.
const OF_CLAUDE: [&str; 2] = [".claude", "skills"];

/// The subcommand.
pub(crate) fn command() -> Command {
    let install = Command::new("install")
        .about("Write the skill for agents: when and how to use Stepscope, and what to trust")
        .after_help(
            "Examples:\n  # Into this project\n  stepscope skills install\n  \
             # For all projects of this user\n  stepscope skills install --to ~/.claude/skills\n\n\
             `stepscope mcp` serves the same files as resources.",
        )
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .help(
                    "Folder of skills [default: .claude/skills if .claude is here, else \
                     .agents/skills]",
                ),
        )
        .arg(flag("force", "Overwrite files that differ"));
    Command::new("skills")
        .about("Install the skill that tells agents how to use Stepscope")
        .after_help("Examples:\n  stepscope skills install\n  stepscope skills install --help")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(install)
}

/// Installs the skill.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let Some(("install", arguments)) = arguments.subcommand() else {
        return Err(Failure::new(
            Exit::Usage,
            "`stepscope skills` needs a command: install",
        ));
    };
    let folder = arguments.get_one::<PathBuf>("to").cloned();
    let folder = folder.unwrap_or_else(usual).join(NAME);
    let differing: Vec<&SkillFile> = FILES.iter().filter(|file| differs(&folder, file)).collect();
    let first = differing
        .iter()
        .find(|file| folder.join(file.path).exists());
    if let (Some(first), false) = (first, arguments.get_flag("force")) {
        let path = folder.join(first.path);
        let message = format!("a file there differs from the skill's: {}", path.display());
        return Err(Failure::new(Exit::Failure, message)
            .hint("it may have been changed, or be of another version; --force overwrites it"));
    }
    for file in &differing {
        write(&folder.join(file.path), file.text).map_err(|error| {
            let path = folder.join(file.path);
            Failure::new(
                Exit::Failure,
                format!("cannot write {}: {error}", path.display()),
            )
        })?;
    }
    let (count, place) = (differing.len(), folder.display());
    output.data(&format!("{place}\n"))?;
    output.remark(&match count {
        0 => "the skill is there already".to_owned(),
        _ => format!("{count} of {} files written", FILES.len()),
    });
    Ok(Exit::Fine)
}

fn usual() -> PathBuf {
    if Path::new(OF_CLAUDE[0]).is_dir() {
        OF_CLAUDE.iter().collect()
    } else {
        PathBuf::from(OF_ALL)
    }
}

/// Whether something else than the file is there, or nothing.
fn differs(folder: &Path, file: &SkillFile) -> bool {
    let there = fs::read(folder.join(file.path));
    there.map_or(true, |bytes| bytes != file.text.as_bytes())
}

/// Writes a file whole or not at all; a link is replaced, not followed.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let partial = parent.join(format!(".{name}.{}.part", std::process::id()));
    let mut file = fs::File::create_new(&partial)?;
    let written = file.write_all(text.as_bytes());
    let moved = written.and_then(|()| fs::rename(&partial, path));
    if moved.is_err() {
        // The error says more than another about the rest of it.
        let _ = fs::remove_file(&partial);
    }
    moved
}
