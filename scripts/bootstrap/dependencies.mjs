import fs from 'node:fs';
import path from 'node:path';
import { cache, root } from './folders.mjs';
import { withLock } from './lock.mjs';
import { npm } from './npm.mjs';

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean }>} Packages */

/** Installs node_modules when they are missing or not what package-lock.json says. */
export async function ensureDependencies() {
	if (installed()) {
		return;
	}
	await withLock(path.join(cache, 'install.lock'), 'installing', async () => {
		if (!installed()) {
			console.log('Installing packages (npm ci) …');
			await npm(['ci', '--loglevel=error'], { cwd: root, show: true });
		}
	});
}

/** npm writes its hidden lockfile last, so an interrupted install is seen as one. */
function installed() {
	const wanted = packagesOf(path.join(root, 'package-lock.json'));
	const present = packagesOf(path.join(root, 'node_modules', '.package-lock.json'));
	if (wanted === undefined) {
		throw new Error('package-lock.json is missing or broken. Restore it with git checkout package-lock.json.');
	}
	if (present === undefined) {
		return false;
	}
	const right = Object.entries(wanted).every(([name, { version, integrity, optional }]) => {
		const found = present[name];
		// Optional packages of other platforms are never installed.
		return name === '' || (found ? found.version === version && found.integrity === integrity : optional === true);
	});
	return right && Object.keys(present).every(name => name in wanted);
}

/**
 * @param {string} file
 * @returns {Packages | undefined}
 */
function packagesOf(file) {
	try {
		return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
	} catch {
		return undefined;
	}
}
