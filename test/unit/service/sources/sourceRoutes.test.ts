import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { controlPaths } from '../../../../src/contract/control.ts';
import { WORK_MARKER, workFolderOf } from '../../../../src/service/stateFolder.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { createTask, errorOf, finalTask } from '../helpers.ts';

describe('the look-ups', () => {
	let stateFolder: string;
	let service: ServiceProcess;
	let repository: TemporaryRepository;
	let owner: string;

	// One service for all, as a repository that is gone after its test is not known any more.
	before(async () => {
		stateFolder = await mkdtemp(path.join(os.tmpdir(), 'errand-sources-'));
		service = await ServiceProcess.start({ stateFolder });
	});
	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		owner = path.basename(repository.folder);
	});
	afterEach(() => repository.remove());
	after(async () => {
		await service.stop();
		await rm(stateFolder, { recursive: true, force: true });
		await rm(workFolderOf(stateFolder), { recursive: true, force: true });
	});

	const name = (...folders: string[]) => service.fetch(controlPaths.repositories, { json: { folders } });
	async function ask<T = unknown>(target: string): Promise<T> {
		const response = await service.fetch(`/api/local/${target}`);
		const text = await response.text();
		assert.equal(response.status, 200, text);
		return JSON.parse(text) as T;
	}
	async function refused(target: string, status: number): Promise<string> {
		const response = await service.fetch(`/api/local/${target}`);
		assert.equal(response.status, status);
		const body = (await response.json()) as { error: string; message: string; status: number };
		assert.deepEqual(Object.keys(body).sort(), ['error', 'message', 'status']);
		assert.equal(body.status, status);
		assert.ok(body.error);
		return body.message;
	}
	const branches = (repo = 'repository') => `branches?owner=${owner}&repo=${repo}`;

	it('know nothing at first', async () => {
		assert.deepEqual(await ask('orgs'), []);
		assert.deepEqual(await ask('repos?owner=anybody'), []);
	});

	it('know the repositories that a window has named, also after a new start', async () => {
		assert.deepEqual(await (await name(repository.path)).json(), { named: 1 });
		const expected = [{ login: owner, name: owner, avatar_url: '' }];
		assert.deepEqual(await ask('orgs'), expected);
		await service.crash();
		service = await ServiceProcess.start({ stateFolder });
		assert.deepEqual(await ask('orgs'), expected);
	});

	it('know the repositories of tasks; a record has every documented field, and its address is one for a task', async () => {
		const { id } = await createTask(service, { prompt: 'x', repoUrl: pathToFileURL(repository.path).href });
		const task = await finalTask(service, id);
		const [record, ...others] = await ask<Record<string, unknown>[]>(`repos?owner=${owner}`);
		assert.deepEqual(others, []);
		const { updated_at: updated, clone_url: address, ...rest } = record ?? {};
		assert.deepEqual(rest, {
			name: 'repository',
			full_name: `${owner}/repository`,
			description: null,
			private: true,
			language: null,
		});
		assert.equal(new Date(String(updated)).toISOString(), updated);
		assert.equal(fileURLToPath(String(address)), repository.path);
		const again = await createTask(service, { prompt: 'y', repoUrl: address });
		assert.equal((await finalTask(service, again.id)).status, 'completed');
		const listed = await ask<{ name: string; protected: boolean; isDefault: boolean }[]>(branches());
		assert.ok(listed.some(branch => branch.name === task.branchName));
	});

	it('list the branches, which of them HEAD is on, and leave nothing behind', async () => {
		await name(repository.path);
		await repository.git('branch', 'feature/über');
		await repository.git('tag', 'v1');
		assert.deepEqual(await ask(branches()), [
			{ name: 'feature/über', protected: false, isDefault: false },
			{ name: 'main', protected: false, isDefault: true },
		]);
		await repository.git('checkout', '--quiet', '--detach');
		assert.ok((await ask<{ isDefault: boolean }[]>(branches())).every(({ isDefault }) => !isDefault));
		assert.deepEqual(await readdir(workFolderOf(service.stateFolder)), [WORK_MARKER]);
	});

	it('give no branches of a repository without a commit', async () => {
		const empty = await TemporaryRepository.create({ empty: true });
		try {
			await name(empty.path);
			assert.deepEqual(await ask(`branches?owner=${path.basename(empty.folder)}&repo=repository`), []);
		} finally {
			await empty.remove();
		}
	});

	it('say which parameter is missing', async () => {
		assert.match(await refused('repos', 400), /owner is missing/);
		assert.match(await refused('repos?owner=%20', 400), /owner is missing/);
		assert.match(await refused('branches?repo=x', 400), /owner is missing/);
		assert.match(await refused('branches?owner=x', 400), /repo is missing/);
	});

	it('answer 404 to a repository that is not known, or is not there any more', async () => {
		assert.match(await refused(branches(), 404), /not found or no access/);
		await name(repository.path);
		assert.match(await refused(branches('other'), 404), /not found or no access/);
		await rm(repository.path, { recursive: true });
		assert.match(await refused(branches(), 404), /not found or no access/);
		assert.deepEqual(await ask('orgs'), []);
	});

	it('answer 502 with a sentence where git cannot read the repository', async () => {
		await name(repository.path);
		await writeFile(path.join(repository.path, '.git', 'config'), '[this is no configuration');
		assert.match(await refused(branches(), 502), /git cannot read the repository: .*config/);
	});

	it('are not answered without the token, nor for another host', async () => {
		for (const target of ['orgs', 'repos?owner=x', branches()]) {
			const response = await service.fetch(`/api/local/${target}`, { headers: { authorization: 'Bearer wrong' } });
			assert.equal(response.status, 401);
			assert.equal(((await response.json()) as { status: number }).status, 401);
		}
		assert.equal((await service.fetch('/api/remote/orgs')).status, 404);
	});

	it('take no name of a folder that a task would not take', async () => {
		for (const [folders, reason] of [
			[['relative'], /^folders: only the absolute path/],
			[['https://example.com/a'], /^folders: .*network address/],
			[['//host/share'], /^folders: network shares/],
			[[''], /^folders\[0\]/],
			[[], /^folders/],
			[Array(201).fill('/x'), /^folders/],
		] as const) {
			assert.match(await errorOf(await name(...folders), 400), reason);
		}
		const unknown = await service.fetch(controlPaths.repositories, { json: { folders: ['/x'], more: 1 } });
		assert.match(await errorOf(unknown, 400), /more/);
		assert.deepEqual(await ask('orgs'), []);
	});

	it('run nothing of a repository that they list', async () => {
		const marker = path.join(repository.folder, 'marker');
		await mkdir(path.join(repository.path, '.git', 'hooks'), { recursive: true });
		await repository.git('config', 'core.fsmonitor', `touch ${marker}`);
		await repository.git('config', 'uploadpack.packObjectsHook', `touch ${marker}`);
		await repository.git('config', 'core.alternateRefsCommand', `touch ${marker}`);
		await name(repository.path);
		await ask(`repos?owner=${owner}`);
		await ask(branches());
		assert.ok(!(await readdir(repository.folder)).includes('marker'));
	});

	// It damages the data of the service, so it comes last.
	it('answer 500 where the data cannot be read', async () => {
		const { DatabaseSync } = await import('node:sqlite');
		const database = new DatabaseSync(path.join(stateFolder, 'state.sqlite'));
		database.exec('DROP TABLE namedFolders');
		database.close();
		assert.match(await refused('orgs', 500), /failed at this request/);
	});
});
