import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { runGit as runServiceGit } from '../../../src/base/git.ts';
import {
	emptyFilters,
	type FoundSetting,
	filtersOf,
	findTransportProgram,
	findUnsafeName,
	LIST_SETTINGS,
	otherSide,
	ownFiltersOf,
	readSettings,
	STAGING,
	settingsEnvironment,
	withoutHooks,
} from '../../../src/base/gitConfiguration.ts';
import {
	runDirectoryGit,
	runGit,
	runGitWithIndex,
	runRemoteGit,
	runWorkTreeGit,
} from '../../../src/platform/gitCommand.ts';
import { sourceSide } from '../../../src/service/tasks/sourceSide.ts';
import { gitPrograms, pathWith } from '../../support/gitPrograms.ts';
import { RepositoryTrap } from '../../support/repositoryTrap.ts';
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

/** The settings that each git of Errand's has to have, whatever the repository's configuration says, by its own words. */
const EDITOR: Readonly<Record<string, string>> = {
	'core.hookspath': '/dev/null',
	'core.fsmonitor': 'false',
	'core.alternaterefscommand': 'true',
	'log.showsignature': 'false',
	'gc.auto': '0',
	'maintenance.auto': 'false',
	'receive.autogc': 'false',
	'diff.autorefreshindex': 'false',
};
const SERVICE: Readonly<Record<string, string>> = {
	'core.hookspath': '/dev/null',
	'core.fsmonitor': 'false',
	'core.untrackedcache': 'false',
	'core.alternaterefscommand': 'true',
	'core.pager': 'cat',
	'core.editor': 'true',
	'core.askpass': '',
	'credential.helper': '',
	'commit.gpgsign': 'false',
	'push.gpgsign': 'false',
	'tag.gpgsign': 'false',
	'protocol.ext.allow': 'never',
	'submodule.recurse': 'false',
	'fetch.recursesubmodules': 'false',
	'push.recursesubmodules': 'no',
	'diff.ignoresubmodules': 'all',
	'gc.auto': '0',
	'maintenance.auto': 'false',
	'receive.autogc': 'false',
	'receive.denydeletes': 'false',
	'receive.denynonfastforwards': 'false',
	'receive.denycurrentbranch': 'refuse',
	'receive.denydeletecurrent': 'refuse',
	'core.autocrlf': 'false',
	'advice.detachedhead': 'false',
};
const VARIABLES: Readonly<Record<string, string>> = {
	GIT_NO_LAZY_FETCH: '1',
	GIT_OPTIONAL_LOCKS: '0',
	GIT_TERMINAL_PROMPT: '0',
	GIT_NO_REPLACE_OBJECTS: '1',
	LC_ALL: 'C',
};

const LIST = ['config', '--null', '--list'];
/** Prints the environment that a program gets which git starts. */
const SHOW_VARIABLES = ['-c', 'alias.show-variables=!env -0', 'show-variables'];

for (const program of gitPrograms()) {
	describe(`a call of ${program.label} in a repository that sets everything otherwise`, () => {
		let trap: RepositoryTrap;
		let directory: string;

		beforeEach(async () => {
			trap = await RepositoryTrap.create();
			directory = trap.repository.path;
			for (const key of new Set([...Object.keys(EDITOR), ...Object.keys(SERVICE)])) {
				await trap.repository.git('config', key, key === 'core.hookspath' ? 'evil' : '1');
			}
			await trap.plantNamedHooks(path.join(directory, '.git', 'config'), 'evil');
		});
		afterEach(() => trap.remove());

		const fields = (output: string, separator: string) =>
			new Map(
				output
					.split('\0')
					.filter(field => field.includes(separator))
					.map(field => {
						const end = field.indexOf(separator);
						return [field.slice(0, end), field.slice(end + 1)] as const;
					}),
			);

		/** The last setting of a name wins. */
		function assertSettings(listed: string, expected: Readonly<Record<string, string>>): void {
			const settings = fields(listed, '\n');
			for (const [key, value] of Object.entries({ ...expected, 'hook.evil-pre-push.enabled': 'false' })) {
				assert.equal(settings.get(key), value, key);
			}
		}

		function assertVariables(listed: string, protocols: string): void {
			const variables = fields(listed, '=');
			for (const [name, value] of Object.entries({ ...VARIABLES, GIT_ALLOW_PROTOCOL: protocols })) {
				assert.equal(variables.get(name), value, name);
			}
		}

		it('has the safe settings in the editor', async () => {
			const index = { input: undefined, agreed: new Set<string>() };
			const calls: [protocols: string, (commandLine: readonly string[]) => Promise<string>][] = [
				['none', commandLine => runGit(program.path, directory, commandLine)],
				['none', commandLine => runGitWithIndex(program.path, directory, trap.marker('index'), commandLine, index)],
				['none', commandLine => runWorkTreeGit(program.path, directory, commandLine)],
				['file', line => runDirectoryGit(program.path, directory, directory, 'upload-pack', () => line)],
			];
			for (const [protocols, call] of calls) {
				assertSettings(await call(LIST), EDITOR);
				assertVariables(await call(SHOW_VARIABLES), protocols);
			}
		});

		it('has them in the editor on the way to a remote, whatever answers for credentials says otherwise', async () => {
			for (const key of ['core.askpass', 'credential.helper']) {
				await trap.repository.git('config', '--unset', key);
			}
			const call = (commandLine: readonly string[]) =>
				runRemoteGit(program.path, directory, 'origin', commandLine, { GIT_ALLOW_PROTOCOL: 'ext' });
			assertSettings(await call(LIST), EDITOR);
			assertVariables(await call(SHOW_VARIABLES), 'git:http:https:ssh');
		});

		/** What the other side's git has, started by a shell as git does it: without the settings of its caller. */
		async function listThere(option: string, env: Readonly<Record<string, string>>): Promise<string> {
			const command = option.replace(/^--upload-pack=/, '').replace(/upload-pack$/, LIST.join(' '));
			const { GIT_CONFIG_COUNT: _, GIT_CONFIG_PARAMETERS: __, ...rest } = env;
			return (await run('sh', ['-c', command], { cwd: directory, env: { ...process.env, ...rest } })).stdout;
		}

		it('has them on the other side', async () => {
			const side = otherSide('upload-pack', program.path, [['hook.evil-pre-push.enabled', 'false']]);
			assertSettings(await listThere(side.option, side.env), EDITOR);
			assert.match(side.option, /=GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 /);
			let given = '';
			const commandLine = (option: string) => {
				given = option;
				return SHOW_VARIABLES;
			};
			const shown = await runDirectoryGit(program.path, directory, directory, 'upload-pack', commandLine);
			const variables = fields(shown, '=');
			const count = Number(variables.get('GIT_CONFIG_COUNT'));
			assert.ok(count > 0);
			assert.ok(given.includes(` GIT_CONFIG_COUNT=${count} `), given);
			assertSettings(await listThere(given, Object.fromEntries(variables)), EDITOR);
		});

		it('has the service’s settings in the service, on both sides', async () => {
			const configuration = path.join(trap.repository.folder, 'configuration');
			await appendFile(configuration, '');
			const location = {
				gitFolder: path.join(directory, '.git'),
				home: trap.repository.folder,
				cwd: trap.repository.folder,
				configuration,
			};
			const { PATH } = process.env;
			process.env['PATH'] = pathWith(program).PATH;
			try {
				const { signal } = new AbortController();
				const { option, env } = await sourceSide('upload-pack', location, directory, signal);
				const call = (commandLine: readonly string[]) => runServiceGit(location, commandLine, { signal, env });
				assertSettings(await call(LIST), SERVICE);
				assertVariables(await call(SHOW_VARIABLES), 'file');
				assertSettings(await listThere(option, env), SERVICE);
				assert.match(option, /=GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 /);
			} finally {
				process.env['PATH'] = PATH;
			}
		});
	});
}
