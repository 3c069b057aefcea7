import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../../src/service/tasks/childEnvironment.ts';
import { runChild } from '../../../../src/service/tasks/childProcess.ts';
import { markedEnvironment, ProcessFamily } from '../../../../src/service/tasks/processFamily.ts';
import { isAlive, waitFor } from '../../../support/waitFor.ts';

describe('runChild', function () {
	this.timeout(30_000);
	let folder: string;
	let output = '';
	const pids: number[] = [];

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-child-'));
		output = '';
	});
	afterEach(async () => {
		for (const pid of pids.splice(0)) {
			if (await isAlive(pid)) {
				process.kill(pid, 'SIGKILL');
			}
		}
		await rm(folder, { recursive: true, force: true });
	});

	async function run(source: string, signal = new AbortController().signal, input?: string) {
		const script = path.join(folder, 'script.mjs');
		await writeFile(script, source);
		return await runChild({
			command: process.execPath,
			args: [script],
			cwd: folder,
			env: childEnvironment(process.env, {}),
			marker: 'task/0',
			signal,
			graceMs: 400,
			...(input === undefined ? {} : { input }),
			onOutput: (_, bytes) => {
				output += bytes.toString();
			},
		});
	}

	async function pidIn(name: string): Promise<number> {
		const pid = await waitFor(`the process of ${name}`, async () => {
			const text = await readFile(path.join(folder, name), 'utf8').catch(() => '');
			return text.endsWith('\n') && Number(text);
		});
		pids.push(pid);
		return pid;
	}

	/** A process that writes its id to a file and stays; `stubborn` ignores the polite signal. */
	const stay = (name: string, stubborn = false) => `
		import { writeFileSync } from 'node:fs';
		${stubborn ? "process.on('SIGTERM', () => {});" : ''}
		writeFileSync('${name}', process.pid + '\\n');
		setInterval(() => {}, 1000);
	`;

	/** `hidden`: with an environment that says nothing of where it comes from. */
	const start = (file: string, { detached = false, hidden = false } = {}) => `
		import { spawn } from 'node:child_process';
		const options = { stdio: 'inherit', detached: ${detached}, ${hidden ? 'env: {}' : ''} };
		spawn(process.execPath, ['${file}'], options).unref();
	`;

	it('gives the input, collects the output and returns the exit code', async () => {
		const source = `let text = ''; for await (const piece of process.stdin) text += piece; console.log('got ' + text); process.exitCode = 3;`;
		assert.deepEqual(await run(source, undefined, 'this'), { exitCode: 3 });
		assert.equal(output, 'got this\n');
	});

	it('goes on when the program does not read its input', async () => {
		assert.deepEqual(await run('process.exit(0)', undefined, 'x'.repeat(1024 * 1024)), { exitCode: 0 });
	});

	it('throws the system error when there is no such program', async () => {
		const { signal } = new AbortController();
		const options = { command: '/nowhere/program', args: [], cwd: folder, env: {}, signal };
		await assert.rejects(runChild(options), { code: 'ENOENT' });
	});

	it('ends a child and its grandchildren when aborted, also those that ignore the polite signal', async () => {
		await writeFile(path.join(folder, 'polite.mjs'), stay('polite'));
		await writeFile(path.join(folder, 'stubborn.mjs'), stay('stubborn', true));
		const source = `${start('polite.mjs')}
			spawn(process.execPath, ['stubborn.mjs'], { stdio: 'inherit' });
			process.on('SIGTERM', () => {});
			setInterval(() => {}, 1000);`;
		const controller = new AbortController();
		const running = run(source, controller.signal);
		const processes = await Promise.all([pidIn('polite'), pidIn('stubborn')]);
		const reason = new Error('stopped');
		const began = performance.now();
		controller.abort(reason);
		await assert.rejects(running, reason);
		assert.ok(performance.now() - began < 10_000);
		for (const pid of processes) {
			assert.ok(!(await isAlive(pid)), `process ${pid} is still there`);
		}
	});

	it('ends what a program leaves running when it ends by itself', async () => {
		await writeFile(path.join(folder, 'left.mjs'), stay('left'));
		const running = run(`${start('left.mjs')}
			import { existsSync } from 'node:fs';
			const timer = setInterval(() => { if (existsSync('left')) { clearInterval(timer); process.exit(0); } }, 10);`);
		const left = await pidIn('left');
		assert.deepEqual(await running, { exitCode: 0 });
		assert.ok(!(await isAlive(left)));
	});

	it('ends what has left the group, when the program ends and when it is aborted', async function () {
		if (process.platform !== 'linux') {
			// Nothing but /proc tells of it.
			this.skip();
		}
		await writeFile(path.join(folder, 'away.mjs'), stay('away', true));
		const source = start('away.mjs', { detached: true });
		const running = run(`${source}
			import { existsSync } from 'node:fs';
			const timer = setInterval(() => { if (existsSync('away')) { clearInterval(timer); process.exit(0); } }, 10);`);
		const away = await pidIn('away');
		assert.deepEqual(await running, { exitCode: 0 });
		assert.ok(!(await isAlive(away)));

		await rm(path.join(folder, 'away'));
		const controller = new AbortController();
		const stopped = run(`${source} setInterval(() => {}, 1000);`, controller.signal);
		const again = await pidIn('away');
		controller.abort(new Error('stopped'));
		await assert.rejects(stopped, /stopped/);
		assert.ok(!(await isAlive(again)));
	});

	it('does not touch a process that carries the marker of another task', async function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
		const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
			env: markedEnvironment('task/1'),
			stdio: 'ignore',
		});
		try {
			await run('console.log(1)');
			assert.ok(await isAlive(other.pid ?? 0));
			await new ProcessFamily(undefined, 'task/1').end(2_000);
			assert.ok(!(await isAlive(other.pid ?? 0)));
		} finally {
			other.kill('SIGKILL');
		}
	});

	it('does not wait for a process that got away and keeps the output open', async () => {
		await writeFile(path.join(folder, 'outside.mjs'), stay('outside'));
		const running = run(`${start('outside.mjs', { detached: true, hidden: true })}
			import { existsSync } from 'node:fs';
			const timer = setInterval(() => { if (existsSync('outside')) { clearInterval(timer); process.exit(0); } }, 10);`);
		await pidIn('outside');
		assert.deepEqual(await running, { exitCode: 0 });
	});

	it('throws the system error when no more files can be opened, and nothing else breaks', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const module = JSON.stringify(path.resolve('src/service/tasks/childProcess.ts'));
		const script = path.join(folder, 'full.mjs');
		await writeFile(
			script,
			`import { openSync } from 'node:fs';
			import { runChild } from ${module};
			try { for (;;) openSync('/dev/null'); } catch {}
			const options = { command: '/bin/true', args: [], cwd: '/', env: {}, signal: new AbortController().signal };
			await runChild(options).catch(error => process.stdout.write(error.code));`,
		);
		const limited = `ulimit -n 60; exec "${process.execPath}" "${script}"`;
		const { stdout } = await promisify(execFile)('/bin/sh', ['-c', limited]);
		assert.equal(stdout, 'EMFILE');
	});

	it('ends the child when its output cannot be taken, and throws why', async () => {
		await writeFile(path.join(folder, 'talker.mjs'), `${stay('talker')}; setInterval(() => console.log('x'), 5);`);
		const reason = new Error('no room');
		const running = runChild({
			command: process.execPath,
			args: ['talker.mjs'],
			cwd: folder,
			env: childEnvironment(process.env, {}),
			signal: new AbortController().signal,
			onOutput: () => {
				throw reason;
			},
		});
		const rejected = assert.rejects(running, reason);
		const pid = await pidIn('talker');
		await rejected;
		assert.ok(!(await isAlive(pid)));
	});

	it('does not start anything when aborted before', async () => {
		const reason = new Error('before');
		await assert.rejects(run(`console.log('ran')`, AbortSignal.abort(reason)), reason);
		assert.equal(output, '');
	});
});

describe('childEnvironment', () => {
	it('looks for programs in folders that are named in full only', () => {
		const folders = ['', '.', path.resolve('/usr/bin'), 'bin', '', path.resolve('/bin'), ''];
		const expected = [path.resolve('/usr/bin'), path.resolve('/bin')].join(path.delimiter);
		assert.deepEqual(childEnvironment({ PATH: folders.join(path.delimiter) }, {}), { PATH: expected });
	});

	it('passes what a program needs to run, and no secret of ours', () => {
		const environment = {
			PATH: '/bin',
			LANG: 'C.UTF-8',
			OPENAI_API_KEY: 'sk-secret',
			GIT_DIR: '/elsewhere',
			GIT_SSH_COMMAND: 'touch',
			SSH_AUTH_SOCK: '/agent',
			NODE_OPTIONS: '--require=/evil.js',
			LD_PRELOAD: '/evil.so',
			HOME: '/home/user',
			VSCODE_IPC_HOOK: '/hook',
			path: '/not/on/posix',
		};
		assert.deepEqual(childEnvironment(environment, { EXTRA: '1' }), { PATH: '/bin', LANG: 'C.UTF-8', EXTRA: '1' });
	});
});
