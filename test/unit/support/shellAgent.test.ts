import assert from 'node:assert/strict';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openAgentSession } from '../../../src/agents/session/openAgentSession.ts';
import { childEnvironment } from '../../../src/base/childEnvironment.ts';
import { type RunningChild, startChild } from '../../../src/base/childProcess.ts';
import { nullLogger } from '../../../src/base/logger.ts';
import { shellAgentArguments } from '../../support/shellAgent.ts';
import { waitFor } from '../../support/waitFor.ts';

describe('the shell agent of the tests', () => {
	let folder: string;
	let child: RunningChild;
	let said: string;
	let errors: string;

	before(function () {
		if (process.platform === 'win32') {
			this.skip();
		}
	});
	beforeEach(async () => {
		folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'errand-shell-')));
		said = '';
		errors = '';
	});
	afterEach(async () => {
		await child.end();
		await rm(folder, { recursive: true, force: true });
	});

	async function open(line?: string) {
		const { signal } = new AbortController();
		const env = childEnvironment(process.env, {});
		child = startChild({
			command: process.execPath,
			args: shellAgentArguments(line),
			cwd: '/',
			env,
			signal,
			graceMs: 500,
		});
		child.stderr.on('data', bytes => {
			errors += bytes;
		});
		return await openAgentSession({
			child,
			folder,
			decide: () => ({ option: undefined }),
			onEvent: event => {
				said += event.type === 'message' ? event.text : '';
			},
			signal,
			logger: nullLogger,
		});
	}

	it('runs its line in the folder of the session, and passes on what it prints', async () => {
		const session = await open('pwd; cat; echo; printf last; echo oops >&2; touch made');
		assert.equal(await session.prompt('Do it'), 'end_turn');
		assert.equal(said, `${folder}\nDo it\nlast\n`);
		assert.deepEqual(await readdir(folder), ['made']);
		await waitFor('the standard error', () => errors === 'oops\n');
	});

	it('runs the prompt if it has no line', async () => {
		const session = await open();
		await session.prompt('echo one');
		await session.prompt('echo two');
		assert.equal(said, 'one\ntwo\n');
	});

	it('fails with the exit code, or with the signal', async () => {
		const session = await open();
		await assert.rejects(session.prompt('exit 7'), /The shell ended with exit code 7/);
		await assert.rejects(session.prompt('kill -9 $$'), /The shell ended with signal SIGKILL/);
	});

	it('ends the line when it is cancelled', async () => {
		const session = await open();
		const running = session.prompt('echo started; while true; do sleep 0.1; done');
		await waitFor('the line to start', () => said === 'started\n');
		await session.cancel();
		assert.equal(await running, 'cancelled');
	});

	it('does not wait for what the line leaves running', async () => {
		const session = await open();
		assert.equal(await session.prompt('sleep 1000 & echo started'), 'end_turn');
		assert.equal(said, 'started\n');
	});
});
