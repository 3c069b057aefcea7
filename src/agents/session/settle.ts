// Additions of our own to the protocol, which other agents ignore. After a call, Errand's agent waits until the client
// has dealt with what it has reported, for example has kept the files as they are. And it leaves the questions about
// calls of MCP servers to a client that stands between it and them, as no other client does.

/** The agent's request, which has the id of its session and an empty answer. */
export const SETTLE = '_errand/settle';
/** The name in `_meta` of the client's capabilities by which it says that it answers that request. */
export const SETTLES = 'errand/settles';
/** The name there by which it says that it asks about the calls of MCP servers itself. */
export const ASKS_ABOUT_SERVERS = 'errand/asksAboutServers';
