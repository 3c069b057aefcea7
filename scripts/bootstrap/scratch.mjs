import fs from 'node:fs';
import path from 'node:path';
import { cache } from './folders.mjs';
import { withLock } from './lock.mjs';

/**
 * Makes `folder` completely or not at all: it is built elsewhere, then renamed.
 * @param {string} folder
 * @param {string} what for the reader, such as "Node 24"
 * @param {(scratch: string, target: string) => Promise<void>} build fills `target`; `scratch` is for what may go
 */
export async function makeOnce(folder, what, build) {
	if (fs.existsSync(folder)) {
		return;
	}
	await withLock(path.join(cache, 'install.lock'), 'installing', async () => {
		if (fs.existsSync(folder)) {
			return;
		}
		const started = Date.now();
		console.log(`Installing ${what}, once …`);
		const scratch = path.join(cache, 'scratch');
		// While this process holds the lock, anything in this folder was left by a run that was interrupted.
		fs.rmSync(scratch, { recursive: true, force: true });
		const target = path.join(scratch, 'target');
		fs.mkdirSync(target, { recursive: true });
		try {
			await build(scratch, target);
			fs.renameSync(target, folder);
		} finally {
			fs.rmSync(scratch, { recursive: true, force: true });
		}
		console.log(`Installed ${what} in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
	});
}
