import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { tokenOfFile } from '../../../src/service/tokenFile.ts';
import { ServiceProcess } from '../../support/serviceProcess.ts';

describe('tokenOfFile', () => {
	let folder: string;
	let file: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-token-'));
		file = path.join(folder, 'token');
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const refuses = (reason: RegExp) =>
		assert.throws(() => tokenOfFile(file), { name: 'UserFacingError', message: reason });

	it('makes a file that only its owner can read, and keeps the token from then on', async () => {
		const token = tokenOfFile(file);
		assert.match(token, /^sk-errand-[\w-]{43}$/);
		assert.equal((await stat(file)).mode & 0o777, 0o600);
		assert.equal((await readFile(file, 'utf8')).trim(), token);
		assert.equal(tokenOfFile(file), token);
	});

	it('takes one that the user has made', async () => {
		await writeFile(file, `${'x'.repeat(40)}\n`, { mode: 0o400 });
		assert.equal(tokenOfFile(file), 'x'.repeat(40));
	});

	for (const mode of [0o640, 0o604, 0o620, 0o610]) {
		it(`refuses one of mode ${mode.toString(8)}, and does not close it silently`, async () => {
			tokenOfFile(file);
			await chmod(file, mode);
			refuses(/is open to other users\. Run chmod 600/);
			assert.equal((await stat(file)).mode & 0o777, mode);
		});
	}

	it('refuses a link, also one to nowhere, and makes nothing behind it', async () => {
		const target = path.join(folder, 'target');
		await symlink(target, file);
		refuses(/is a symbolic link/);
		await assert.rejects(stat(target));
		tokenOfFile(target);
		refuses(/is a symbolic link/);
	});

	it('refuses a folder, a pipe and a file of another user', async () => {
		file = folder;
		refuses(/is no token file/);
		file = path.join(folder, 'pipe');
		execFileSync('mkfifo', ['-m', '600', file]);
		refuses(/is no token file/);
		if (process.getuid?.() === 0) {
			file = path.join(folder, 'foreign');
			tokenOfFile(file);
			await chown(file, 12_345, 12_345);
			refuses(/belongs to another user/);
		}
	});

	it('refuses what is no token: too short, with spaces, too large', async () => {
		for (const text of [
			'',
			'short',
			`${'x'.repeat(40)} ${'y'.repeat(40)}`,
			'ü'.repeat(40),
			`${'x'.repeat(40)}\n${'y'.repeat(40)}`,
		]) {
			await writeFile(file, text, { mode: 0o600 });
			refuses(/holds no token/);
		}
		await writeFile(file, 'x'.repeat(5_000));
		refuses(/is no token file/);
	});

	it('says that the folder is not there', () => {
		file = path.join(folder, 'gone', 'token');
		refuses(/cannot be made \(.*ENOENT/);
	});

	it('gives the service its token, which stays the same after a new start; a bad one ends the start', async () => {
		const data = path.join(folder, 'data');
		for (let round = 0; round < 2; round++) {
			const { line, code } = await ServiceProcess.startToEnd([
				'--data',
				data,
				'--token-file',
				file,
				'--idle-seconds',
				'0.2',
			]);
			assert.ok(line?.ready);
			assert.equal(code, 0);
		}
		const token = tokenOfFile(file);
		const service = await ServiceProcess.start({ stateFolder: data });
		assert.notEqual(service.token, token);
		await service.stop();
		await chmod(file, 0o644);
		const { line, stderr, code } = await ServiceProcess.startToEnd(['--data', data, '--token-file', file]);
		assert.equal(line, undefined);
		assert.equal(code, 1);
		assert.match(stderr, /is open to other users/);
		assert.ok(!stderr.includes(token));
	});
});
