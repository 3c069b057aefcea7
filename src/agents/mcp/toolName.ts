/** Names a tool of a server. No server’s name has a slash, so that no two tools have one name. */
export const toolName = (server: string, tool: string): string => `${server}/${tool}`;
