import { globSync } from 'node:fs';
import path from 'node:path';
import { forgetProofs } from './proofs.ts';

/** These files read the proofs and contain none. */
const READERS = /^(requirements\.test\.ts|(faults|mutations)\/.*)$/;

const unregistered = () => {};

/**
 * Replacements for the functions that test files call as they load. The files are loaded for their proofs alone; mocha
 * runs their tests separately.
 */
const SILENT = {
	describe: (_title: string, body: () => void) => body(),
	it: unregistered,
	before: unregistered,
	after: unregistered,
	beforeEach: unregistered,
	afterEach: unregistered,
};

let loading: Promise<void> | undefined;

/**
 * Loads every file with proofs, so that the files that read all proofs can run in parallel with the others, or alone.
 */
export function loadProofs(): Promise<void> {
	// The files are loaded once in a process, because a module is evaluated once, however often it is imported.
	loading ??= load();
	return loading;
}

async function load(): Promise<void> {
	const registering = Object.fromEntries(Object.keys(SILENT).map(name => [name, Reflect.get(globalThis, name)]));
	forgetProofs();
	Object.assign(globalThis, SILENT);
	try {
		for (const file of globSync('**/*.test.ts', { cwd: import.meta.dirname })) {
			if (!READERS.test(file.replaceAll(path.sep, '/'))) {
				// The query makes this another module, so that mocha can still load the one that registers its tests.
				await import(`./${file}?proofs`);
			}
		}
	} finally {
		Object.assign(globalThis, registering);
	}
}
