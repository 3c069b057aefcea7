import assert from 'node:assert/strict';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { workFolderOf } from '../../../../src/service/stateFolder.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';

describe('the folder that agents work in', function () {
	this.timeout(30_000);
	let folder: string;
	let state: string;
	let work: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-work-'));
		state = path.join(folder, 'state');
		work = workFolderOf(state);
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const refusal = async () => {
		const { line, stderr, code } = await ServiceProcess.startToEnd(['--data', state]);
		assert.equal(line, undefined);
		assert.equal(code, 1);
		return stderr;
	};

	it('lies beside the data and not in them, is closed to others, and goes with the service', async () => {
		assert.equal(path.dirname(work), path.dirname(state));
		await mkdir(work, { mode: 0o755 });
		await chmod(work, 0o755);
		await writeFile(path.join(work, 'left-by-a-crash'), '');
		const service = await ServiceProcess.start({ stateFolder: state });
		try {
			assert.equal((await lstat(state)).mode & 0o777, 0o700);
			assert.ok(!(await readdir(state)).includes('tasks'));
			const names = await readdir(work).catch((): string[] => []);
			assert.ok(!names.includes('left-by-a-crash'));
			assert.equal((await service.fetch('/api/tasks', { json: { prompt: 'x', repoUrl: folder } })).status, 400);
			assert.equal((await lstat(work)).mode & 0o777, 0o700);
			assert.deepEqual(await readdir(work), []);
		} finally {
			await service.stop();
		}
		await assert.rejects(lstat(work), { code: 'ENOENT' });
	});

	it('is refused when it is a link, no folder, or of another user', async () => {
		const elsewhere = path.join(folder, 'elsewhere');
		await mkdir(elsewhere);
		await writeFile(path.join(elsewhere, 'precious'), '');
		await symlink(elsewhere, work);
		assert.match(await refusal(), /state-work is a symbolic link/);
		assert.deepEqual(await readdir(elsewhere), ['precious']);
		await rm(work);
		await writeFile(work, '');
		assert.match(await refusal(), /state-work (?:cannot be made|is not a folder)/);
		if (process.getuid?.() === 0) {
			await rm(work);
			await mkdir(work);
			await chown(work, 12_345, 12_345);
			assert.match(await refusal(), /state-work belongs to another user/);
		}
	});
});
