// Removes the key from the environment that this process was started with. Commands run as the same user, who can read
// that of all their processes (`/proc/<id>/environ`, `ps -E`), and deleting a variable does not change it.
import { mkdtempSync, readFileSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describeError } from '../base/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const KEY = 'ERRAND_AGENT_KEY';
const FILE = 'ERRAND_AGENT_KEY_FILE';
/** The beginning of the name of the folder that contains only the key file. */
const FOLDER = 'errand-agent-key-';

/**
 * Restarts this program in the same process, without the key in its environment: the new program finds it in a file,
 * which it removes first of all. Returns only if there is no key or the system cannot do this, as on Windows.
 */
export function startWithoutKey(): void {
	const { [KEY]: key, ...environment } = process.env;
	if (!key || process.platform === 'win32' || typeof process.execve !== 'function') {
		return;
	}
	let folder: string | undefined;
	try {
		folder = mkdtempSync(path.join(os.tmpdir(), FOLDER));
		const file = path.join(folder, 'key');
		writeFileSync(file, key, { mode: 0o600, flag: 'wx' });
		const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
		process.execve(process.execPath, args, { ...environment, [FILE]: file });
	} catch (error) {
		if (folder !== undefined) {
			rmSync(folder, { recursive: true, force: true });
		}
		const why = describeError(error);
		process.stderr.write(`The key stays in the environment, where commands that you allow can read it (${why}).\n`);
	}
}

/** Returns the environment with the key that `startWithoutKey` has handed over, or a sentence if the key is gone. */
export function withHandedKey(environment: Environment): Environment | string {
	const { [FILE]: file, ...others } = environment;
	if (file === undefined) {
		return environment;
	}
	try {
		// Nothing else is ever removed, whatever the variable says.
		if (!path.basename(path.dirname(file)).startsWith(FOLDER)) {
			return `${FILE} is not for you to set: put the key into ${KEY}.`;
		}
		const key = readFileSync(file, 'utf8');
		unlinkSync(file);
		rmdirSync(path.dirname(file));
		return { ...others, [KEY]: key };
	} catch (error) {
		return `The key could not be handed over (${describeError(error)}). Start the agent again.`;
	}
}
