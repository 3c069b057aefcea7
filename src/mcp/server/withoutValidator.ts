// Takes the place of what the MCP package needs of its platform when the server is bundled (esbuild.mjs). The server checks
// all that comes in with schemas of its own, and has none of others that a validator of JSON schemas would be for.
import nodeProcess from 'node:process';

export const process = nodeProcess;

/** The package makes one for each server, and asks it only about schemas that are not the server's own. */
export class DefaultJsonSchemaValidator {
	getValidator(): never {
		throw new Error('This server validates no JSON schemas of others.');
	}
}
