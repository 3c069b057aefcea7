import { globSync } from 'node:fs';
import path from 'node:path';
import { forgetProofs } from './proofs.ts';

/** These look at the proofs and hold none. */
const READERS = ['requirements.test.ts', 'faults/faults.test.ts'];

const unregistered = () => {};

/** What files of tests call as they load; here they are read for their proofs, and their tests run where they are run. */
const SILENT = {
	describe: (_title: string, body: (this: object) => void) => body.call({ timeout: unregistered }),
	it: unregistered,
	before: unregistered,
	after: unregistered,
	beforeEach: unregistered,
	afterEach: unregistered,
};

let loading: Promise<void> | undefined;

/** Loads every file with proofs, so that the files that look at them all can run beside the others, or alone. */
export function loadProofs(): Promise<void> {
	// Once in a process: a module is evaluated once, however often it is asked for.
	loading ??= load();
	return loading;
}

async function load(): Promise<void> {
	const registering = Object.fromEntries(Object.keys(SILENT).map(name => [name, Reflect.get(globalThis, name)]));
	forgetProofs();
	Object.assign(globalThis, SILENT);
	try {
		for (const file of globSync('**/*.test.ts', { cwd: import.meta.dirname })) {
			if (!READERS.includes(file.replaceAll(path.sep, '/'))) {
				// Another address is another module: the one that registers its tests must still be there to be loaded.
				await import(`./${file}?proofs`);
			}
		}
	} finally {
		Object.assign(globalThis, registering);
	}
}
