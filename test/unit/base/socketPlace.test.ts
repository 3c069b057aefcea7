import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { newSocketFolder, socketPlaceFor } from '../../../src/base/socketPlace.ts';

const MODULE = JSON.stringify(new URL('../../../src/base/socketPlace.ts', import.meta.url).href);

/** A program that listens in a folder of its own until it is killed. */
const PROGRAM = `
	import { createServer } from 'node:net';
	import { newSocketFolder } from ${MODULE};
	const folder = await newSocketFolder();
	createServer().listen(folder + '/a.sock', () => console.log(folder));
`;

describe('the place of a socket', () => {
	const usual = process.env['TMPDIR'];
	let folder: string;
	let listening: Server[];

	beforeEach(function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		folder = mkdtempSync(path.join(os.tmpdir(), 'place-'));
		process.env['TMPDIR'] = folder;
		listening = [];
	});
	afterEach(() => {
		if (usual === undefined) {
			delete process.env['TMPDIR'];
		} else {
			process.env['TMPDIR'] = usual;
		}
		for (const server of listening) {
			server.close();
		}
		rmSync(folder, { recursive: true, force: true });
	});

	it('is where it is wanted, without what a crash has left there', async () => {
		const file = path.join(folder, 'a.sock');
		writeFileSync(file, '');
		assert.deepEqual(await socketPlaceFor(file), { place: file });
		assert.equal(existsSync(file), false);
	});

	it('is a folder that no other user can open, if its path would be too long, in bytes', async () => {
		const made = await socketPlaceFor(path.join(folder, 'ä'.repeat(50), 'a.sock'));
		assert.ok(made.folder);
		assert.equal(made.place, path.join(made.folder, 'a.sock'));
		assert.equal(statSync(made.folder).mode & 0o777, 0o700);
	});

	async function startProgram() {
		const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
		const [line] = await once(child.stdout, 'data');
		const kill = async () => {
			const ended = once(child, 'exit');
			child.kill('SIGKILL');
			await ended;
		};
		return { pid: child.pid, made: String(line).trim(), kill };
	}

	it('is not kept for a program that was killed, once another one needs a place', async () => {
		const first = await startProgram();
		const second = await startProgram();
		try {
			await first.kill();
			assert.ok(existsSync(first.made), 'a killed program removes nothing');
			const own = await newSocketFolder();
			assert.deepEqual([first.made, second.made, own].map(existsSync), [false, true, true]);
		} finally {
			await second.kill();
		}
	});

	it('is left alone where somebody listens, has put something else or is another user', async () => {
		const { pid, made, kill } = await startProgram();
		await kill();
		const named = (end: string) => path.join(folder, `errand-${pid}-${end}`);
		const used = named('isused');
		const mixed = named('mixed1');
		const empty = named('empty1');
		for (const one of [used, mixed, empty]) {
			mkdirSync(one);
		}
		listening.push(createServer().listen(path.join(used, 'a.sock')));
		writeFileSync(path.join(mixed, 'notes.txt'), '');
		writeFileSync(named('afile1'), '');
		const isRoot = process.getuid?.() === 0;
		if (isRoot) {
			chownSync(made, 65_534, 65_534);
		}
		await newSocketFolder();
		const kept = [used, mixed, empty, named('afile1'), ...(isRoot ? [made] : [])];
		assert.deepEqual(
			kept.filter(one => !existsSync(one)),
			[],
		);
	});
});
