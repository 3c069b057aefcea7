import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { DISCOVERY_FILE } from '../../../../src/contract/control.ts';
import { prepareWorkFolder, removeWorkFolder, WORK_MARKER, workFolderOf } from '../../../../src/service/stateFolder.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';

describe('the folder that agents work in', () => {
	let folder: string;
	let state: string;
	let work: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-work-'));
		state = path.join(folder, 'state');
		work = workFolderOf(state);
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const refusal = async (...args: string[]) => {
		const { line, stderr, code } = await ServiceProcess.startToEnd(['--data', state, ...args]);
		assert.equal(line, undefined);
		assert.equal(code, 1);
		return stderr;
	};

	/** A folder of the user's that has the name by chance, open as folders are. */
	async function makeUsersFolder(place: string): Promise<() => Promise<void>> {
		await mkdir(path.join(place, 'notes'), { recursive: true });
		await writeFile(path.join(place, 'notes', 'precious.txt'), 'precious');
		await writeFile(path.join(place, DISCOVERY_FILE), '{}');
		await chmod(place, 0o755);
		return async () => {
			assert.deepEqual((await readdir(place)).sort(), [DISCOVERY_FILE, 'notes']);
			assert.equal(await readFile(path.join(place, 'notes', 'precious.txt'), 'utf8'), 'precious');
			assert.equal((await lstat(place)).mode & 0o777, 0o755);
		};
	}

	/** Runs `run` with a port that another program has. */
	async function withTakenPort(run: (port: string) => Promise<void>): Promise<void> {
		const other = createServer().listen(0, '127.0.0.1');
		await once(other, 'listening');
		try {
			await run(String((other.address() as { port: number }).port));
		} finally {
			other.close();
		}
	}

	it('is refused when it holds what the service did not make, and left as it is', async () => {
		const assertUntouched = await makeUsersFolder(work);
		assert.match(await refusal(), /state-work holds files that the local service did not make/);
		await assertUntouched();
		// The refused start holds neither lock nor port: the next one says the same.
		assert.match(await refusal(), /state-work holds files that the local service did not make/);
		await assertUntouched();
	});

	it('is not touched by a start that fails as its port is taken', async () => {
		const assertUntouched = await makeUsersFolder(work);
		await withTakenPort(async port => {
			assert.match(await refusal('--port', port), new RegExp(`Port ${port} is taken`));
		});
		await assertUntouched();
		await rm(work, { recursive: true });
		await mkdir(work);
		await chmod(work, 0o755);
		await withTakenPort(async port => {
			assert.match(await refusal('--port', port), new RegExp(`Port ${port} is taken`));
		});
		assert.deepEqual(await readdir(work), []);
		assert.equal((await lstat(work)).mode & 0o777, 0o755);
	});

	it('is known for what it is also where a kill left it half removed', async () => {
		prepareWorkFolder(work);
		await mkdir(path.join(work, 'closed', 'inside'), { recursive: true });
		const removal = removeWorkFolder(work, async () => false);
		// What is there while it is removed is what a kill at that moment would leave.
		assert.ok((await readdir(work)).includes(WORK_MARKER));
		await removal;
		assert.deepEqual(await readdir(folder), []);
	});

	it('is left alone by a second service while the first one runs', async () => {
		const service = await ServiceProcess.start({ stateFolder: state });
		try {
			await writeFile(path.join(work, 'of-a-task'), '');
			const { line } = await ServiceProcess.startToEnd(['--data', state]);
			assert.ok(line && !line.ready);
			assert.ok((await readdir(work)).includes('of-a-task'));
		} finally {
			await service.stop();
		}
	});

	it('stays if another folder has taken its place while the service ran', async () => {
		const service = await ServiceProcess.start({ stateFolder: state });
		await rm(work, { recursive: true });
		const assertUntouched = await makeUsersFolder(work);
		await service.stop();
		await assertUntouched();
	});

	it('is no reason to take a folder of the user’s for the data', async () => {
		const assertUntouched = await makeUsersFolder(state);
		assert.match(await refusal(), /state holds files that the local service did not make/);
		await assertUntouched();
		await assert.rejects(lstat(work), { code: 'ENOENT' });
	});

	it('lies beside the data and not in them, is closed to others, and goes with the service', async () => {
		assert.equal(path.dirname(work), path.dirname(state));
		await mkdir(work, { mode: 0o755 });
		await chmod(work, 0o755);
		const crashing = await ServiceProcess.start({ stateFolder: state });
		await mkdir(path.join(work, 'left-by-a-crash', 'tree'), { recursive: true });
		await crashing.crash();
		const service = await ServiceProcess.start({ stateFolder: state });
		try {
			assert.equal((await lstat(state)).mode & 0o777, 0o700);
			assert.ok(!(await readdir(state)).includes('tasks'));
			const names = await readdir(work).catch((): string[] => []);
			assert.ok(!names.includes('left-by-a-crash'));
			assert.equal((await service.fetch('/api/tasks', { json: { prompt: 'x', repoUrl: folder } })).status, 400);
			assert.equal((await lstat(work)).mode & 0o777, 0o700);
			const [marker, ...others] = await readdir(work);
			assert.deepEqual(others, []);
			assert.match(await readFile(path.join(work, marker ?? ''), 'utf8'), /^Errand’s local service made this folder/);
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
