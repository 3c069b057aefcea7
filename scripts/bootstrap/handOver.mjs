import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { ensureDependencies } from './dependencies.mjs';
import { root } from './folders.mjs';
import { ensureNode, neededNode } from './node.mjs';

/**
 * Installs what is missing, then runs a script on the project's own Node and exits with the script's exit code.
 * @param {string} script inside scripts/
 * @param {{ onFailedSetup?: () => void }} [options]
 */
export async function handOver(script, { onFailedSetup } = {}) {
	try {
		// An older Node is enough to install the project's own.
		if (Number(process.versions.node.split('.')[0]) < 20) {
			throw new Error(`Node ${neededNode()} or newer is needed; this is ${process.versions.node}.`);
		}
		await ensureDependencies();
		const node = await ensureNode();
		process.exitCode = await runScript(node, path.join(root, 'scripts', script));
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		onFailedSetup?.();
		process.exitCode = 1;
	}
}

/**
 * @param {string} node
 * @param {string} script
 * @returns {Promise<number>}
 */
function runScript(node, script) {
	// The IPC channel tells the script that its launcher is gone, even if the launcher was killed.
	const child = spawn(node, ['--disable-warning=ExperimentalWarning', script, ...process.argv.slice(2)], {
		cwd: root,
		stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
	});
	for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
		process.on(signal, () => child.kill(signal));
	}
	// npm runs scripts through a shell that does not pass on a SIGTERM. The only sign of the signal is that the shell has
	// gone.
	const parent = process.ppid;
	const watch = setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500);
	return new Promise((resolve, reject) => {
		child.on('error', reject);
		child.on('exit', (code, signal) => {
			clearInterval(watch);
			resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
		});
	});
}
