// Prepares an agent's home folder before something is started in it. No process of the agent may be running then.
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates the folder for temporary files below an agent's home, which exists. Anything else at its path is replaced: an
 * earlier run may have left a link there. Rejects with the system's error.
 */
export function makeTemporaryFolder(home: string): Promise<void> {
	return makeFolder(path.join(home, 'tmp'));
}

/**
 * Writes an agent's configuration files below its home, with their folders. An earlier run of the agent may have left
 * links there to redirect the files: anything that is not a folder where one is needed, and anything at the path of a
 * file, is replaced. Rejects with the system's error.
 */
export async function writeAgentHome(home: string, files: Readonly<Record<string, string>>): Promise<void> {
	for (const [name, text] of Object.entries(files)) {
		const parts = name.split('/');
		if (parts.some(part => part === '' || part === '.' || part === '..')) {
			throw new Error('A configuration file lies outside the home.');
		}
		let folder = home;
		for (const part of parts.slice(0, -1)) {
			folder = path.join(folder, part);
			await makeFolder(folder);
		}
		const file = path.join(home, ...parts);
		await rm(file, { recursive: true, force: true });
		await writeFile(file, text, { mode: 0o600, flag: 'wx' });
	}
}

async function makeFolder(folder: string): Promise<void> {
	const status = await lstat(folder).catch(() => undefined);
	if (status?.isDirectory()) {
		return;
	}
	await rm(folder, { force: true });
	await mkdir(folder, { mode: 0o700 });
}
