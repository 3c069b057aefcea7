import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { systemErrorCode } from './errors.ts';
import { forLeftFolders } from './temporaryFolder.ts';

/** The shortest limit that any supported system has for the path of a socket, in bytes. */
const MAXIMUM_SOCKET_PATH = 100;

/** The name of a folder for a socket, with the process that has made it. */
const SOCKET_FOLDER = /^errand-(\d+)-\w{6}$/;

/**
 * Returns the place to listen for a socket that is wanted at `file`. If that path is too long for a socket, it is in a
 * new folder, as `newSocketFolder` makes one. A socket that a crash has left at the place is removed.
 */
export async function socketPlaceFor(file: string): Promise<{ place: string; folder?: string }> {
	if (Buffer.byteLength(file) <= MAXIMUM_SOCKET_PATH) {
		rmSync(file, { force: true });
		return { place: file };
	}
	const folder = await newSocketFolder();
	return { place: path.join(folder, path.basename(file)), folder };
}

/**
 * Makes a folder for a socket below the system's temporary one, which only the user can open and which the caller
 * removes afterwards. Those that killed programs of the user have left there are removed before.
 */
export async function newSocketFolder(): Promise<string> {
	await forLeftFolders(SOCKET_FOLDER, removeLeft);
	return mkdtempSync(path.join(os.tmpdir(), `errand-${process.pid}-`));
}

/**
 * Removes a folder in which there are sockets and nothing else, and nobody listens. In a container that shares the
 * folder for temporary files, a process that is not seen from here may well be running.
 */
async function removeLeft(folder: string): Promise<void> {
	const sockets = (await readdir(folder)).map(name => path.join(folder, name));
	const isLeft = await Promise.all(sockets.map(isLeftSocket));
	if (sockets.length > 0 && isLeft.every(Boolean)) {
		await Promise.all(sockets.map(socket => unlink(socket)));
		await rmdir(folder);
	}
}

async function isLeftSocket(file: string): Promise<boolean> {
	if (!(await lstat(file)).isSocket()) {
		return false;
	}
	const connection = connect(file);
	const refusal: unknown = await once(connection, 'connect').catch((error: unknown) => error);
	connection.destroy();
	return systemErrorCode(refusal) === 'ECONNREFUSED';
}
