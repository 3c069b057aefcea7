import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import path from 'node:path';

/** The length to which a file is read, in bytes. The beginning of a longer one is enough for what is looked for. */
const MAXIMUM_BYTES = 256 * 1024;

/** Reads a file by its path relative to the top of a tree, with slashes. Resolves with undefined if there is none. */
export type ReadTreeFile = (name: string) => Promise<string | undefined>;

/** Creates a reader for a folder with hostile content: it reads only what is a file, and lies in the folder itself. */
export function filesOfFolder(folder: string): ReadTreeFile {
	return async name => {
		const file = path.join(folder, name);
		try {
			const [top, real] = await Promise.all([realpath(folder), realpath(file)]);
			if (real !== path.join(top, name) || !(await lstat(real)).isFile()) {
				return undefined;
			}
			const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
			try {
				const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAXIMUM_BYTES), 0, MAXIMUM_BYTES, 0);
				return buffer.toString('utf8', 0, bytesRead);
			} finally {
				await handle.close();
			}
		} catch {
			return undefined;
		}
	};
}
