//! Tests with a script in place of `aws`: its arguments, how often it runs, and its failures.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::program::write_script;

/// A script that writes its arguments to the file `calls` in the same folder.
fn fake_aws(folder: &Path, body: &str) -> PathBuf {
    let path = folder.join("aws");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}/calls'\n{body}\n",
        folder.display()
    );
    write_script(&path, &script);
    path
}

fn calls(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn of_cli(program: PathBuf, sign_in: Option<&'static str>) -> PrintedKeys {
    PrintedKeys::new("lab", Printer::Cli(program.into(), sign_in))
}

/// JSON of keys that expire so many seconds from now.
fn keys_until(seconds: i64) -> String {
    let expiration = Timestamp::now() + SignedDuration::from_secs(seconds);
    format!(
        r#"echo '{{"Version":1,"AccessKeyId":"A","SecretAccessKey":"S","SessionToken":"T","Expiration":"{expiration}"}}'"#
    )
}

async fn fails(keys: &PrintedKeys) -> CredentialsError {
    keys.get().await.expect_err("no keys")
}

#[tokio::test]
async fn the_cli_is_asked_once_until_its_keys_expire() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = of_cli(fake_aws(folder.path(), &keys_until(3600)), Some("role_arn"));
    for _ in 0..3 {
        let key = keys.get().await.expect("keys");
        assert_eq!((key.key_id.as_str(), key.secret_key.as_str()), ("A", "S"));
        assert_eq!(key.token.as_deref(), Some("T"));
    }
    let asked = "configure export-credentials --profile lab --format process";
    assert_eq!(calls(folder.path()), [asked]);
}

#[tokio::test]
async fn keys_that_are_about_to_expire_are_asked_for_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = of_cli(fake_aws(folder.path(), &keys_until(30)), None);
    keys.get().await.expect("keys");
    keys.get().await.expect("keys");
    assert_eq!(calls(folder.path()).len(), 2);
}

#[tokio::test]
async fn a_failure_says_what_to_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let said =
        "echo >&2; echo 'Error loading SSO Token: Token for corp does not exist' >&2; exit 255";
    let program = fake_aws(folder.path(), said);
    let error = fails(&of_cli(program.clone(), Some("sso_session"))).await;
    assert_eq!(
        error.message,
        "could not get credentials for AWS profile lab: the AWS CLI failed (Error loading SSO \
         Token: Token for corp does not exist)"
    );
    assert_eq!(error.hint, "run `aws sso login --profile lab`");
    let error = fails(&of_cli(program, Some("role_arn"))).await;
    assert!(error.hint.contains("export-credentials"), "{}", error.hint);
}

#[tokio::test]
async fn a_missing_cli_is_named() {
    let error = fails(&of_cli("/no/such/aws".into(), Some("sso_session"))).await;
    assert!(
        error.message.ends_with("the AWS CLI was not found"),
        "{error}"
    );
    assert!(error.hint.contains("install AWS CLI v2"), "{}", error.hint);
}

#[tokio::test]
async fn a_program_that_hangs_or_prints_something_else_is_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut keys = of_cli(fake_aws(folder.path(), "exec sleep 60"), None);
    keys.time_limit = Duration::from_secs(1);
    let error = fails(&keys).await;
    assert!(
        error.message.ends_with("did not finish within 1 seconds"),
        "{error}"
    );
    let keys = of_cli(fake_aws(folder.path(), "echo usage: aws"), None);
    let error = fails(&keys).await;
    assert!(error.message.contains("printed no credentials"), "{error}");
}

#[tokio::test]
async fn a_program_of_the_profile_prints_them_too() {
    let printed = r#"echo '{"Version":1,"AccessKeyId":"A","SecretAccessKey":"S"}'"#;
    let keys = PrintedKeys::of_process("lab", printed.to_owned());
    let key = keys.get().await.expect("keys");
    assert_eq!((key.key_id.as_str(), key.token.as_deref()), ("A", None));
    let keys = PrintedKeys::of_process("lab", "echo no >&2; exit 1".to_owned());
    let error = fails(&keys).await;
    assert!(
        error.message.ends_with("credential_process failed (no)"),
        "{error}"
    );
}
