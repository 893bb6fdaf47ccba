//! The Model Context Protocol, versions 2026-07-28 and 2025-11-25, and its older ones as far as the
//! library speaks them, over pipes and over HTTP. All of `rmcp` is here.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    GetSkillRequestParams, GetSkillResult, Implementation, ListResourcesResult, ListSkillsResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig, Skill,
    SkillFrontmatter, SkillResource, SkillResources, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use stepscope_server::AgentRoute;

use crate::agent::{Agent, INSTRUCTIONS, answer_schema};
use crate::page::Shown;
use crate::skill::{FILES, NAME, SkillFile, head};

/// Why serving ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The client did not begin as the protocol says.
    #[error("the client did not begin a session of the Model Context Protocol: {0}")]
    NotBegun(String),
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(String),
}

/// Serves an agent over standard input and output until the input ends.
pub async fn serve_stdio(agent: Agent) -> Result<(), McpError> {
    let service = Service(Arc::new(agent));
    let begun = rmcp::serve_server(service, rmcp::transport::io::stdio()).await;
    let running = match begun {
        Ok(running) => running,
        // Nobody asked anything.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::NotBegun(error.to_string())),
    };
    let ended = running.waiting().await;
    ended
        .map(drop)
        .map_err(|error| McpError::Broken(error.to_string()))
}

/// Serves an agent as a route of the pages' server (streamable HTTP). The server checks tokens, hosts
/// and origins; nothing is kept between requests, in versions with sessions too, so that an agent
/// goes on after the server was restarted.
pub fn http_route(agent: &Arc<Agent>) -> AgentRoute {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let service = Service(Arc::clone(agent));
    let make = move || Ok(service.clone());
    let sessions = Arc::new(NeverSessionManager::default());
    AgentRoute::new(StreamableHttpService::new(make, sessions, config))
}

/// The handler of requests.
#[derive(Clone)]
struct Service(Arc<Agent>);

impl ServerHandler for Service {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_skills()
            .build();
        let own = Implementation::new("stepscope", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(own)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let answers = Arc::new(answer_schema());
        let tools = self.0.tools().into_iter().map(|entry| {
            let reads = ToolAnnotations::new()
                .read_only(entry.is_reading)
                .destructive(false)
                .open_world(false)
                .idempotent(entry.is_reading);
            Tool::new(entry.name, entry.description, Arc::new(entry.arguments))
                .with_title(entry.title)
                .with_raw_output_schema(Arc::clone(&answers))
                .with_annotations(reads)
        });
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let shown = self.0.call(&request.name, arguments).await;
        Ok(CallToolResponse::from(result(shown)))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let files = FILES.iter().map(|file| {
            let resource = Resource::new(address(file), file.path)
                .with_mime_type(MARKDOWN)
                .with_size(file.text.len() as u64);
            if file.path == FILES[0].path {
                resource.with_description(head("description"))
            } else {
                resource
            }
        });
        Ok(ListResourcesResult::with_all_items(files.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let file = FILES.iter().find(|file| address(file) == request.uri);
        let file = file.ok_or_else(|| unknown(&request.uri))?;
        let contents = ResourceContents::text(file.text, address(file)).with_mime_type(MARKDOWN);
        Ok(ReadResourceResponse::from(ReadResourceResult::new(vec![
            contents,
        ])))
    }

    async fn list_skills(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(ListSkillsResult::with_all_items(vec![skill()]))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        if request.uri != address(&FILES[0]) {
            return Err(unknown(&request.uri));
        }
        Ok(GetSkillResult::new(skill()))
    }
}

const MARKDOWN: &str = "text/markdown";

/// Address of a file of the skill.
fn address(file: &SkillFile) -> String {
    format!("skill://{NAME}/{}", file.path)
}

fn skill() -> Skill {
    let frontmatter = SkillFrontmatter::new(head("name"), head("description"))
        .with_field("license", head("license"));
    let files = FILES.iter();
    let files = files.map(|file| SkillResource::from_bytes(address(file), file.text.as_bytes()));
    Skill::new(
        address(&FILES[0]),
        frontmatter,
        SkillResources::Files(files.collect()),
    )
}

fn unknown(uri: &str) -> ErrorData {
    let first = address(&FILES[0]);
    ErrorData::resource_not_found(
        format!("unknown resource {uri:?}; the skill is {first}"),
        None,
    )
}

fn result(shown: Shown) -> CallToolResult {
    let mut result = if shown.is_error {
        CallToolResult::structured_error(shown.json)
    } else {
        CallToolResult::structured(shown.json)
    };
    result.content = vec![ContentBlock::text(shown.text)];
    if let Some(png) = shown.picture {
        let picture = ContentBlock::image(STANDARD.encode(png), "image/png");
        result.content.push(picture);
    }
    result
}
