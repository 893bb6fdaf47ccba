//! What the server rejects, and the headers of its answers.

use crate::common::{Answer, TWO_STEPS, get, log_directory, send, server_at};
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use stepscope_server::{Access, Library, router};

/// Any method, from this machine.
async fn send_method(server: &Router, method: Method, uri: &str) -> Answer {
    let request = Request::builder().method(method).uri(uri);
    let request = request.header(header::HOST, "127.0.0.1");
    send(server, request.body(Body::empty()).unwrap()).await
}

async fn get_with(server: &Router, uri: &str, headers: &[(header::HeaderName, &str)]) -> Answer {
    let mut request = Request::get(uri);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    send(server, request.body(Body::empty()).unwrap()).await
}

fn guarded(folder: &std::path::Path) -> Router {
    let access = Access::with_token("5ecre7".to_owned(), 6006);
    router(Library::at(folder).unwrap(), access)
}

#[tokio::test]
async fn a_foreign_host_name_gets_nothing() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    for host in ["evil.example", "evil.example:6006", "192.168.0.7:6006"] {
        for uri in ["/", "/api/sessions", "/api/version"] {
            let answer = get_with(&server, uri, &[(header::HOST, host)]).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{host} {uri}");
            assert!(!answer.json()["hint"].as_str().unwrap().is_empty());
        }
    }
    let without = get_with(&server, "/api/version", &[]).await;
    assert_eq!(without.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn nothing_is_answered_without_the_token() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = guarded(folder.path());
    let host = (header::HOST, "gpu-box:6006");
    for uri in [
        "/",
        "/api/version",
        "/api/sessions",
        "/?token=",
        "/?token=5ecre8",
        "/nothing",
    ] {
        let answer = get_with(&server, uri, std::slice::from_ref(&host)).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{uri}");
    }
    let wrong = (header::COOKIE, "stepscope_6006=5ecre70");
    let answer = get_with(&server, "/api/version", &[host, wrong]).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_token_moves_from_the_url_into_a_cookie() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = guarded(folder.path());
    let answer = get_with(&server, "/?theme=dark&token=5ecre7", &[]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(answer.header(header::LOCATION), "./?theme=dark");
    let cookie = answer.header(header::SET_COOKIE).to_owned();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().unwrap();
    let page = get_with(&server, "/", &[(header::COOKIE, pair)]).await;
    assert_eq!(page.status, StatusCode::OK);
    // Scripts without cookies may send it with each request.
    let script = get_with(&server, "/api/sessions/0/analyses/ops?token=5ecre7", &[]).await;
    assert_eq!(script.status, StatusCode::OK);
    let bearer = (header::AUTHORIZATION, "Bearer 5ecre7");
    assert_eq!(
        get_with(&server, "/api/version", &[bearer]).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_link_in_another_site_opens_the_page_at_once() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = guarded(folder.path());
    let site = header::HeaderName::from_static("sec-fetch-site");
    for from in ["cross-site", "same-site"] {
        let link = (site.clone(), from);
        let page = get_with(&server, "/?token=5ecre7", std::slice::from_ref(&link)).await;
        assert_eq!(page.status, StatusCode::OK, "{from}");
        let cookie = page.header(header::SET_COOKIE);
        assert!(cookie.contains("SameSite=Strict"), "{cookie}");
        // Without the token it opens nothing, and the token of a link computes nothing.
        let without = get_with(&server, "/", std::slice::from_ref(&link)).await;
        assert_eq!(without.status, StatusCode::UNAUTHORIZED, "{from}");
        let computed = get_with(&server, "/api/version?token=5ecre7", &[link]).await;
        assert_eq!(computed.status, StatusCode::FORBIDDEN, "{from}");
    }
    let typed = get_with(&server, "/?token=5ecre7", &[(site, "none")]).await;
    assert_eq!(typed.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_page_of_another_site_gets_nothing_computed() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let host = (header::HOST, "localhost:6006");
    let site = header::HeaderName::from_static("sec-fetch-site");
    let destination = header::HeaderName::from_static("sec-fetch-dest");
    let tile = "/api/sessions/0/timeline/tile?start_ps=0&end_ps=200000000&width_px=1600";
    for uri in [
        tile,
        "/api/sessions/0/analyses/ops",
        "/api/version",
        "/api/nothing",
    ] {
        // An `<img>` of another site, or of another server on this machine.
        for from in ["cross-site", "same-site"] {
            let image = [
                host.clone(),
                (site.clone(), from),
                (destination.clone(), "image"),
            ];
            let answer = get_with(&server, uri, &image).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{uri} {from}");
            assert!(!answer.json()["hint"].as_str().unwrap().is_empty());
        }
        let foreign = [host.clone(), (header::ORIGIN, "http://localhost:8888")];
        let answer = get_with(&server, uri, &foreign).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{uri}");
    }
    // Nothing was computed: the session is not even open.
    let list = get(&server, "/api/sessions").await.json();
    assert_eq!(list["sessions"][0]["state"], "closed");
    let own = [host.clone(), (site.clone(), "same-origin")];
    assert_eq!(get_with(&server, tile, &own).await.status, StatusCode::OK);
    let typed = [host.clone(), (site.clone(), "none")];
    assert_eq!(get_with(&server, tile, &typed).await.status, StatusCode::OK);
    // A link to the page, and a notebook's frame around it.
    let link = [host, (site, "cross-site"), (destination, "document")];
    assert_eq!(get_with(&server, "/", &link).await.status, StatusCode::OK);
}

/// Behind a proxy that is no localhost and speaks plain HTTP, browsers send no `Sec-Fetch-Site`, and
/// no `Origin` with an `<img>`.
#[tokio::test]
async fn an_image_of_another_site_gets_nothing_computed_through_a_proxy() {
    let folder = log_directory(&[TWO_STEPS]);
    let access = Access::loopback(vec!["lab.example".to_owned()]);
    let server = router(Library::at(folder.path()).unwrap(), access);
    let host = (header::HOST, "lab.example");
    let tile = "/api/sessions/0/timeline/tile?start_ps=0&end_ps=200000000&width_px=1600";
    for uri in [tile, "/api/sessions/0/analyses/ops", "/api/version"] {
        for cookie in ["", "stepscope_0=", "stepscope_0=1", "theirs=1"] {
            let image = [host.clone(), (header::COOKIE, cookie)];
            let answer = get_with(&server, uri, &image).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{uri} {cookie}");
            assert!(!answer.json()["hint"].as_str().unwrap().is_empty());
        }
    }
    let page = get_with(&server, "/", std::slice::from_ref(&host)).await;
    assert_eq!(page.status, StatusCode::OK);
    let cookie = page.header(header::SET_COOKIE).to_owned();
    assert!(cookie.contains("SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    let own = [host.clone(), (header::COOKIE, pair)];
    assert_eq!(get_with(&server, tile, &own).await.status, StatusCode::OK);
    // A page of another server on that machine has the cookie, and says where it is from.
    let beside = [&own[..], &[(header::ORIGIN, "http://lab.example:8888")]].concat();
    let answer = get_with(&server, tile, &beside).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    let program = [host, ("x-requested-with".parse().unwrap(), "stepscope")];
    assert_eq!(
        get_with(&server, tile, &program).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn only_reading_is_possible() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let methods = [
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::PATCH,
        Method::OPTIONS,
        Method::TRACE,
    ];
    for method in methods {
        for uri in ["/", "/api/sessions", "/api/sessions/0/analyses/ops"] {
            let answer = send_method(&server, method.clone(), uri).await;
            assert_eq!(
                answer.status,
                StatusCode::METHOD_NOT_ALLOWED,
                "{method} {uri}"
            );
            assert_eq!(answer.header(header::ALLOW), "GET, HEAD");
        }
    }
    let head = send_method(&server, Method::HEAD, "/api/version").await;
    assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0));
}

#[tokio::test]
async fn paths_lead_nowhere_outside() {
    let folder = log_directory(&[TWO_STEPS]);
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    let server = server_at(folder.path());
    let paths = [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/secret.txt",
        "//etc/passwd",
        "/etc/passwd",
        "/file:///etc/passwd",
        "/C:%5Cwindows%5Cwin.ini",
        "/api/sessions/..%2f..%2fsecret.txt",
        "/api/sessions/0/analyses/..%2f..%2fsecret.txt",
        "/api/sessions/%2e%2e/progress",
    ];
    for path in paths {
        let answer = get(&server, path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(
            !String::from_utf8_lossy(&answer.body).contains("root:"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_it_in() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    for uri in ["/", "/api/sessions", "/api/nothing", "/nothing"] {
        let answer = get(&server, uri).await;
        assert_eq!(
            answer.header(header::X_CONTENT_TYPE_OPTIONS),
            "nosniff",
            "{uri}"
        );
        assert_eq!(
            answer.header(header::REFERRER_POLICY),
            "no-referrer",
            "{uri}"
        );
        let policy = answer.header(header::CONTENT_SECURITY_POLICY);
        assert!(policy.contains("default-src 'none'"), "{uri}: {policy}");
        assert!(policy.contains("connect-src 'self'"), "{uri}: {policy}");
        assert!(
            answer
                .headers
                .get(header::ACCESS_CONTROL_ALLOW_ORIGIN)
                .is_none(),
            "{uri}"
        );
    }
    let api = get(&server, "/api/sessions").await;
    assert_eq!(api.header(header::CACHE_CONTROL), "no-store");
    let page = get(&server, "/").await;
    assert_eq!(page.header(header::CACHE_CONTROL), "no-cache");
    assert!(page.header(header::CONTENT_TYPE).starts_with("text/html"));
}

#[tokio::test]
async fn large_json_is_packed_and_tiles_are_not() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let headers = [
        (header::HOST, "localhost"),
        (header::ACCEPT_ENCODING, "gzip"),
    ];
    let json = get_with(&server, "/api/analyses", &headers).await;
    assert_eq!(json.header(header::CONTENT_ENCODING), "gzip");
    let tile = "/api/sessions/0/timeline/tile?start_ps=0&end_ps=200000000&width_px=1600";
    let tile = get_with(&server, tile, &headers).await;
    assert_eq!(
        (tile.status, tile.header(header::CONTENT_ENCODING)),
        (StatusCode::OK, "")
    );
    let small = get_with(&server, "/api/version", &headers).await;
    assert_eq!(small.header(header::CONTENT_ENCODING), "");
}

#[tokio::test]
async fn the_page_is_sent_again_only_if_it_changed() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let page = get(&server, "/").await;
    let tag = page.header(header::ETAG).to_owned();
    assert!(tag.len() > 12 && tag.starts_with('"'), "{tag}");
    assert_eq!(
        page.header(header::VARY),
        "accept-encoding, x-forwarded-prefix"
    );
    let known = |tags: String| {
        let server = server.clone();
        async move {
            let headers = [(header::HOST, "localhost"), (header::IF_NONE_MATCH, &*tags)];
            get_with(&server, "/", &headers).await
        }
    };
    for tags in [tag.clone(), format!("\"old\", W/{tag}"), "*".to_owned()] {
        let answer = known(tags).await;
        assert_eq!(answer.status, StatusCode::NOT_MODIFIED);
        assert_eq!(answer.header(header::ETAG), tag);
        assert!(answer.body.is_empty());
    }
    assert_eq!(known("\"old\"".to_owned()).await.status, StatusCode::OK);
}

#[tokio::test]
async fn compressed_copies_of_files_have_no_path() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    for path in ["/index.html.br", "/index.html.gz", "/share.html"] {
        assert_eq!(
            get(&server, path).await.status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
}

/// Most files are embedded as compressed copies only; whoever accepts none gets them unpacked.
#[tokio::test]
async fn a_script_is_the_same_for_clients_that_accept_nothing() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let page = String::from_utf8(get(&server, "/").await.body).expect("a page");
    let scripts = page.split("src=\"./").skip(1);
    let mut names = scripts.filter_map(|rest| rest.split('"').next());
    let name = names.find(|name| name.rsplit('.').next() == Some("js"));
    // Builds without the pages have none.
    let Some(name) = name else { return };
    let path = format!("/{name}");
    let accepted = [
        (header::HOST, "localhost"),
        (header::ACCEPT_ENCODING, "gzip"),
    ];
    let packed = get_with(&server, &path, &accepted).await;
    assert_eq!(packed.header(header::CONTENT_ENCODING), "gzip");
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(
        &mut flate2::read::GzDecoder::new(&packed.body[..]),
        &mut unpacked,
    )
    .expect("gzip");
    let plain = get(&server, &path).await;
    assert_eq!(plain.status, StatusCode::OK);
    assert_eq!(plain.header(header::CONTENT_ENCODING), "");
    assert!(plain.body == unpacked && !unpacked.is_empty());
    assert_ne!(plain.header(header::ETAG), packed.header(header::ETAG));
}
