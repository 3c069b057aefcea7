import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

const heartbeatMs = 2_000;
const staleMs = 15_000;

/**
 * Runs `work` while no other process of this machine runs work under the same folder name. A holder touches its folder
 * while it lives, so that a killed holder is told apart from a slow one. A process id would not do: after a restart of
 * a container, it may belong to another process.
 * @template T
 * @param {string} folder
 * @param {string} what named in the line that is shown while waiting
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(folder, what, work) {
	fs.mkdirSync(path.dirname(folder), { recursive: true });
	let told = false;
	while (!take(folder)) {
		if (!told) {
			console.log(`Another run is busy (${what}); waiting for it.`);
			told = true;
		}
		await wait(250);
	}
	const heartbeat = setInterval(() => touch(folder), heartbeatMs);
	const release = () => fs.rmSync(folder, { recursive: true, force: true });
	process.once('exit', release);
	try {
		return await work();
	} finally {
		clearInterval(heartbeat);
		process.removeListener('exit', release);
		release();
	}
}

/** @param {string} folder */
function take(folder) {
	try {
		fs.mkdirSync(folder);
		return true;
	} catch (error) {
		if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') {
			throw new Error(
				`Cannot write ${folder}: ${/** @type {Error} */ (error).message}. Is the project's folder yours?`,
			);
		}
	}
	const modified = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
	if (Date.now() - modified > staleMs) {
		fs.rmSync(folder, { recursive: true, force: true });
	}
	return false;
}

/** @param {string} folder */
function touch(folder) {
	const now = new Date();
	fs.utimes(folder, now, now, () => {});
}
