//! The server: tools and resources, by the protocol's SDK.

use std::sync::Arc;

use anyhow::Result;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    Implementation, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Json, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use tokio::sync::Semaphore;

use super::answers::Call;
use super::progress::Progress;
use super::resources;
use super::types::{
    CollectionsOutput, ContextInput, ContextOutput, FacetsInput, FacetsOutput, ReadInput,
    ReadOutput, SearchInput, SearchOutput, SimilarInput, UNTRUSTED,
};
use crate::commands::bundles::Bundles;
use crate::output::{Exit, Failure};
use crate::safe_text::lines;
use crate::ui::Ui;

const INSTRUCTIONS: &str = "Searches documents that Findling has indexed. Use `context` for the \
     passages that answer a question, `search` for a list of pages, `read` for a page or a section \
     in full, `facets` for what filters there are. Cite the URLs. ";

/// Maximum number of calls that are answered at a time, of all clients; further ones wait. A call
/// takes a thread and waits for its progress to be sent. Messages are written by threads of the
/// same pool, so that calls on all of them would wait for ever.
pub const MAX_CALLS: usize = 32;

static CALLS: Semaphore = Semaphore::const_new(MAX_CALLS);

/// The server of one client.
#[derive(Clone)]
pub struct Server {
    bundles: Arc<Bundles>,
    ui: Ui,
    tool_router: ToolRouter<Self>,
}

impl Server {
    /// Creates a server that answers from these bundles.
    pub fn new(bundles: Arc<Bundles>, ui: Ui) -> Self {
        Self { bundles, ui, tool_router: Self::tool_router() }
    }

    /// Runs a tool on its own thread, until the client cancels it.
    async fn blocking<T: Send + 'static>(
        &self,
        context: RequestContext<RoleServer>,
        run: impl FnOnce(&Call<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T, anyhow::Error> {
        let (bundles, ui) = (self.bundles.clone(), self.ui.clone());
        let (progress, cancelled) = (Progress::of(&context), context.ct);
        let token = cancelled.clone();
        let work = async {
            let turn = CALLS.acquire().await?;
            let work = tokio::task::spawn_blocking(move || {
                // A call that was cancelled has its turn until it ends.
                let _turn = turn;
                run(&Call { bundles: &bundles, ui: &ui, cancelled: &token, progress: &progress })
            });
            work.await?
        };
        tokio::select! {
            done = work => done,
            () = cancelled.cancelled() => Err(anyhow::anyhow!("the request was cancelled")),
        }
    }

    /// Runs a tool on a thread of its own, like [`Server::blocking`]. An error is an answer that
    /// the assistant reads.
    async fn tool<T: Send + 'static>(
        &self,
        context: RequestContext<RoleServer>,
        run: impl FnOnce(&Call<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Json<T>, String> {
        self.blocking(context, run).await.map(Json).map_err(|error| message(&error))
    }
}

/// Writes the code of an error and its message on one line each.
fn message(error: &anyhow::Error) -> String {
    let failure = Failure::of(error);
    lines(&format!("{}: {error:#}", failure.code)).into_owned()
}

#[tool_router]
impl Server {
    #[tool(
        description = "Search the indexed documents by words and by meaning. Returns pages with \
             the section that answers, a snippet and the URL to cite.",
        annotations(
            title = "Search",
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn search(
        &self,
        Parameters(input): Parameters<SearchInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<SearchOutput>, String> {
        self.tool(context, move |call| call.search(input)).await
    }

    #[tool(
        description = "Get the passages that answer a question, within a number of tokens: the \
             best sections in full where they fit, each with the URL to cite.",
        annotations(
            title = "Passages for a question",
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn context(
        &self,
        Parameters(input): Parameters<ContextInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<ContextOutput>, String> {
        self.tool(context, move |call| call.context(input)).await
    }

    #[tool(
        description = "Read a page in full, or one of its sections by #anchor, as text. Long texts \
             come in parts: ask again with nextOffset.",
        annotations(
            title = "Read a page",
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn read(
        &self,
        Parameters(input): Parameters<ReadInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<ReadOutput>, String> {
        self.tool(context, move |call| call.read(input)).await
    }

    #[tool(
        description = "Find the pages most like one page.",
        annotations(
            title = "Similar pages",
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn similar(
        &self,
        Parameters(input): Parameters<SimilarInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<SearchOutput>, String> {
        self.tool(context, move |call| call.similar(input)).await
    }

    #[tool(
        description = "List the collections that can be searched, with their sizes, languages, \
             attributes, and whether they are up to date.",
        annotations(
            title = "Collections",
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn list_collections(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<CollectionsOutput>, String> {
        self.tool(context, |call| call.list_collections()).await
    }

    #[tool(
        description = "Count the values of attributes, over all pages or over those that a query \
             or a filter finds: what can be filtered by.",
        annotations(
            title = "Values for filters",
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        )
    )]
    async fn facets(
        &self,
        Parameters(input): Parameters<FacetsInput>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<FacetsOutput>, String> {
        self.tool(context, move |call| call.facets(input)).await
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let mut info =
            ServerConfig::new(capabilities).with_instructions(format!("{INSTRUCTIONS}{UNTRUSTED}"));
        info.server_info = Implementation::new("findling", env!("CARGO_PKG_VERSION"))
            .with_title("Findling")
            .with_description("Hybrid search of sites, documents and code");
        info
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.blocking(context, move |call| resources::list(call, cursor.as_deref()))
            .await
            .map_err(|error| error_data(&error))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let text = self
            .blocking(context, move |call| resources::read(call, &uri))
            .await
            .map_err(|error| error_data(&error))?;
        let contents =
            ResourceContents::text(text, request.uri).with_mime_type(resources::MIME_TYPE);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

fn error_data(error: &anyhow::Error) -> ErrorData {
    let failure = Failure::of(error);
    let message = message(error);
    match (failure.code, failure.exit()) {
        ("no-such-page", _) => ErrorData::resource_not_found(message, None),
        (_, Exit::Usage) => ErrorData::invalid_params(message, None),
        _ => ErrorData::internal_error(message, None),
    }
}
