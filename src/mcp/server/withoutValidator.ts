// Replaces the MCP package's platform module when the server is bundled (esbuild.mjs). The server checks all input with
// its own schemas, and receives no JSON schemas that would need a validator.
import nodeProcess from 'node:process';

export const process = nodeProcess;

/** The package creates one for each server, and uses it only for schemas that are not the server's own. */
export class DefaultJsonSchemaValidator {
	getValidator(): never {
		throw new Error('This server validates no JSON schemas of others.');
	}
}
