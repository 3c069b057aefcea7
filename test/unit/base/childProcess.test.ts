import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../src/base/childEnvironment.ts';
import { runChild, startChild } from '../../../src/base/childProcess.ts';
import { markedEnvironment, ProcessFamily } from '../../../src/base/processFamily.ts';
import { isAlive, waitFor } from '../../support/waitFor.ts';

describe('runChild', () => {
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

	it('gives the child what it reads from a further descriptor, whether it reads it or not', async () => {
		const furtherInput = Buffer.from([0, 1, 0, 255]);
		for (const script of ['od -An -tx1 <&3', 'echo " none"']) {
			const child = startChild({
				command: '/bin/sh',
				args: ['-c', script],
				cwd: folder,
				env: childEnvironment(process.env, {}),
				signal: new AbortController().signal,
				furtherInput,
			});
			output += await text(child.stdout);
			assert.deepEqual(await child.ended, { exitCode: 0 });
		}
		assert.equal(output, ' 00 01 00 ff\n none\n');
	});

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
		const module = JSON.stringify(path.resolve('src/base/childProcess.ts'));
		const script = path.join(folder, 'full.mjs');
		await writeFile(
			script,
			`import { openSync } from 'node:fs';
			import { runChild, startChild } from ${module};
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

describe('startChild', () => {
	const start = (source: string, signal = new AbortController().signal) =>
		startChild({
			command: process.execPath,
			args: ['-e', source],
			cwd: os.tmpdir(),
			env: childEnvironment(process.env, {}),
			signal,
			graceMs: 400,
		});

	it('speaks with the program in both directions, and resolves with its exit code', async () => {
		const child = start(`process.stdin.once('data', text => {
			process.stdout.write('got ' + text);
			process.stderr.write('and said so');
			process.exitCode = 3;
			process.stdin.destroy();
		});`);
		const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
		child.stdin.write('this');
		assert.deepEqual(await outputs, ['got this', 'and said so']);
		assert.deepEqual(await child.ended, { exitCode: 3 });
		await child.end();
	});

	it('ends a program that ignores the polite signal, however often it is asked', async () => {
		const child = start(`process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000);`);
		child.stderr.resume();
		const [pid] = (await once(child.stdout, 'data')) as [Buffer];
		await Promise.all([child.end(), child.end()]);
		assert.ok(!(await isAlive(Number(pid))));
		assert.deepEqual(await child.ended, { exitCode: undefined });
		await child.end();
	});

	it('ends the program when the signal aborts, and starts none after that', async () => {
		const controller = new AbortController();
		const child = start('setInterval(() => {}, 1000)', controller.signal);
		const reason = new Error('stopped');
		controller.abort(reason);
		assert.deepEqual(await child.ended, { exitCode: undefined });
		assert.throws(() => start('', controller.signal), reason);
	});

	it('rejects `ended` and has empty streams when there is no such program', async () => {
		const { signal } = new AbortController();
		const child = startChild({ command: '/nowhere/program', args: [], cwd: os.tmpdir(), env: {}, signal });
		child.stdin.write('nobody reads this');
		await assert.rejects(child.ended, { code: 'ENOENT' });
		await child.end();
	});

	it('gives what was written before the end to a reader that comes late', async () => {
		const child = start(`process.stdout.write('x'.repeat(60_000))`);
		child.stderr.resume();
		await once(child.stdout, 'readable');
		assert.equal((await text(child.stdout)).length, 60_000);
		assert.deepEqual(await child.ended, { exitCode: 0 });
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
