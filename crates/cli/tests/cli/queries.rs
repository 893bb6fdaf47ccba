//! `stepscope sql` hands over to its program, and says what to do without it.

use std::process::{Command, Output};

fn stepscope(arguments: &[&str], program: &std::path::Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stepscope"))
        .args(arguments)
        .env("STEPSCOPE_SQL", program)
        .output()
        .expect("the program starts")
}

#[test]
fn without_the_program_it_says_what_to_do() {
    let nowhere = std::path::Path::new("/nowhere/stepscope-sql");
    for arguments in [
        &["sql", "--tables"][..],
        &["sql", "logs", "select 1", "--json"],
    ] {
        let output = stepscope(arguments, nowhere);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("needs stepscope-sql"), "{error}");
        assert!(
            error.contains("cargo build --release --package stepscope-sql"),
            "{error}"
        );
    }
}

#[cfg(unix)]
#[test]
fn arguments_and_exit_code_are_those_of_the_program() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("stepscope-sql");
    std::fs::write(&program, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 3\n").expect("a script");
    let executable = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&program, executable).expect("permissions");
    let output = stepscope(&["sql", "a b", "--help", "select '*'"], &program);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "<a b><--help><select '*'>"
    );
    assert_eq!(output.status.code(), Some(3));
}
