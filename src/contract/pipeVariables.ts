// These names are kept apart from the calls in `editorPipe.ts`, because this file is loaded when the editor starts and
// the schemas of the calls are not.

/** The variables that tell the MCP server's process where the editor listens. */
export const PIPE_VARIABLES = { address: 'ERRAND_EDITOR_PIPE', token: 'ERRAND_EDITOR_TOKEN' } as const;
