// Files that are whole or not there: written beside their place, then moved into it.
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The end of the name of a file that is still being written. One that a crash has left behind may be removed. */
export const TEMPORARY_EXTENSION = '.tmp';

/** The owner alone reads what Errand keeps. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** A name beside the file that no other writer takes. */
export function temporaryName(file: string): string {
	return `${file}.${randomUUID()}${TEMPORARY_EXTENSION}`;
}

/** Puts the data in the place of the file, making its folder where it is missing. Rejects with the system's error; what was there before then stays. */
export async function replaceFile(file: string, data: string | Uint8Array): Promise<void> {
	const temporary = temporaryName(file);
	try {
		await mkdir(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
		await writeFile(temporary, data, { mode: FILE_MODE, flag: 'wx' });
		await rename(temporary, file);
	} catch (error) {
		await rm(temporary, { force: true }).catch(() => {});
		throw error;
	}
}

/** As `replaceFile`, while everything else waits. `flush`: the data is on the disk before the name is. */
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

/** Removes the files of a folder that nobody has written for so long. Never rejects. */
export async function removeOldFiles(folder: string, ageMs: number): Promise<void> {
	for (const name of await readdir(folder).catch(() => [])) {
		const file = path.join(folder, name);
		const status = await stat(file).catch(() => undefined);
		if (status?.isFile() && Date.now() - status.mtimeMs > ageMs) {
			await rm(file, { force: true }).catch(() => {});
		}
	}
}
