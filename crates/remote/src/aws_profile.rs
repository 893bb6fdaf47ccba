//! The files that `aws configure` writes: `~/.aws/credentials` and `~/.aws/config`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::settings::variable;

/// Settings whose credentials come from a service: only the AWS CLI knows how to ask them all.
const SIGN_IN: [&str; 5] = [
    "sso_session",
    "sso_start_url",
    "login_session",
    "role_arn",
    "web_identity_token_file",
];

/// What a profile says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Profile {
    pub(crate) name: String,
    pub(crate) credentials: Source,
    pub(crate) region: Option<String>,
    pub(crate) endpoint: Option<String>,
}

/// Where the credentials of a profile are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// In the profile itself.
    Keys(Keys),
    /// A command line that prints them (`credential_process`).
    Process(String),
    /// The AWS CLI prints them. With the setting that says so, where there is one.
    Cli(Option<&'static str>),
    /// The profile exists without credentials.
    Nothing,
    /// Neither file has the profile.
    NoProfile,
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
    let named = variable("AWS_PROFILE").or_else(|| variable("AWS_DEFAULT_PROFILE"));
    let home = variable("HOME")
        .or_else(|| variable("USERPROFILE"))
        .unwrap_or_default();
    let file = |named: &str, usual: &str| {
        let path = variable(named).map_or_else(|| PathBuf::from(&home).join(usual), PathBuf::from);
        fs::read_to_string(path).unwrap_or_default()
    };
    let credentials = file("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
    let config = file("AWS_CONFIG_FILE", ".aws/config");
    of(named.as_deref(), &credentials, &config)
}

/// The profile that a person named, or the default one, from the text of both files.
fn of(named: Option<&str>, credentials: &str, config: &str) -> Profile {
    let name = named.unwrap_or("default");
    let title = match name {
        "default" => name.to_owned(),
        _ => format!("profile {name}"),
    };
    let sections = [section(credentials, name), section(config, &title)];
    let get = |key: &str| {
        let mut found = sections.iter().flatten();
        found.find_map(|section| section.get(key)).cloned()
    };
    let keys = get("aws_access_key_id").zip(get("aws_secret_access_key"));
    let sign_in = SIGN_IN.into_iter().find(|key| get(key).is_some());
    let source = if let Some((id, secret)) = keys {
        let token = get("aws_session_token");
        Source::Keys(Keys { id, secret, token })
    } else if sign_in.is_some() {
        Source::Cli(sign_in)
    } else if let Some(command) = get("credential_process") {
        Source::Process(command)
    } else if sections.iter().all(Option::is_none) {
        Source::NoProfile
    } else if named.is_some() {
        // A way to sign in that is younger than this list.
        Source::Cli(None)
    } else {
        Source::Nothing
    };
    Profile {
        name: name.to_owned(),
        credentials: source,
        region: get("region"),
        endpoint: get("endpoint_url"),
    }
}

/// The keys of one section of an INI file, if the file has it. Indented lines belong to the key
/// above and are not used.
fn section(text: &str, title: &str) -> Option<Section> {
    let mut found = None;
    let mut is_inside = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(name) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.split(']').next())
        {
            is_inside = name.split_whitespace().eq(title.split_whitespace());
            if is_inside {
                found.get_or_insert_with(Section::new);
            }
        } else if is_inside
            && !line.starts_with([' ', '\t', '#', ';'])
            && let Some((key, value)) = trimmed.split_once('=')
            && !value.trim().is_empty()
        {
            let section = found.get_or_insert_with(Section::new);
            section.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    found
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
[profile role]
role_arn = arn:aws:iam::1:role/reader
source_profile = lab
[profile tool]
credential_process = /opt/bin/keys --profile lab
[profile bare]
region = us-west-2
";

    fn keys(id: &str, secret: &str, token: Option<&str>) -> Source {
        Source::Keys(Keys {
            id: id.to_owned(),
            secret: secret.to_owned(),
            token: token.map(str::to_owned),
        })
    }

    #[test]
    fn both_files_make_a_profile() {
        let default = of(None, CREDENTIALS, CONFIG);
        assert_eq!(default.credentials, keys("AKIA1", "se/cr=et", None));
        assert_eq!(default.region.as_deref(), Some("eu-west-1"));
        let lab = of(Some("lab"), CREDENTIALS, CONFIG);
        assert_eq!(lab.credentials, keys("AKIA2", "two", Some("tok")));
        assert_eq!(lab.endpoint.as_deref(), Some("http://localhost:9000"));
    }

    #[test]
    fn profiles_without_keys_say_who_has_them() {
        let source = |named| of(named, CREDENTIALS, CONFIG).credentials;
        assert_eq!(source(Some("sso")), Source::Cli(Some("sso_session")));
        assert_eq!(source(Some("role")), Source::Cli(Some("role_arn")));
        let command = "/opt/bin/keys --profile lab".to_owned();
        assert_eq!(source(Some("tool")), Source::Process(command));
        assert_eq!(source(Some("bare")), Source::Cli(None));
        assert_eq!(source(Some("other")), Source::NoProfile);
        let region_only = "[default]\nregion = eu-west-1\n";
        assert_eq!(of(None, "", region_only).credentials, Source::Nothing);
        assert_eq!(of(None, "", "").credentials, Source::NoProfile);
    }
}
