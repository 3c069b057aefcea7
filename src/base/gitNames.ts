// Names of files as git lists them, as byte strings (`latin1`).

/** File names can be in any encoding, so they are read byte by byte. */
export const BYTES = { encoding: 'latin1' } as const;

/** Splits a list that git printed with `-z`. */
export function split(text: string): string[] {
	return text.split('\0').slice(0, -1);
}

/** Splits the output of a comparison with `-z --name-status` into the names of removed files and of all others. */
export function splitStatus(text: string): { removed: string[]; present: string[] } {
	const fields = split(text);
	const removed: string[] = [];
	const present: string[] = [];
	for (let index = 0; index + 1 < fields.length; index += 2) {
		(fields[index] === 'D' ? removed : present).push(fields[index + 1] ?? '');
	}
	return { removed, present };
}

/** Returns the readable text of a name that is a byte string. */
export function readable(name: string): string {
	return Buffer.from(name, 'latin1').toString();
}

/** Returns the byte string of a name. */
export function byteString(name: string): string {
	return Buffer.from(name).toString('latin1');
}

/** Returns the path of a name in the tree. */
export function placeOf(tree: string, name: string): Buffer {
	return Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(name, 'latin1')]);
}
