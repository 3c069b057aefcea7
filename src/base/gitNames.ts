// Names of files as git lists them, as byte strings (`latin1`).

/** File names can be in any encoding, so they are read byte by byte. */
export const BYTES = { encoding: 'latin1' } as const;

/** Splits a list that git printed with `-z`. */
export function split(text: string): string[] {
	return text.split('\0').slice(0, -1);
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
