import { chmod, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Removes a folder with everything in it, whatever a program has left there: folders nested deeper than a path can be
 * long, and folders that are closed to their owner. Resolves also where there is none; rejects with the system's error.
 */
export async function removeFolder(folder: string): Promise<void> {
	const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
	await remove().catch(async () => {
		await flatten(folder);
		await remove();
	});
}

/** Moves every nested folder up to the top, one level at a time, so that no path to one is ever long. */
async function flatten(folder: string): Promise<void> {
	let moved = 0;
	const names = new Set((await readdir(folder)).map(name => name.toLowerCase()));
	for (let folders = await foldersIn(folder); folders.length > 0; folders = await foldersIn(folder)) {
		for (const outer of folders) {
			for (const inner of await foldersIn(outer)) {
				let name: string;
				do {
					name = `${++moved}`;
				} while (names.has(name));
				await rename(inner, path.join(folder, name));
			}
			await rm(outer, { recursive: true, force: true, maxRetries: 3 });
		}
	}
}

/** Opens them, as their owner may: a closed folder can neither be read nor be moved. Names can be of any encoding. */
async function foldersIn(folder: string | Buffer): Promise<Buffer[]> {
	const folders: Buffer[] = [];
	for (const entry of await readdir(folder, { encoding: 'buffer', withFileTypes: true })) {
		if (entry.isDirectory()) {
			const place = Buffer.concat([Buffer.from(folder), Buffer.from(path.sep), entry.name]);
			await chmod(place, 0o700);
			folders.push(place);
		}
	}
	return folders;
}
