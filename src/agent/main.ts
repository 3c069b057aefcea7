// Errand's own agent, a separate program: it speaks the Agent Client Protocol on its standard input and output and asks
// the model that its environment names.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { programVersion } from '../base/programVersion.ts';
import { startWithoutKey, withHandedKey } from './keyHandover.ts';
import { serveAgent } from './server.ts';
import { readSettings } from './settings.ts';

const HELP = `Errand's agent speaks the Agent Client Protocol on its standard input and output. Variables:
  ERRAND_AGENT_URL             the address of the model's service, such as http://127.0.0.1:11434
  ERRAND_AGENT_MODEL           the name of the model, which must be able to call tools
  ERRAND_AGENT_KEY             the key of the service, if it wants one. It is taken out of the environment at the start,
                               because commands that you allow could read it there; on Windows it stays
  ERRAND_AGENT_API             "responses" or "chat"; without it, whichever the service has
  ERRAND_AGENT_CONTEXT_LENGTH  how many tokens the model takes, if that is known
  ERRAND_AGENT_IMAGES          set if the model takes images
`;

startWithoutKey();
const environment = withHandedKey(process.env);
const settings = typeof environment === 'string' ? environment : readSettings(environment);
if (process.argv.includes('--help')) {
	process.stdout.write(HELP);
} else if (typeof settings === 'string') {
	process.stderr.write(`${settings}\n\n${HELP}`);
	process.exitCode = 2;
} else {
	await serveAgent(settings, programVersion(fileURLToPath(import.meta.url)));
	// A request to the model may still be in progress, but nobody waits for it.
	process.exit(0);
}
