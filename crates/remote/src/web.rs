//! Web servers: a file by its URL, or what an index page links to.

use std::collections::{BTreeSet, VecDeque};

use futures_util::StreamExt as _;
use futures_util::stream;
use reqwest::header;
use url::{Host, Url};

use crate::address::Address;
use crate::error::{RemoteError, RemoteErrorKind};
use crate::http::{self, Asker};
use crate::object::{Interest, Listing, Object};
use crate::percent::percent_decoded;
use crate::status::Credentials;
use crate::{runtime, settings};

/// Pages and sizes asked for at a time.
const AT_ONCE: usize = 8;
/// Longer links are none that a server writes.
const MAX_LINK_BYTES: usize = 4000;
/// Bytes of an index page that are read.
const MAX_PAGE_BYTES: usize = 16 << 20;

/// How the server is asked. Credentials stand in the URL or in a variable.
pub(crate) fn asker(address: &Address) -> Result<Asker, RemoteError> {
    let (authorization, credentials) = credentials(address)?;
    Ok(Asker {
        client: runtime::client(&address.url)?,
        authorization,
        user: address.user.clone(),
        credentials,
    })
}

fn credentials(address: &Address) -> Result<(Option<String>, Credentials), RemoteError> {
    if settings::is_anonymous() {
        let from_url = Credentials::From("the URL".to_owned());
        let is_named = address.user.is_some();
        return Ok((
            None,
            if is_named {
                from_url
            } else {
                Credentials::Unwanted
            },
        ));
    }
    let variable = settings::variable(VARIABLE);
    if let Some(variable) = variable.as_deref()
        && let Some(value) = authorization(variable, &address.url)?
    {
        return Ok((Some(value), Credentials::From(VARIABLE.to_owned())));
    }
    if address.user.is_some() {
        return Ok((None, Credentials::From("the URL".to_owned())));
    }
    let why = match variable
        .as_deref()
        .and_then(|text| text.split_whitespace().next())
    {
        Some(host) => format!("the URL has no user, and {VARIABLE} is for {host}"),
        None => format!("the URL has no user, and {VARIABLE} is not set"),
    };
    let hint = String::new();
    Ok((None, Credentials::NotFound { why, hint }))
}

/// The variable with a header for one host: `HOST VALUE`, as in `logs.example.com Bearer …`.
const VARIABLE: &str = "STEPSCOPE_HTTP_AUTHORIZATION";

/// The value of the header for a URL: none for other hosts than the one it is for. It is not sent
/// where everybody on the way could read it.
fn authorization(variable: &str, url: &str) -> Result<Option<String>, RemoteError> {
    let refused = |message: String, hint: &str| {
        Err(RemoteError::new(RemoteErrorKind::Credentials, url, message).with_hint(hint))
    };
    let (host, value) = variable
        .trim()
        .split_once(char::is_whitespace)
        .unwrap_or_default();
    let is_scheme = ["basic", "bearer", "digest", "negotiate", "token"]
        .contains(&host.to_ascii_lowercase().as_str());
    if value.trim().is_empty() || is_scheme {
        let message = format!("{VARIABLE} does not say which host it is for");
        return refused(
            message,
            "set it to the host and the header: `HOST Bearer …`",
        );
    }
    let Ok(parsed) = Url::parse(url) else {
        return Ok(None);
    };
    let name = parsed.host_str().unwrap_or_default();
    let with_port = parsed
        .port_or_known_default()
        .map(|port| format!("{name}:{port}"));
    let is_meant = host.eq_ignore_ascii_case(name)
        || with_port.is_some_and(|full| host.eq_ignore_ascii_case(&full));
    if !is_meant {
        return Ok(None);
    }
    if parsed.scheme() != "https" && !is_loopback(&parsed) {
        let message = format!("{VARIABLE} is not sent over plain http");
        return refused(message, "use https://, or unset the variable");
    }
    Ok(Some(value.trim().to_owned()))
}

/// Whether requests do not leave this machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// A folder whose page is still to be read.
struct Pending {
    url: Url,
    /// Its path below the start, ending in a slash unless empty.
    name: String,
    depth: usize,
}

/// The file at a URL, or the files that the pages at and below it link to.
pub(crate) async fn list(
    asker: &Asker,
    address: &Address,
    interest: &Interest,
) -> Result<Listing, RemoteError> {
    let start = Url::parse(&address.url).map_err(|error| {
        RemoteError::new(RemoteErrorKind::Address, &address.url, error.to_string())
    })?;
    let answer = asker.get(start.as_str()).await?;
    let last = percent_decoded(start.path().rsplit('/').next().unwrap_or_default());
    if !is_page(&answer) {
        return Ok(one_file(&address.url, &last, answer.headers()));
    }
    if (interest.file)(&last) {
        let message = "the server returned a page instead of the file";
        return Err(
            RemoteError::new(RemoteErrorKind::Other, &address.url, message)
                .with_hint("it may be a login page: open the URL in a browser"),
        );
    }
    let base = folder(answer.url().clone());
    let mut walk = Walk::new(&base, interest);
    let page = read(answer, &address.url).await?;
    walk.note_length(&page);
    walk.take(
        &page,
        &Pending {
            url: base,
            name: String::new(),
            depth: 0,
        },
    );
    while !walk.pending.is_empty() {
        let count = walk.pending.len().min(AT_ONCE);
        let batch: Vec<Pending> = walk.pending.drain(..count).collect();
        let pages = batch.into_iter().map(|pending| async move {
            let url = pending.url.to_string();
            let page = match asker.get(&url).await {
                Ok(answer) if is_page(&answer) => read(answer, &url).await,
                Ok(_) => Ok(String::new()),
                Err(error) => Err(error),
            };
            (pending, page)
        });
        let pages: Vec<_> = stream::iter(pages).buffered(AT_ONCE).collect().await;
        for (pending, page) in pages {
            match page {
                Ok(page) => {
                    walk.note_length(&page);
                    walk.take(&page, &pending);
                }
                Err(error) if error.is_out_of_reach() => return Err(error),
                Err(error) => walk.cut = Some(error.to_string()),
            }
        }
    }
    let Walk { files, mut cut, .. } = walk;
    let objects = stream::iter(files)
        .map(|(url, name)| describe(asker, url, name, interest))
        .buffered(AT_ONCE);
    let described: Vec<Result<Object, RemoteError>> = objects.collect().await;
    let mut objects: Vec<Object> = Vec::with_capacity(described.len());
    for described in described {
        match described {
            Ok(object) => objects.push(object),
            Err(error) => {
                cut.get_or_insert_with(|| format!("a file is left out: {error}"));
            }
        }
    }
    objects.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Listing {
        objects,
        is_file: false,
        cut,
        offline: None,
    })
}

fn is_page(answer: &reqwest::Response) -> bool {
    let kind = answer.headers().get(header::CONTENT_TYPE);
    kind.and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.starts_with("text/html"))
}

async fn read(answer: reqwest::Response, url: &str) -> Result<String, RemoteError> {
    http::text(answer, MAX_PAGE_BYTES, url).await
}

fn one_file(url: &str, name: &str, headers: &header::HeaderMap) -> Listing {
    let object = Object {
        url: url.to_owned(),
        name: name.to_owned(),
        size_bytes: http::size(headers).unwrap_or(0),
        modified_epoch_s: http::modified(headers),
        version: http::version(headers),
    };
    Listing {
        objects: vec![object],
        is_file: true,
        cut: None,
        offline: None,
    }
}

/// Size and version of a file that may be read; of others nothing is asked.
async fn describe(
    asker: &Asker,
    url: Url,
    name: String,
    interest: &Interest,
) -> Result<Object, RemoteError> {
    let last = name.rsplit('/').next().unwrap_or(&name);
    let mut object = Object {
        url: url.to_string(),
        size_bytes: 0,
        modified_epoch_s: None,
        version: String::new(),
        name: name.clone(),
    };
    if !(interest.file)(last) {
        return Ok(object);
    }
    let answer = asker.head(url.as_str()).await?;
    let mut headers = answer.headers().clone();
    if http::size(&headers).is_none() {
        let answer = asker.get_range(url.as_str(), 0, 1).await?;
        headers = answer.headers().clone();
    }
    object.size_bytes = http::size(&headers).ok_or_else(|| {
        let message = "the server does not tell the size of the file";
        RemoteError::new(RemoteErrorKind::Other, url.as_str(), message)
    })?;
    object.modified_epoch_s = http::modified(&headers);
    object.version = http::version(&headers);
    Ok(object)
}

/// What the pages named so far.
struct Walk<'a> {
    base: Url,
    interest: &'a Interest,
    pending: VecDeque<Pending>,
    seen: BTreeSet<String>,
    /// Folders, files that may be read, other files.
    counts: [usize; 3],
    files: Vec<(Url, String)>,
    cut: Option<String>,
}

impl<'a> Walk<'a> {
    fn new(base: &Url, interest: &'a Interest) -> Self {
        Self {
            base: base.clone(),
            interest,
            pending: VecDeque::new(),
            seen: BTreeSet::from([base.to_string()]),
            counts: [0; 3],
            files: Vec::new(),
            cut: None,
        }
    }

    /// Remembers that a page is longer than what is read of it.
    fn note_length(&mut self, page: &str) {
        if page.len() >= MAX_PAGE_BYTES {
            let mebibytes = MAX_PAGE_BYTES >> 20;
            let cut = format!("only the first {mebibytes} MiB of an index page were read");
            self.cut.get_or_insert(cut);
        }
    }

    /// Takes the links of a page that lead one level down; all others lead elsewhere. Folders come
    /// first, so that a folder of very many files does not hide those beside them.
    fn take(&mut self, page: &str, folder: &Pending) {
        let (folders, files): (Vec<String>, Vec<String>) = links(page)
            .into_iter()
            .partition(|link| link.ends_with('/'));
        for link in folders.into_iter().chain(files) {
            let Ok(target) = folder.url.join(&link) else {
                continue;
            };
            let Some(below) = target.as_str().strip_prefix(folder.url.as_str()) else {
                continue;
            };
            let name = below.trim_end_matches('/');
            if name.is_empty() || name.contains(['/', '?', '#']) || target.query().is_some() {
                continue;
            }
            let name = percent_decoded(name);
            let kind = if below.ends_with('/') {
                0
            } else if (self.interest.file)(&name) {
                1
            } else {
                2
            };
            // Each kind has a limit of its own: very many checkpoints hide no captures.
            if self.counts[kind] >= self.interest.max_entries {
                let count = self.interest.max_entries;
                self.cut = Some(format!("the search ended after {count} files and folders"));
                continue;
            }
            if !self.seen.insert(target.to_string()) {
                continue;
            }
            self.counts[kind] += 1;
            let path = format!("{}{name}", folder.name);
            if !below.ends_with('/') {
                self.files.push((target, path));
            } else if (self.interest.folder)(&name) && folder.depth < self.interest.max_depth {
                debug_assert!(target.as_str().starts_with(self.base.as_str()));
                let pending = Pending {
                    url: target,
                    name: format!("{path}/"),
                    depth: folder.depth + 1,
                };
                // Captures first, so that the limit does not hide them behind checkpoints.
                if pending.name.split('/').any(|part| part == "plugins") {
                    self.pending.push_front(pending);
                } else {
                    self.pending.push_back(pending);
                }
            }
        }
    }
}

/// The URL as that of a folder: links of a page are relative to what precedes the last slash.
fn folder(mut url: Url) -> Url {
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().to_owned();
    if !path.ends_with('/') {
        // `…/index.html` stands for its folder; anything else is a folder without its slash.
        let (before, last) = path.rsplit_once('/').unwrap_or(("", &path));
        let is_page = last
            .rsplit_once('.')
            .is_some_and(|(_, kind)| matches!(kind, "html" | "htm"));
        let path = if is_page {
            format!("{before}/")
        } else {
            format!("{path}/")
        };
        url.set_path(&path);
    }
    url
}

/// The targets of a page's links, in its order.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find(['h', 'H']) {
        rest = &rest[at..];
        let Some(value) = rest
            .get(..4)
            .filter(|word| word.eq_ignore_ascii_case("href"))
            .and_then(|_| rest[4..].trim_start().strip_prefix('='))
            .map(str::trim_start)
        else {
            rest = &rest[1..];
            continue;
        };
        let (value, end) = if let Some(quote @ ('"' | '\'')) = value.chars().next() {
            let value = &value[1..];
            (value, value.find(quote))
        } else {
            let is_end = |c: char| c.is_whitespace() || c == '>';
            (value, value.find(is_end))
        };
        // What stands in a link is no link: to look there again takes time with the square of it.
        let (link, behind) = value.split_at(end.unwrap_or(value.len()));
        if link.len() <= MAX_LINK_BYTES {
            found.push(unescaped(link));
        }
        rest = behind;
    }
    found
}

/// The five entities that servers write into links.
fn unescaped(link: &str) -> String {
    let pairs = [
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    pairs.iter().fold(link.to_owned(), |text, (entity, plain)| {
        text.replace(entity, plain)
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_header_goes_to_its_host_only_and_never_over_plain_http() {
        let sent = |variable: &str, url: &str| authorization(variable, url);
        let token = Some("Bearer 5ecre7".to_owned());
        let variable = "logs.example.com Bearer 5ecre7";
        let value = |url| sent(variable, url).expect("no error");
        assert_eq!(value("https://logs.example.com/a"), token);
        assert_eq!(value("https://LOGS.example.com:8443/a"), token);
        for other in [
            "https://example.com/a",
            "https://logs.example.com.evil.org/a",
            "https://evil.org/logs.example.com",
            "http://evil.org/a",
        ] {
            assert_eq!(value(other), None, "{other}");
        }
        let with_port = |url| sent("h.org:8443 Basic eA==", url).expect("no error");
        assert_eq!(
            with_port("https://h.org:8443/"),
            Some("Basic eA==".to_owned())
        );
        assert_eq!(with_port("https://h.org/"), None);
        let plain = sent(variable, "http://logs.example.com/a").expect_err("it is refused");
        assert!(
            plain.message.ends_with("is not sent over plain http"),
            "{plain}"
        );
        let local = sent("127.0.0.1 Bearer 5ecre7", "http://127.0.0.1:8000/a");
        assert_eq!(local.expect("no error"), token);
        for unbound in ["Bearer 5ecre7", "5ecre7", "basic eA==", "  "] {
            let refused = sent(unbound, "https://logs.example.com/").expect_err(unbound);
            assert!(refused.message.contains("which host"), "{refused}");
            assert!(!refused.to_string().contains("5ecre7"), "{refused}");
        }
    }

    #[test]
    fn folders_are_seen_behind_more_files_than_the_limit() {
        let files: Vec<String> = (0..100)
            .map(|file| format!("<a href=\"{file}.ckpt\">"))
            .collect();
        let files = files.concat();
        let (folders, files) = walked(&format!("{files}<a href=\"plugins/\">"));
        assert_eq!(folders, ["plugins/"]);
        assert_eq!(files.len(), INTEREST.max_entries);
    }

    const INTEREST: Interest = Interest {
        file: |name| name.ends_with(".xplane.pb"),
        folder: |name| !name.starts_with('.'),
        max_entries: 8,
        max_depth: 4,
    };

    fn walked(page: &str) -> (Vec<String>, Vec<String>) {
        let base = Url::parse("http://h/logs/").expect("a URL");
        let mut walk = Walk::new(&base, &INTEREST);
        let start = Pending {
            url: base.clone(),
            name: String::new(),
            depth: 0,
        };
        walk.take(page, &start);
        let folders = walk
            .pending
            .iter()
            .map(|pending| pending.name.clone())
            .collect();
        let files = walk.files.iter().map(|(_, name)| name.clone()).collect();
        (folders, files)
    }

    #[test]
    fn index_pages_of_several_servers_are_read() {
        let python = "<li><a href=\"train/\">train/</a></li>\n<li><a href=\"a%20b.xplane.pb\">";
        assert_eq!(
            walked(python),
            (vec!["train/".to_owned()], vec!["a b.xplane.pb".to_owned()])
        );
        let apache = "<a href=\"?C=N;O=D\">Name</a> <A HREF='/'>Parent</A> <a href=\"x.xplane.pb\">\
                      <a href=\"/logs/plugins/\">plugins</a><a href=../other/>";
        assert_eq!(
            walked(apache),
            (vec!["plugins/".to_owned()], vec!["x.xplane.pb".to_owned()])
        );
        let hostile = "<a href=\"http://evil/logs/a/\"><a href=\"javascript:x\"><a href=\"//e/\">\
                       <a href=\".git/\"><a href=\"a/b/c\"><a href=\"%2e%2e/x\"><a href=\"";
        assert_eq!(walked(hostile), (Vec::new(), Vec::new()));
    }

    #[test]
    fn links_within_links_are_read_once() {
        for part in ["href=", "href=\"", "href='href=\"", "h"] {
            let page = part.repeat((8 << 20) / part.len());
            let began = Instant::now();
            let count: usize = links(&page).iter().map(String::len).sum();
            assert!(count <= page.len(), "{part}: {count} bytes of links");
            let took = began.elapsed();
            assert!(took < Duration::from_secs(10), "{part}: {took:?}");
        }
        let long = format!("<a href=\"{}\"><a href=next>", "x".repeat(4001));
        assert_eq!(links(&long), ["next"]);
    }

    #[test]
    fn a_page_of_a_million_links_is_cut() {
        let links: Vec<String> = (0..1000).map(|n| format!("<a href=\"{n}/\">")).collect();
        let page = links.concat();
        let base = Url::parse("http://h/").expect("a URL");
        let mut walk = Walk::new(&base, &INTEREST);
        walk.take(
            &page,
            &Pending {
                url: base.clone(),
                name: String::new(),
                depth: 0,
            },
        );
        assert!(walk.cut.is_some() && walk.pending.len() == INTEREST.max_entries);
    }

    #[test]
    fn a_folder_ends_in_a_slash() {
        let of = |url: &str| folder(Url::parse(url).expect("a URL")).to_string();
        assert_eq!(of("http://h/a"), "http://h/a/");
        assert_eq!(of("http://h/a/index.html?x=1"), "http://h/a/");
        assert_eq!(of("http://h"), "http://h/");
    }
}
