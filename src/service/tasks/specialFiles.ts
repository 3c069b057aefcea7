import { readdir, unlink } from 'node:fs/promises';

/**
 * Takes pipes, sockets and devices out of a tree, and returns their names as byte strings (`latin1`), relative to it. git
 * opens some names without asking what they are (`.gitignore`, `.gitattributes`), and would wait at a pipe for ever.
 */
export async function removeSpecialFiles(tree: string): Promise<string[]> {
	const removed: string[] = [];
	const folders: string[] = [''];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		const location = Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(folder, 'latin1')]);
		// A folder that cannot be read is git's to complain about.
		const entries = await readdir(location, { encoding: 'buffer', withFileTypes: true }).catch(() => []);
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
	return removed;
}
