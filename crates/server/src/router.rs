//! The routes of `docs/internals/wire.md`.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::trace::TraceLayer;

use crate::access::Access;
use crate::agents::AgentRoute;
use crate::library::Library;
use crate::{api, capture_routes, guard, prefix, ui};

/// Answers shorter than this are sent uncompressed.
const COMPRESSED_FROM_BYTES: u64 = 4096;

/// The whole server, without a socket, at the root and under a prefix in the form of
/// [`normal_prefix`](crate::normal_prefix).
pub fn router_below(
    prefix: &str,
    library: Arc<Library>,
    access: Access,
    agents: Option<AgentRoute>,
) -> Router {
    prefix::below(prefix, router_with(library, access, agents))
}

/// The whole server, without a socket and without agents.
pub fn router(library: Arc<Library>, access: Access) -> Router {
    router_with(library, access, None)
}

fn router_with(library: Arc<Library>, access: Access, agents: Option<AgentRoute>) -> Router {
    let timeline = Router::new()
        .route("/tile", get(api::timeline::tile))
        .route("/labels", get(api::timeline::labels))
        .route("/label_facts", get(api::timeline::label_facts))
        .route("/slice", get(api::timeline::slice))
        .route("/nesting", get(api::timeline::nesting))
        .route("/participants", get(api::timeline::participants))
        .route("/chain", get(api::timeline::chain))
        .route("/occurrences", get(api::timeline::occurrences))
        .route("/search", get(api::timeline::search))
        .route("/area", get(api::area::area))
        .route("/pivot", get(api::area::pivot))
        .route("/flame", get(api::area::flame));
    let session = Router::new()
        .route("/", get(api::sessions::session))
        .route("/progress", get(api::sessions::progress))
        .route("/preview", get(api::preview::preview))
        .route("/analyses/{name}", get(api::analyses::run))
        .route("/export.html", get(api::share::html))
        .route("/source", get(api::source::source))
        .nest("/timeline", timeline);
    let captures = capture_routes::routes(Arc::clone(&library));
    // Tiles are mostly read on the same machine, and they compress badly.
    let predicate = SizeAbove::new(COMPRESSED_FROM_BYTES)
        .and(NotForContentType::const_new("application/octet-stream"))
        .and(NotForContentType::IMAGES);
    let compression = CompressionLayer::new()
        .gzip(true)
        .quality(CompressionLevel::Fastest)
        .compress_when(predicate);
    // The query is not logged: it may contain the token.
    let trace = TraceLayer::new_for_http().make_span_with(|request: &Request| {
        tracing::debug_span!("request", path = request.uri().path())
    });
    let routes = Router::new()
        .route("/api/version", get(api::sessions::version))
        .route("/api/analyses", get(api::analyses::list))
        .route("/api/comparisons", get(api::comparisons::list))
        .route("/api/comparisons/{name}", get(api::comparisons::compare))
        .route("/api/incidents", get(api::incidents::incidents))
        .route("/api/sessions", get(api::sessions::list))
        .route(api::sql::PATH, get(api::sql::schema).post(api::sql::query))
        .nest("/api/sessions/{session}", session)
        .nest(capture_routes::PREFIX, captures)
        .with_state(library)
        .layer(compression);
    let routes = match agents {
        Some(agents) => agents.mount(routes),
        None => routes,
    };
    routes
        // Files of the page were compressed when it was built.
        .fallback(ui::serve)
        .layer(from_fn_with_state(Arc::new(access), guard::guard))
        .layer(trace)
}
