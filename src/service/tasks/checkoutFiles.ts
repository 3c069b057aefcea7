import { lstat, mkdir, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes attributes that override every .gitattributes: no filter runs on a file, whatever configuration names one, and
 * the tree holds the stored bytes. A file that git writes back differently would show up as a change that nobody made.
 */
export async function writeAttributes(gitFolder: string): Promise<void> {
	const information = path.join(gitFolder, 'info');
	await mkdir(information, { recursive: true });
	await writeFile(path.join(information, 'attributes'), '* -filter -text -ident !working-tree-encoding\n');
}

/** Removes a link. On a file system that ignores case, something else may have taken the link's place, and a commit may have none. */
export async function removeLink(place: Buffer | string): Promise<void> {
	if ((await lstat(place).catch(() => undefined))?.isSymbolicLink()) {
		await unlink(place);
	}
}

/** An entry of a commit's tree, as `git ls-tree -l` lists it. */
export interface TreeEntry {
	mode: string;
	object: string;
	/** The size in bytes. */
	size: number;
	/** A byte string, because it can be in any encoding. */
	name: string;
}

export function treeEntry(line: string): TreeEntry {
	const [mode = '', , object = '', size] = line.split(/ +|\t/, 4);
	return { mode, object, size: Number(size) || 0, name: line.slice(line.indexOf('\t') + 1) };
}

/** Returns the contents of objects out of what `git cat-file --batch` says of them, in their order. */
export function contentsIn(output: string, objects: readonly string[]): Map<string, string> {
	const contents = new Map<string, string>();
	let position = 0;
	for (const object of objects) {
		// `<object> blob <size>`, a line break, so many bytes, and a line break.
		const start = output.indexOf('\n', position) + 1;
		const size = Number(output.slice(position, start).trim().split(' ')[2]);
		contents.set(object, output.slice(start, start + size));
		position = start + size + 1;
	}
	return contents;
}
