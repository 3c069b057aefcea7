import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { cache, root } from './folders.mjs';
import { withLock } from './lock.mjs';
import { npm } from './npm.mjs';

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean }>} Packages */

/**
 * Installs the node_modules of a folder when they are missing or not what its package-lock.json says.
 * @param {string} [folder]
 */
export async function ensureDependencies(folder = root) {
	if (installed(folder)) {
		return;
	}
	await withLock(path.join(cache, 'install.lock'), 'installing', async () => {
		if (!installed(folder)) {
			console.log('Installing packages (npm ci) …');
			await npm(['ci', '--loglevel=error'], { cwd: folder, show: true });
			fs.writeFileSync(stampFile(folder), stamp(folder));
		}
	});
}

/**
 * Returns the path of the stamp file. An install begins by removing node_modules and the stamp with it, so that an
 * interrupted install is noticed.
 * @param {string} folder
 */
function stampFile(folder) {
	return path.join(folder, 'node_modules', '.errand-installed');
}

/** @param {string} folder */
function stamp(folder) {
	const hash = createHash('sha256');
	for (const name of ['package.json', 'package-lock.json']) {
		hash.update(fs.readFileSync(path.join(folder, name)));
	}
	return hash.digest('hex');
}

/** @param {string} folder */
function installed(folder) {
	const file = stampFile(folder);
	return asLocked(folder) || (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === stamp(folder));
}

/**
 * Checks an installation that was made by hand: it is also right if npm's own record of it, which npm writes last,
 * agrees with the lockfile.
 * @param {string} folder
 */
function asLocked(folder) {
	const wanted = packagesOf(path.join(folder, 'package-lock.json'));
	const present = packagesOf(path.join(folder, 'node_modules', '.package-lock.json'));
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
