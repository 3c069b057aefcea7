import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemCallFilter } from '../../src/agents/sandbox/systemCalls.ts';
import { outcomeOf } from '../support/sandbox.ts';
import { processesWith } from '../support/sandboxProcesses.ts';
import { waitFor } from '../support/waitFor.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const USER = 61_001;
const SECRET = 'the-secret-of-the-user-77ac';

/** The same for a service that no root started: as another user where the tests run as root. */
describe('a sandbox that an ordinary user starts', () => {
	const isRoot = process.getuid?.() === 0;
	let folder: string;
	let home: string;

	before(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-sandbox-user-'));
		home = path.join(folder, 'home');
		await mkdir(path.join(home, '.ssh'), { recursive: true });
		await mkdir(path.join(folder, 'state'));
		await writeFile(path.join(home, '.ssh', 'id'), SECRET);
		// The project may lie in a folder that the other user cannot read.
		for (const part of [
			'src/base',
			'src/agents/sandbox',
			'test/support/sandbox.ts',
			'test/support/startSandboxed.ts',
		]) {
			await cp(path.join(ROOT, part), path.join(folder, 'project', part), { recursive: true });
		}
		await mkdir(path.join(folder, 'node'));
		await copyFile(process.execPath, path.join(folder, 'node', 'node'));
		if (isRoot) {
			execFileSync('chown', ['-R', `${USER}:${USER}`, folder]);
		}
	});
	after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

	/** Starts a command as that user. */
	function start(command: string, args: string[]) {
		const user = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
		const [program = '', ...rest] = [...(isRoot ? user : []), command, ...args];
		return spawn(program, rest, { cwd: folder, env: { PATH: process.env['PATH'] ?? '', HOME: home, MARK: SECRET } });
	}

	function startScript(script: string) {
		const program = path.join(folder, 'project/test/support/startSandboxed.ts');
		return start(path.join(folder, 'node', 'node'), [program, path.join(folder, 'state'), script]);
	}

	it('shows nothing of the user: files, processes, environment, network, privileges', async () => {
		const mark = `${randomInt(10 ** 8, 10 ** 9)}`;
		const own = start('sleep', [mark]);
		try {
			await once(own, 'spawn');
			const { output } = await outcomeOf(
				startScript(
					[
						`cat '${home}/.ssh/id' && echo "read the key"`,
						`ls -A '${folder}/state' && echo "read the state"`,
						'cat /etc/shadow /etc/machine-id && echo "read the system"',
						`touch /planted /usr/planted /etc/planted /dev/planted '${home}/planted' && echo "wrote"`,
						`kill -9 ${own.pid} && echo "killed"`,
						`cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep "^sleep ${mark}" && echo "saw the process"`,
						`cat /proc/[0-9]*/environ | grep ${SECRET} && echo "saw the environment"`,
						'unshare --user true && echo "made a namespace"',
						'mount -t tmpfs none ~ && echo "mounted"',
						'echo x >/proc/sys/kernel/core_pattern && echo "changed the kernel"',
						"node -e \"require('net').connect(53, '1.1.1.1').on('error', () => process.exit(1)).on('connect', () => process.exit(0))\" && echo \"connected\"",
						'id -u; whoami; grep "^NoNewPrivs\\|^Seccomp:" /proc/self/status; touch mine && ls; touch /tmp/mine ~/mine && ls /tmp/mine',
						'echo all were tried',
					].join('\n'),
				),
			);
			assert.match(output, /1000\nagent\nNoNewPrivs:\s+1\nSeccomp:\s+\d\nmine\n\/tmp\/mine\nall were tried\n$/);
			if (systemCallFilter(process.arch) !== undefined) {
				// The number says that system calls are filtered.
				assert.match(output, /^Seccomp:\s+2$/m);
			}
			assert.doesNotMatch(
				output,
				new RegExp(`${SECRET}|read the|^wrote|^killed|saw the|made a|^mounted|changed|connected`, 'm'),
			);
			assert.equal(own.exitCode, null);
		} finally {
			own.kill('SIGKILL');
		}
	});

	it('is gone when the process that started it is killed', async () => {
		const mark = `${randomInt(10 ** 8, 10 ** 9)}`;
		for (let round = 0; round < 5; round += 1) {
			const child = startScript(`setsid sleep ${mark} </dev/null >/dev/null 2>&1 & echo ready; sleep ${mark}`);
			try {
				await waitFor('the daemon', async () => (await processesWith(`sleep\0${mark}`)).length > 1);
			} finally {
				child.kill('SIGKILL');
			}
			await waitFor('the end', async () => (await processesWith(mark)).length === 0);
		}
	});
});
