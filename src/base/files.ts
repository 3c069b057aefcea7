// Atomic writes: a file is written under a temporary name beside its target, then renamed into place.
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The extension of a file that is still being written. A file that a crash has left behind may be removed. */
export const TEMPORARY_EXTENSION = '.tmp';

/** The suffix that `temporaryName` adds to the name of a file. */
const UNIQUE_PART = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

/** Only the owner may read what Errand stores. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Returns a unique name beside the file that no other writer uses. */
export function temporaryName(file: string): string {
	return `${file}.${randomUUID()}${TEMPORARY_EXTENSION}`;
}

/** Removes the temporary files that terminated processes have left beside the file. Never rejects. */
export async function removeTemporaries(file: string): Promise<void> {
	const folder = path.dirname(file);
	const start = `${path.basename(file)}.`;
	for (const name of await readdir(folder).catch(() => [])) {
		const isOurs = name.startsWith(start) && UNIQUE_PART.test(name.slice(start.length));
		await (isOurs && rm(path.join(folder, name), { force: true }).catch(() => {}));
	}
}

/**
 * Replaces the file atomically and creates its folder if it is missing. The file gets the permissions `mode`, reduced
 * by the umask of the process. Rejects with the system's error, and then keeps the previous file.
 */
export async function replaceFile(file: string, data: string | Uint8Array, mode = FILE_MODE): Promise<void> {
	const temporary = temporaryName(file);
	try {
		await mkdir(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
		await writeFile(temporary, data, { mode, flag: 'wx' });
		await rename(temporary, file);
	} catch (error) {
		await rm(temporary, { force: true }).catch(() => {});
		throw error;
	}
}

/**
 * The synchronous form of `replaceFile`. With `flush`, the data is flushed to the disk before the file is renamed into
 * place.
 */
export function replaceFileSync(
	file: string,
	data: string | Uint8Array,
	{ flush = false }: { flush?: boolean } = {},
): void {
	const temporary = temporaryName(file);
	try {
		mkdirSync(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
		writeFileSync(temporary, data, { mode: FILE_MODE, flag: 'wx', flush });
		renameSync(temporary, file);
	} catch (error) {
		rmSync(temporary, { force: true });
		throw error;
	}
}

/** Returns the first bytes of a file, which may have fewer, as a byte string. Rejects with the system's error. */
export async function readStart(file: string, bytes: number): Promise<string> {
	const handle = await open(file);
	try {
		const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
		return buffer.toString('latin1', 0, bytesRead);
	} finally {
		await handle.close();
	}
}

/** Removes the files of a folder that have not been written for `ageMs` milliseconds. Never rejects. */
export async function removeOldFiles(folder: string, ageMs: number): Promise<void> {
	for (const name of await readdir(folder).catch(() => [])) {
		const file = path.join(folder, name);
		const status = await stat(file).catch(() => undefined);
		if (status?.isFile() && Date.now() - status.mtimeMs > ageMs) {
			await rm(file, { force: true }).catch(() => {});
		}
	}
}
