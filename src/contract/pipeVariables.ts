// Apart from the calls themselves, as it is loaded when the editor starts, and their schemas are not.

/** The variables by which the MCP server's process learns where the editor listens. */
export const PIPE_VARIABLES = { address: 'ERRAND_EDITOR_PIPE', token: 'ERRAND_EDITOR_TOKEN' } as const;
