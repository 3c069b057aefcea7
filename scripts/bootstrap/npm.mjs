import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--ignore-scripts'];

/**
 * Runs npm, and prefers the one that started this process.
 * @param {string[]} args
 * @param {{ cwd: string, show?: boolean }} options `show` hands npm's own progress to the terminal
 * @returns {Promise<string>} its standard output
 */
export function npm(args, { cwd, show = false }) {
	const program = process.env['npm_execpath'];
	// npm is started on the Node that it already runs on, which may differ from ours.
	const node = process.env['npm_node_execpath'] ?? process.execPath;
	const [command, first] = program?.endsWith('.js') ? [node, [program]] : ['npm', []];
	const output = show ? 'inherit' : 'pipe';
	return new Promise((resolve, reject) => {
		const child = spawn(command, [...first, ...args, ...quiet], {
			cwd,
			stdio: ['ignore', output, output],
			shell: command === 'npm' && process.platform === 'win32',
		});
		let standard = '';
		let errors = '';
		child.stdout?.on('data', chunk => {
			standard += chunk;
		});
		child.stderr?.on('data', chunk => {
			errors += chunk;
		});
		child.on('error', error =>
			reject(new Error(`npm could not be started: ${error.message}. Install npm and try again.`)),
		);
		child.on('close', code => {
			if (code === 0) {
				resolve(standard);
			} else {
				const where = show ? 'Its lines above say why' : 'What it printed is below';
				const hint = `${where}. When that is the network, see that this machine reaches its npm registry; then run the same command again.`;
				reject(
					new Error(`npm ${args[0]} failed (exit code ${code}). ${hint}\n${errors.trim().slice(-2000)}`.trimEnd()),
				);
			}
		});
	});
}

/**
 * Fetches one package's archive into `folder` and checks it against its pinned hash.
 * @param {string} specifier name@version
 * @param {string} integrity
 * @param {string} folder
 * @returns {Promise<string>} path of the archive
 */
export async function fetchPackage(specifier, integrity, folder) {
	const packed = await npm(['pack', specifier, '--json', '--loglevel=error', '--pack-destination', folder], {
		cwd: folder,
	});
	const archive = path.join(folder, JSON.parse(packed)[0].filename);
	const actual = `sha512-${createHash('sha512').update(fs.readFileSync(archive)).digest('base64')}`;
	if (actual !== integrity) {
		throw new Error(
			`The registry's ${specifier} is not the one this project was written for (${actual}, expected ${integrity}). Nothing of it was run.`,
		);
	}
	return archive;
}

/**
 * Runs tar, which Debian, macOS and Windows all include.
 * @param {string[]} args
 * @returns {Promise<void>}
 */
export function tar(args) {
	return new Promise((resolve, reject) => {
		const child = spawn('tar', args, { stdio: ['ignore', 'ignore', 'pipe'] });
		let errors = '';
		child.stderr.on('data', chunk => {
			errors += chunk;
		});
		child.on('error', error =>
			reject(new Error(`tar could not be started: ${error.message}. Install tar and try again.`)),
		);
		child.on('close', code =>
			code === 0 ? resolve() : reject(new Error(`Unpacking failed (tar, exit code ${code}): ${errors.trim()}`)),
		);
	});
}
