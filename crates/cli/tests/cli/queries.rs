//! `stepscope sql` and `stepscope fleet` hand over to their programs, and say what to do without them.

use std::process::{Command, Output};

fn stepscope(arguments: &[&str], program: &std::path::Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stepscope"))
        .args(arguments)
        .env("STEPSCOPE_SQL", program)
        .env("STEPSCOPE_FLEET", program)
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
        assert!(error.contains("cargo install --path crates/sql"), "{error}");
    }
}

#[test]
fn a_fleet_needs_a_program_of_its_own() {
    let nowhere = std::path::Path::new("/nowhere/stepscope-fleet");
    for arguments in [
        &["fleet", "scheduler"][..],
        &["sql", "logs", "--fleet", "df://scheduler:50050", "select 1"],
    ] {
        let output = stepscope(arguments, nowhere);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("needs stepscope-fleet"), "{error}");
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
    for (arguments, expected) in [
        (
            &["sql", "a b", "--help", "select '*'"][..],
            "<a b><--help><select '*'>",
        ),
        (
            &["fleet", "executor", "--slots", "2"],
            "<executor><--slots><2>",
        ),
        (
            &["sql", "logs", "--fleet", "df://a:1", "x"],
            "<sql><logs><--fleet><df://a:1><x>",
        ),
        (
            &["sql", "--fleet=df://a:1", "logs", "x"],
            "<sql><--fleet=df://a:1><logs><x>",
        ),
    ] {
        let output = stepscope(arguments, &program);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert_eq!(output.status.code(), Some(3));
    }
}
