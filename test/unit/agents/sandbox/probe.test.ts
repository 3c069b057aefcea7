import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProgram, readHost } from '../../../../src/agents/sandbox/host.ts';
import { remembered, trySandbox } from '../../../../src/agents/sandbox/probe.ts';
import type { SandboxStatus } from '../../../../src/contract/agents.ts';
import { ManualClock } from '../../../support/manualClock.ts';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), 'errand-probe-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the sandbox of this machine', () => {
	before(function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
	});

	/** A stand-in for bubblewrap that ends at once with a message. */
	function failing(message: string): ReturnType<typeof readHost> {
		const program = path.join(folder, 'bwrap');
		writeFileSync(program, `#!/bin/sh\ncat >&2 <<'END'\n${message}\nEND\nexit 1\n`);
		chmodSync(program, 0o755);
		const host = readHost();
		return { ...host, missing: [], programs: { ...host.programs, bwrap: program } };
	}

	it('is not installed where a program of it is missing, which is named', async () => {
		const status = await trySandbox(readHost([folder]));
		assert.equal(status.works, false);
		assert.equal(status.problem, 'not-installed');
		assert.match(status.detail ?? '', /^Not found: bwrap, prlimit, /);
	});

	it('needs setpriv only where this process is root', () => {
		assert.equal(readHost([folder]).missing.includes('setpriv'), process.getuid?.() === 0);
	});

	it('is not permitted where it cannot be started, with the first line that was printed', async () => {
		const host = failing('\nbwrap: setting up uid map: \u001b[31mPermission denied\nmore');
		assert.deepEqual(await trySandbox(host, folder), {
			works: false,
			problem: 'not-permitted',
			detail: 'bwrap: setting up uid map: Permission denied',
		});
		const { detail } = await trySandbox(failing('x'.repeat(100_000)));
		assert.ok(detail && detail.length <= 200);
	});

	/** Has the files of a machine in the folder, and returns what is told to forbid the sandbox there. */
	async function forbiddenWith(files: Record<string, string>) {
		const root = mkdtempSync(path.join(folder, 'root-'));
		for (const [name, content] of Object.entries(files)) {
			mkdirSync(path.join(root, 'proc', path.dirname(name)), { recursive: true });
			writeFileSync(path.join(root, 'proc', name), `${content}\n`);
		}
		const status = await trySandbox(failing('bwrap: setting up uid map: Permission denied'), root);
		assert.equal(status.problem, 'not-permitted');
		return status.forbidden;
	}

	const APPARMOR = 'sys/kernel/apparmor_restrict_unprivileged_userns';

	it('is forbidden by AppArmor on Ubuntu 24.04, with the command that gives bubblewrap a profile', async () => {
		for (const confinement of ['unconfined', 'code (unconfined)']) {
			const found = await forbiddenWith({ [APPARMOR]: '1', 'self/attr/current': confinement });
			assert.equal(found?.setting, 'kernel.apparmor_restrict_unprivileged_userns');
			const [print = '', ...others] = found?.command.split(' | ') ?? [];
			assert.deepEqual(others, ['sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser -r /etc/apparmor.d/bwrap']);
			const profile = execFileSync('/bin/sh', ['-c', print], { encoding: 'utf8' });
			assert.deepEqual(profile.split('\n'), [
				'abi <abi/4.0>,',
				'include <tunables/global>',
				`profile bwrap ${path.join(folder, 'bwrap')} flags=(unconfined) {`,
				'  userns,',
				'}',
				'',
			]);
		}
	});

	it('is forbidden by a setting of the kernel, with the command that changes it', async () => {
		for (const [file, line] of [
			['sys/kernel/unprivileged_userns_clone', 'kernel.unprivileged_userns_clone = 1'],
			['sys/user/max_user_namespaces', 'user.max_user_namespaces = 15000'],
		] as const) {
			const found = await forbiddenWith({ [file]: '0', [APPARMOR]: '1' });
			assert.equal(found?.setting, line.split(' ')[0]);
			assert.ok(found?.command.startsWith(`echo '${line}' | sudo tee `), found?.command);
		}
	});

	it('is not said to be forbidden by what is off, or does not hold in a container with a profile of its own', async () => {
		assert.equal(await forbiddenWith({}), undefined);
		assert.equal(await forbiddenWith({ [APPARMOR]: '0', 'sys/user/max_user_namespaces': '63432' }), undefined);
		const inContainer = { [APPARMOR]: '1', 'self/attr/current': 'docker-default (enforce)' };
		assert.equal(await forbiddenWith(inContainer), undefined);
	});

	it('is to be installed anew where it is too old', async () => {
		const status = await trySandbox(failing('bwrap: Unknown option --disable-userns'));
		assert.equal(status.problem, 'not-installed');
		assert.match(status.detail ?? '', /0\.8 or newer/);
	});

	it('leaves no folder behind', async () => {
		const count = () =>
			readdirSync(os.tmpdir()).filter(
				name => name.startsWith('errand-sandbox-') && existsSync(path.join(os.tmpdir(), name, 'tmp')),
			).length;
		const before = count();
		await trySandbox(failing('no'));
		assert.ok(count() <= before);
	});

	it('is looked for in folders of the system, never on PATH', () => {
		writeFileSync(path.join(folder, 'bwrap'), '');
		chmodSync(path.join(folder, 'bwrap'), 0o755);
		const before = process.env['PATH'];
		process.env['PATH'] = folder;
		try {
			assert.notEqual(findProgram(['bwrap']), path.join(folder, 'bwrap'));
		} finally {
			process.env['PATH'] = before;
		}
	});
});

describe('what is known about the sandbox', () => {
	it('is found out once for callers at the same time, and remembered: long if it works, shortly if not', async () => {
		const clock = new ManualClock();
		let status: SandboxStatus = { works: false, problem: 'not-permitted' };
		let tries = 0;
		const probe = remembered(async () => {
			tries += 1;
			return status;
		}, clock);
		assert.deepEqual(await Promise.all([probe(), probe(), probe()]), [status, status, status]);
		assert.equal(tries, 1);
		clock.pass(4_000);
		await probe();
		assert.equal(tries, 1);
		clock.pass(2_000);
		status = { works: true };
		assert.deepEqual(await probe(), { works: true });
		clock.pass(9 * 60_000);
		await probe();
		assert.equal(tries, 2);
		clock.pass(2 * 60_000);
		await probe();
		assert.equal(tries, 3);
	});
});
