import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withHandedKey } from '../../../src/agent/keyHandover.ts';
import { AGENT_PROGRAM } from '../../support/programs.ts';

describe('the key that the agent hands over to itself', () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-handover-'));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	it('is read once, and its file is removed', () => {
		const own = path.join(folder, 'errand-agent-key-1');
		mkdirSync(own);
		const file = path.join(own, 'key');
		writeFileSync(file, 'sk-agent');
		assert.deepEqual(withHandedKey({ ERRAND_AGENT_KEY_FILE: file, HOME: '/home/me' }), {
			HOME: '/home/me',
			ERRAND_AGENT_KEY: 'sk-agent',
		});
		assert.equal(existsSync(own), false);
		assert.match(String(withHandedKey({ ERRAND_AGENT_KEY_FILE: file })), /could not be handed over .*Start the agent/);
	});

	it('is looked for nowhere where none was handed over', () => {
		const environment = { ERRAND_AGENT_KEY: 'sk-agent' };
		assert.equal(withHandedKey(environment), environment);
	});

	it('is left in no file where the program may not be started again', () => {
		// Node permits no program to be started then.
		const how = ['--disable-warning=ExperimentalWarning', '--permission', '--allow-fs-read=*', '--allow-fs-write=*'];
		const { stderr, status } = spawnSync(process.execPath, [...how, AGENT_PROGRAM, '--help'], {
			env: { TMPDIR: folder, ERRAND_AGENT_KEY: 'sk-agent' },
			encoding: 'utf8',
		});
		assert.equal(status, 0, stderr);
		assert.match(stderr, /^The key stays in the environment/);
		assert.deepEqual(readdirSync(folder), []);
	});

	it('is taken from no file of the user’s, which stays', () => {
		const file = path.join(folder, 'key');
		writeFileSync(file, 'sk-mine');
		assert.match(String(withHandedKey({ ERRAND_AGENT_KEY_FILE: file })), /is not for you to set/);
		assert.ok(existsSync(file));
	});
});
