import { readdir, unlink } from 'node:fs/promises';

/** Names are byte strings (`latin1`), relative to the tree. */
export interface SpecialFiles {
	removed: string[];
	/** Folders that cannot be read: closed, or nested deeper than a path can be long. git passes over them. */
	unreadable: string[];
}

/**
 * Removes pipes, sockets and devices from a tree. git opens some names without checking what they are (`.gitignore`,
 * `.gitattributes`), and would wait for a pipe for ever.
 */
export async function removeSpecialFiles(tree: string): Promise<SpecialFiles> {
	const removed: string[] = [];
	const unreadable: string[] = [];
	const folders: string[] = [''];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		const location = Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(folder, 'latin1')]);
		const entries = await readdir(location, { encoding: 'buffer', withFileTypes: true }).catch(() => {
			unreadable.push(folder);
			return [];
		});
		for (const entry of entries) {
			const name = `${folder}${entry.name.toString('latin1')}`;
			if (entry.isDirectory()) {
				folders.push(`${name}/`);
			} else if (!entry.isFile() && !entry.isSymbolicLink()) {
				await unlink(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(name, 'latin1')]));
				removed.push(name);
			}
		}
	}
	return { removed, unreadable };
}
