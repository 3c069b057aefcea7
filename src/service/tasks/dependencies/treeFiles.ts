import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import path from 'node:path';

const MAXIMUM_BYTES = 256 * 1024;

/** Reads a file by its path relative to the top of a tree, with slashes. Resolves with undefined if it is missing. */
export type ReadTreeFile = (name: string) => Promise<string | undefined>;

/**
 * Returns the whole lines at the beginning of a file, which hold enough. All readers stop at the same place, so that
 * they find the same hosts.
 */
export function beginningOf(bytes: Buffer): string {
	const text = bytes.toString('utf8', 0, MAXIMUM_BYTES);
	return bytes.length > MAXIMUM_BYTES ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
}

/** Creates a reader for a folder with hostile content: it reads only regular files that lie in the folder itself. */
export function filesOfFolder(folder: string): ReadTreeFile {
	return async name => {
		const file = path.join(folder, name);
		try {
			const [top, real] = await Promise.all([realpath(folder), realpath(file)]);
			if (real !== path.join(top, name) || !(await lstat(real)).isFile()) {
				return undefined;
			}
			return await readBeginning(real);
		} catch {
			return undefined;
		}
	};
}

/** Reads the beginning of a file whose path contains no links. Rejects with the system's error. */
export async function readBeginning(file: string): Promise<string> {
	const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	try {
		const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAXIMUM_BYTES + 1), 0, MAXIMUM_BYTES + 1, 0);
		return beginningOf(buffer.subarray(0, bytesRead));
	} finally {
		await handle.close();
	}
}
