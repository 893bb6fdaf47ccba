//! Web servers: a file by its URL, or what an index page links to.

use std::collections::{BTreeSet, VecDeque};

use futures_util::StreamExt as _;
use futures_util::stream;
use reqwest::header;
use url::Url;

use crate::address::Address;
use crate::error::{RemoteError, RemoteErrorKind};
use crate::http::{self, Asker};
use crate::object::{Interest, Listing, Object};
use crate::percent::percent_decoded;
use crate::status::Credentials;
use crate::{runtime, settings};

/// Pages and sizes asked for at a time.
const AT_ONCE: usize = 8;
/// Bytes of an index page that are read.
const MAX_PAGE_BYTES: usize = 16 << 20;

/// How the server is asked. Credentials stand in the URL or in a variable.
pub(crate) fn asker(address: &Address) -> Result<Asker, RemoteError> {
    let variable = settings::variable("STEPSCOPE_HTTP_AUTHORIZATION");
    let authorization = variable.filter(|_| !settings::is_anonymous());
    let credentials = match (&authorization, address.user.is_some()) {
        (Some(_), _) => Credentials::From("STEPSCOPE_HTTP_AUTHORIZATION".to_owned()),
        (None, true) => Credentials::From("the URL".to_owned()),
        (None, false) if settings::is_anonymous() => Credentials::Unwanted,
        (None, false) => Credentials::NotFound {
            why: "the URL has no user, and STEPSCOPE_HTTP_AUTHORIZATION is not set".to_owned(),
            hint: String::new(),
        },
    };
    Ok(Asker {
        client: runtime::client(&address.url)?,
        authorization,
        user: address.user.clone(),
        credentials,
    })
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
                Ok(page) => walk.take(&page, &pending),
                Err(error) if error.is_out_of_reach() => return Err(error),
                Err(error) => walk.cut = Some(error.to_string()),
            }
        }
    }
    let Walk { files, cut, .. } = walk;
    let objects = stream::iter(files)
        .map(|(url, name)| describe(asker, url, name, interest))
        .buffered(AT_ONCE);
    let objects: Vec<Option<Object>> = objects.collect().await;
    let mut objects: Vec<Object> = objects.into_iter().flatten().collect();
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
    let mut bytes = Vec::new();
    let mut body = answer.bytes_stream();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|error| crate::error::of_transport(&error, url))?;
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_PAGE_BYTES {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
async fn describe(asker: &Asker, url: Url, name: String, interest: &Interest) -> Option<Object> {
    let last = name.rsplit('/').next().unwrap_or(&name);
    let mut object = Object {
        url: url.to_string(),
        size_bytes: 0,
        modified_epoch_s: None,
        version: String::new(),
        name: name.clone(),
    };
    if !(interest.file)(last) {
        return Some(object);
    }
    let answer = asker.head(url.as_str()).await.ok()?;
    let mut headers = answer.headers().clone();
    if http::size(&headers).is_none() {
        let answer = asker.get_range(url.as_str(), 0, 1).await.ok()?;
        headers = answer.headers().clone();
    }
    object.size_bytes = http::size(&headers)?;
    object.modified_epoch_s = http::modified(&headers);
    object.version = http::version(&headers);
    Some(object)
}

/// What the pages named so far.
struct Walk<'a> {
    base: Url,
    interest: &'a Interest,
    pending: VecDeque<Pending>,
    seen: BTreeSet<String>,
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
            files: Vec::new(),
            cut: None,
        }
    }

    /// Takes the links of a page that lead one level down; all others lead elsewhere.
    fn take(&mut self, page: &str, folder: &Pending) {
        for link in links(page) {
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
            if !self.seen.insert(target.to_string()) {
                continue;
            }
            if self.seen.len() > self.interest.max_entries {
                let count = self.interest.max_entries;
                self.cut = Some(format!("the search ended after {count} files and folders"));
                self.pending.clear();
                return;
            }
            let name = percent_decoded(name);
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
        let link = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
            _ => value.split(|c: char| c.is_whitespace() || c == '>').next(),
        };
        found.extend(link.map(unescaped));
        rest = value;
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
    use super::*;

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
        assert!(walk.cut.is_some() && walk.pending.is_empty());
    }

    #[test]
    fn a_folder_ends_in_a_slash() {
        let of = |url: &str| folder(Url::parse(url).expect("a URL")).to_string();
        assert_eq!(of("http://h/a"), "http://h/a/");
        assert_eq!(of("http://h/a/index.html?x=1"), "http://h/a/");
        assert_eq!(of("http://h"), "http://h/");
    }
}
