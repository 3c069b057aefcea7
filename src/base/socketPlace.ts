import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The shortest limit that any supported system has for the path of a socket, in bytes. */
const MAXIMUM_SOCKET_PATH = 100;

/**
 * Returns the place to listen for a socket that is wanted at `file`. If that path is too long for a socket, it is in a
 * new folder below the system's temporary one, which only the user can open and which the caller removes afterwards. A
 * socket that a crash has left at the place is removed.
 */
export function socketPlaceFor(file: string): { place: string; folder?: string } {
	if (Buffer.byteLength(file) <= MAXIMUM_SOCKET_PATH) {
		rmSync(file, { force: true });
		return { place: file };
	}
	const folder = mkdtempSync(path.join(os.tmpdir(), 'errand-'));
	return { place: path.join(folder, path.basename(file)), folder };
}
