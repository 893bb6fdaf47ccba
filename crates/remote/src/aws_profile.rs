//! The files that `aws configure` writes: `~/.aws/credentials` and `~/.aws/config`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;

use crate::settings::variable;

/// What a profile says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Profile {
    pub(crate) name: String,
    pub(crate) keys: Option<Keys>,
    pub(crate) region: Option<String>,
    pub(crate) endpoint: Option<String>,
    /// Why there are no keys although the profile exists.
    pub(crate) problem: Option<String>,
}

/// A pair of keys, with the token of a session.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) id: String,
    pub(crate) secret: String,
    pub(crate) token: Option<String>,
}

type Section = BTreeMap<String, String>;

/// The profile in `AWS_PROFILE`, or the default one.
pub(crate) fn read() -> Profile {
    let name = variable("AWS_PROFILE")
        .or_else(|| variable("AWS_DEFAULT_PROFILE"))
        .unwrap_or_else(|| "default".to_owned());
    let home = variable("HOME")
        .or_else(|| variable("USERPROFILE"))
        .unwrap_or_default();
    let file = |named: &str, usual: &str| {
        let path = variable(named).map_or_else(|| PathBuf::from(&home).join(usual), PathBuf::from);
        fs::read_to_string(path).unwrap_or_default()
    };
    let credentials = file("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
    let config = file("AWS_CONFIG_FILE", ".aws/config");
    let mut profile = of(&name, &credentials, &config);
    if profile.keys.is_none()
        && let Some(command) = setting(&name, &credentials, &config, "credential_process")
    {
        match run(&command) {
            Ok(keys) => (profile.keys, profile.problem) = (Some(keys), None),
            Err(error) => profile.problem = Some(format!("credential_process failed: {error}")),
        }
    }
    profile
}

fn of(name: &str, credentials: &str, config: &str) -> Profile {
    let get = |key: &str| setting(name, credentials, config, key);
    let keys = get("aws_access_key_id")
        .zip(get("aws_secret_access_key"))
        .map(|(id, secret)| Keys {
            id,
            secret,
            token: get("aws_session_token"),
        });
    let signs_in = ["sso_session", "sso_start_url", "role_arn"]
        .into_iter()
        .find(|key| get(key).is_some());
    let problem = match signs_in {
        Some(key) if keys.is_none() => Some(format!("profile {name} has {key}, which is not read")),
        _ => None,
    };
    Profile {
        name: name.to_owned(),
        keys,
        region: get("region"),
        endpoint: get("endpoint_url"),
        problem,
    }
}

fn setting(name: &str, credentials: &str, config: &str, key: &str) -> Option<String> {
    let own = section(credentials, name);
    let title = if name == "default" {
        name.to_owned()
    } else {
        format!("profile {name}")
    };
    own.get(key).or(section(config, &title).get(key)).cloned()
}

/// The keys of one section of an INI file. Indented lines belong to the key above and are not used.
fn section(text: &str, title: &str) -> Section {
    let mut found = Section::new();
    let mut is_inside = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(name) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.split(']').next())
        {
            is_inside = name.split_whitespace().eq(title.split_whitespace());
        } else if is_inside
            && !line.starts_with([' ', '\t', '#', ';'])
            && let Some((key, value)) = trimmed.split_once('=')
        {
            found.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    found.retain(|_, value| !value.is_empty());
    found
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ProcessAnswer {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
}

/// Runs a program that prints keys, as the AWS tools do.
fn run(command: &str) -> Result<Keys, String> {
    let (shell, flag) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let output = Command::new(shell).args([flag, command]).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(said
            .lines()
            .last()
            .unwrap_or("it printed nothing")
            .to_owned());
    }
    let answer: ProcessAnswer =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    Ok(Keys {
        id: answer.access_key_id,
        secret: answer.secret_access_key,
        token: answer.session_token,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: &str = "\
[default]
aws_access_key_id = AKIA1
aws_secret_access_key=se/cr=et
# a remark
[lab]
aws_access_key_id = AKIA2
aws_secret_access_key = two
aws_session_token = tok
";
    const CONFIG: &str = "\
[default]
region = eu-west-1
s3 =
  addressing_style = path
[profile lab]
region=us-east-2
endpoint_url = http://localhost:9000
[profile sso]
sso_session = corp
";

    #[test]
    fn both_files_make_a_profile() {
        let default = of("default", CREDENTIALS, CONFIG);
        let keys = default.keys.expect("keys");
        assert_eq!(
            (keys.id.as_str(), keys.secret.as_str()),
            ("AKIA1", "se/cr=et")
        );
        assert_eq!(default.region.as_deref(), Some("eu-west-1"));
        let lab = of("lab", CREDENTIALS, CONFIG);
        assert_eq!(lab.keys.and_then(|keys| keys.token).as_deref(), Some("tok"));
        assert_eq!(lab.endpoint.as_deref(), Some("http://localhost:9000"));
        let sso = of("sso", CREDENTIALS, CONFIG);
        assert!(sso.keys.is_none());
        assert_eq!(
            sso.problem.as_deref(),
            Some("profile sso has sso_session, which is not read")
        );
        assert_eq!(of("other", CREDENTIALS, CONFIG).keys, None);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_may_print_the_keys() {
        let printed = r#"echo '{"Version":1,"AccessKeyId":"A","SecretAccessKey":"S"}'"#;
        let keys = run(printed).expect("keys");
        assert_eq!(
            keys,
            Keys {
                id: "A".to_owned(),
                secret: "S".to_owned(),
                token: None
            }
        );
        assert_eq!(run("echo no >&2; exit 1"), Err("no".to_owned()));
    }
}
