// These names stand apart from the calls in `editorPipe.ts`, because this file is loaded when the editor starts, and the
// schemas of the calls are not.

/** The variables by which the MCP server's process learns where the editor listens. */
export const PIPE_VARIABLES = { address: 'ERRAND_EDITOR_PIPE', token: 'ERRAND_EDITOR_TOKEN' } as const;
