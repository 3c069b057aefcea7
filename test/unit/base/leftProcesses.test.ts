import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { endLeftProcesses, identify } from '../../../src/base/leftProcesses.ts';
import { markedEnvironment } from '../../../src/base/processFamily.ts';
import { isAlive, waitFor } from '../../support/waitFor.ts';

const GRACE_MS = 5_000;
/** Other tests run at the same time. */
const MARKER = `left/${randomUUID()}`;

describe('a process that a killed process has left behind', () => {
	before(function () {
		if (process.platform === 'win32') {
			this.skip();
		}
	});
	const children: ChildProcess[] = [];
	afterEach(() => {
		for (const { pid } of children.splice(0)) {
			try {
				process.kill(-(pid ?? 0), 'SIGKILL');
			} catch {}
		}
	});

	/** Starts a line of shell in a group of its own. `ids` resolves with the ids that it prints first. */
	function start(line: string, marker?: string) {
		const env = { PATH: process.env['PATH'], ...(marker === undefined ? {} : markedEnvironment(marker)) };
		const child = spawn('/bin/sh', ['-c', line], { detached: true, env, stdio: ['ignore', 'pipe', 'ignore'] });
		children.push(child);
		// What nobody reads is dropped when the process ends, so reading begins at once.
		const ids = new Promise<number[]>(resolve => {
			child.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString().trim().split(' ').map(Number)));
		});
		return { ids, pid: child.pid ?? assert.fail('it was not started') };
	}

	it('is known by its id and the time of its start, which does not change', async () => {
		const { pid } = start('sleep 100');
		const identity = await identify(pid);
		assert.equal(identity?.pid, pid);
		assert.deepEqual(await identify(pid), identity);
		assert.notEqual((await identify(process.pid))?.start, identity?.start);
		assert.equal(await identify(2 ** 30), undefined);
	});

	it('is ended with its group, also what has no marker in it', async () => {
		const { ids, pid } = start('env -i sleep 100 & echo $!; sleep 100', MARKER);
		const [inner = 0] = await ids;
		await endLeftProcesses(await identify(pid), MARKER, GRACE_MS);
		assert.deepEqual(await Promise.all([pid, inner].map(isAlive)), [false, false]);
	});

	it('is ended with its group when its leader has ended before, if a process of it has the marker', async function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
		const { ids, pid } = start('env -i sleep 100 & one=$!; sleep 100 & echo $one $!; sleep 0.5', MARKER);
		const identity = await identify(pid);
		const inner = await ids;
		assert.equal(inner.length, 2);
		for (const id of inner) {
			// Before the program is there, its environment cannot be read.
			await waitFor('sleep', async () => (await readFile(`/proc/${id}/cmdline`, 'latin1')).startsWith('sleep'));
		}
		await waitFor('the end of the leader', async () => !(await isAlive(pid)));
		await endLeftProcesses(identity, MARKER, GRACE_MS);
		assert.deepEqual(await Promise.all(inner.map(isAlive)), [false, false]);
	});

	it('is not taken for another process that has got the same id, or for the group of that one', async () => {
		const { ids, pid } = start('sleep 100 & echo $!; sleep 100', `${MARKER}-other`);
		const [inner = 0] = await ids;
		const identity = await identify(pid);
		assert.ok(identity);
		await endLeftProcesses({ ...identity, start: `${identity.start} and later` }, MARKER, GRACE_MS);
		await endLeftProcesses(undefined, MARKER, GRACE_MS);
		assert.deepEqual(await Promise.all([pid, inner].map(isAlive)), [true, true]);
	});

	it('is not taken for a group whose leader has ended, where nothing tells whose it is', async () => {
		const { ids, pid } = start('sleep 100 & echo $!; sleep 0.5');
		const identity = await identify(pid);
		const [inner = 0] = await ids;
		await waitFor('the end of the leader', async () => !(await isAlive(pid)));
		await endLeftProcesses(identity, MARKER, GRACE_MS);
		assert.equal(await isAlive(inner), true);
	});
});
