import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { outcomeOf, TestSandbox } from '../support/sandbox.ts';
import { processesWith } from '../support/sandboxProcesses.ts';
import { waitFor } from '../support/waitFor.ts';

const PROGRAM = path.join(import.meta.dirname, '../support/startSandboxed.ts');

describe('the end of a sandbox', () => {
	let sandbox: TestSandbox;
	let mark: string;
	/**
	 * A script that leaves processes behind in every possible way: in sessions of their own, without a parent, ignoring
	 * signals.
	 */
	let leaving: string;
	beforeEach(async () => {
		sandbox = await TestSandbox.create();
		mark = `${randomInt(10 ** 8, 10 ** 9)}`;
		leaving = [
			`sleep ${mark} &`,
			`setsid sleep ${mark} </dev/null >/dev/null 2>&1 &`,
			`setsid sh -c 'trap "" TERM HUP INT; (trap "" TERM HUP INT; exec sleep ${mark}) & wait' </dev/null >/dev/null 2>&1 &`,
			`(setsid sh -c 'setsid env -i sleep ${mark} &' </dev/null >/dev/null 2>&1 &)`,
			`nohup sleep ${mark} >/dev/null 2>&1 &`,
			'while [ "$(cat /proc/[0-9]*/comm | grep -c "^sleep")" -lt 5 ]; do sleep 0.1; done',
		].join('\n');
	});
	afterEach(async () => {
		for (const host of hosts.splice(0)) {
			host.kill('SIGKILL');
		}
		await sandbox.remove();
	});

	const hosts: ChildProcess[] = [];
	/** Starts a process that starts a sandbox. */
	function startHost(folder: string, script: string) {
		const host = spawn(process.execPath, [PROGRAM, folder, script]);
		hosts.push(host);
		return host;
	}

	const allGone = () => waitFor('the end of all processes', async () => (await processesWith(mark)).length === 0);

	it('comes when the program ends, with its exit code, and leaves no process', async () => {
		const { code } = await sandbox.run(`${leaving}\nexit 7`);
		assert.equal(code, 7);
		await allGone();
	});

	it('comes when the program is killed by a signal', async () => {
		const { code } = await sandbox.run(`${leaving}\nkill -9 $$`);
		assert.equal(code, 128 + 9);
		await allGone();
	});

	for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
		it(`comes with a ${signal} to the command's own process`, async () => {
			const child = await sandbox.start(`${leaving}\necho ready; trap '' TERM; while true; do sleep 1; done`);
			assert.ok(child.stdout);
			await once(child.stdout, 'data');
			assert.ok((await processesWith(`sleep\0${mark}`)).length >= 5);
			const ended = outcomeOf(child);
			child.kill(signal);
			await ended;
			await allGone();
		});
	}

	it('comes when the process that started it is killed', async () => {
		const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-sandbox-test-'));
		try {
			const child = startHost(folder, `${leaving}\necho ready; sleep ${mark}`);
			await once(child.stdout, 'data');
			assert.ok((await processesWith(`sleep\0${mark}`)).length >= 5);
			child.kill('SIGKILL');
			await allGone();
		} finally {
			await rm(folder, { recursive: true, force: true, maxRetries: 3 });
		}
	});

	it('comes when the process that started it is killed while the sandbox is being made', async () => {
		const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-sandbox-test-'));
		try {
			for (let round = 0; round < 8; round += 1) {
				const child = startHost(folder, `sleep ${mark}`);
				// The command's process is among the first that have the script on their command line.
				await waitFor('the command', async () => (await processesWith(`sleep ${mark}`)).length > 1);
				child.kill('SIGKILL');
				await allGone();
			}
		} finally {
			await rm(folder, { recursive: true, force: true, maxRetries: 3 });
		}
	});
});
