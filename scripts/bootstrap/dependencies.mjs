import { createHash } from 'node:crypto';
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
			fs.writeFileSync(stampFile, stamp());
		}
	});
}

/** Goes with node_modules when an install begins, so an interrupted one is seen as such. */
const stampFile = path.join(root, 'node_modules', '.errand-installed');

function stamp() {
	const hash = createHash('sha256');
	for (const name of ['package.json', 'package-lock.json']) {
		hash.update(fs.readFileSync(path.join(root, name)));
	}
	return hash.digest('hex');
}

function installed() {
	return asLocked() || (fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === stamp());
}

/** What was installed by hand is right, too, when npm's own record of it, written last, agrees with the lockfile. */
function asLocked() {
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
