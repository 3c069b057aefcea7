import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
	emptyFilters,
	type FoundSetting,
	filtersOf,
	findTransportProgram,
	findUnsafeName,
	LIST_SETTINGS,
	ownFiltersOf,
	readSettings,
	STAGING,
	settingsEnvironment,
	withoutHooks,
} from '../../../src/base/gitConfiguration.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';

const run = promisify(execFile);

describe('the settings by which git would run a program', () => {
	let repository: TemporaryRepository;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
	});
	afterEach(() => repository.remove());

	const git = async (args: readonly string[], env: Readonly<Record<string, string>>) =>
		(await run('git', args, { cwd: repository.path, env: { ...process.env, HOME: repository.folder, ...env } })).stdout;

	async function list(): Promise<FoundSetting[]> {
		return readSettings(await git(LIST_SETTINGS.args, LIST_SETTINGS.env)) ?? assert.fail('not read');
	}

	const configure = (text: string) => appendFile(path.join(repository.path, '.git', 'config'), text);

	it('are read with the file that they stand in and with whose it is, whatever they are called', async () => {
		await appendFile(path.join(repository.folder, '.gitconfig'), '[hook "mine"]\n\tevent = pre-push\n');
		await configure('[hook "a.b\\"c\nd = e"]\n'.replace('\n', ' '));
		await configure('\tevent = update\n\tcommand = "one\\ntwo"\n\tparallel\n[hook]\n\tjobs = 2\n');
		const found = (await list()).filter(({ key }) => key.startsWith('hook.'));
		assert.deepEqual(
			found.map(({ scope, key, value }) => [scope, key, value]),
			[
				['global', 'hook.mine.event', 'pre-push'],
				['local', 'hook.a.b"c d = e.event', 'update'],
				['local', 'hook.a.b"c d = e.command', 'one\ntwo'],
				['local', 'hook.a.b"c d = e.parallel', ''],
				['local', 'hook.jobs', '2'],
			],
		);
		assert.equal(found.at(-1)?.file, path.join('.git', 'config'));
		assert.deepEqual(withoutHooks(found), [
			['hook.mine.enabled', 'false'],
			['hook.a.b"c d = e.enabled', 'false'],
		]);
		assert.equal(findUnsafeName(found, 'hook')?.name, 'a.b"c d = e');
		assert.equal(findUnsafeName(found, 'filter'), undefined);
	});

	it('are switched off last, whatever else is said', async () => {
		await configure('[hook "x"]\n\tenabled = true\n[filter "y"]\n\tclean = cat\n\trequired = true\n');
		const found = await list();
		const settings = settingsEnvironment([...withoutHooks(found), ...emptyFilters(filtersOf(found), false)]);
		const get = async (key: string) => (await git(['config', '--get', key], settings)).trim();
		assert.equal(await get('hook.x.enabled'), 'false');
		assert.equal(await get('filter.y.clean'), '');
		assert.equal(await get('filter.y.required'), 'false');
	});

	it('are the repository’s own only where its own files or those that these include say so', async () => {
		const text = (name: string) => `[filter "${name}"]\n\tclean = cat\n\trequired = true\n`;
		await appendFile(path.join(repository.folder, '.gitconfig'), `${text('user')}[core]\n\tsshCommand = mine\n`);
		await appendFile(path.join(repository.folder, 'included'), text('included'));
		await configure(`${text('local')}[include]\n\tpath = ${path.join(repository.folder, 'included')}\n`);
		const found = await list();
		assert.deepEqual(
			ownFiltersOf(found, STAGING).map(({ name }) => name),
			['local', 'included'],
		);
		assert.deepEqual(filtersOf(found), ['user', 'local', 'included']);
		assert.equal(findTransportProgram(found, 'origin'), undefined);
		await configure('[core]\n\tsshCommand = theirs\n');
		assert.equal(findTransportProgram(await list(), 'origin')?.value, 'theirs');
	});

	it('are not taken for read where git did not take ours', () => {
		assert.equal(readSettings(''), undefined);
		assert.equal(readSettings('local\0file:.git/config\0hook.x.event\nupdate\0'), undefined);
	});
});
