import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface TestFolder {
	/** Its real path. */
	readonly path: string;
	/** Joins names to its path. */
	at(...names: string[]): string;
	/** Writes a program, with its folders, and returns its path. */
	program(name: string, text?: string): Promise<string>;
	/** Writes a file, with its folders, and returns its path. */
	file(name: string, text: string): Promise<string>;
}

/** Makes a new folder before each test of the suite and removes it afterwards. */
export function useFolder(): TestFolder {
	let folder = '';
	beforeEach(async () => {
		folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'errand-agents-')));
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));
	const at = (...names: string[]) => path.join(folder, ...names);
	const file = async (name: string, text: string) => {
		await mkdir(path.dirname(at(name)), { recursive: true });
		await writeFile(at(name), text);
		return at(name);
	};
	return {
		get path() {
			return folder;
		},
		at,
		file,
		async program(name, text = '#!/bin/sh\n') {
			await chmod(await file(name, text), 0o755);
			return at(name);
		},
	};
}
