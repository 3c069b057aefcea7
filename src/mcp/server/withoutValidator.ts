// Replaces the MCP package's platform module when the server is bundled (esbuild.mjs). The server checks all input with
// its own schemas, and has no schemas of others for which a JSON Schema validator would be needed.
import nodeProcess from 'node:process';

export const process = nodeProcess;

/** The package creates one for each server, and uses it only for schemas that are not the server's own. */
export class DefaultJsonSchemaValidator {
	getValidator(): never {
		throw new Error('This server validates no JSON schemas of others.');
	}
}
