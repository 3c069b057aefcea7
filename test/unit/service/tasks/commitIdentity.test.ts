import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ERRAND_IDENTITY } from '../../../../src/base/git.ts';
import { Checkout } from '../../../../src/service/tasks/checkout.ts';
import { readSource, writeGitConfiguration } from '../../../../src/service/tasks/sourceRepository.ts';
import { gitPrograms, pathWith } from '../../../support/gitPrograms.ts';
import { RepositoryTrap } from '../../../support/repositoryTrap.ts';

const FALLBACK = `${ERRAND_IDENTITY.name} <${ERRAND_IDENTITY.address}>`;

for (const program of gitPrograms()) {
	describe(`the author of a task’s commit, with ${program.label},`, () => {
		let trap: RepositoryTrap;
		let folder: string;
		let home: string;
		const environment: Record<string, string | undefined> = {};

		beforeEach(async () => {
			trap = await RepositoryTrap.create();
			folder = await mkdtemp(path.join(os.tmpdir(), 'errand-identity-'));
			home = path.join(trap.repository.folder, 'home');
			await mkdir(home);
			for (const [name, value] of Object.entries({ HOME: home, ...pathWith(program) })) {
				environment[name] = process.env[name];
				process.env[name] = value;
			}
		});
		afterEach(async () => {
			Object.assign(process.env, environment);
			await trap.remove();
			await rm(folder, { recursive: true, force: true });
		});

		/** The author, the committer and the whole message of a commit that a task makes. */
		async function commit(): Promise<{ author: string; committer: string; message: string; lacksIdentity: boolean }> {
			const { signal } = new AbortController();
			await writeGitConfiguration(folder, signal);
			const sourceFolder = trap.repository.path;
			const query = { folder: sourceFolder, branch: undefined, scratchFolder: folder, signal };
			const source = await readSource(query);
			const checkout = await Checkout.create({ folder, source, sourceFolder, agent: 'demo', signal });
			await writeFile(path.join(checkout.tree, 'new.txt'), 'new\n');
			const { commit, lacksIdentity } = await checkout.commit('Subject');
			await checkout.push(commit ?? assert.fail('no commit'), 'errand/x');
			const shown = await trap.repository.git('log', '-1', '--format=%an <%ae>%x00%cn <%ce>%x00%B', 'errand/x');
			const [author = '', committer = '', message = ''] = shown.split('\0');
			return { author, committer, message: message.trimEnd(), lacksIdentity };
		}

		const configure = (text: string | Buffer) => appendFile(path.join(trap.repository.path, '.git', 'config'), text);
		const ada = '[user]\n\tname = Ada Lovelace\n\temail = ada@example.invalid\n';

		it('is the one of the repository’s own configuration, and a trailer names the agent', async () => {
			await appendFile(path.join(home, '.gitconfig'), '[user]\n\tname = Other\n\temail = other@example.invalid\n');
			await configure(ada);
			const author = 'Ada Lovelace <ada@example.invalid>';
			const message = 'Subject\n\nErrand-Agent: demo';
			assert.deepEqual(await commit(), { author, committer: author, message, lacksIdentity: false });
			const trailers = await trap.repository.git('log', '-1', '--format=%(trailers:only)', 'errand/x');
			assert.equal(trailers.trim(), 'Errand-Agent: demo');
		});

		it('is Errand where git cannot read a configuration, so that the work is not lost', async () => {
			await configure(ada);
			for (const text of ['[user\n', '[include]\n\tpath = ~nobody-of-this-name/x\n']) {
				await writeFile(path.join(home, '.gitconfig'), text);
				const { author, lacksIdentity } = await commit();
				assert.deepEqual({ author, lacksIdentity }, { author: FALLBACK, lacksIdentity: true });
				await trap.repository.git('branch', '-D', 'errand/x');
				await rm(path.join(folder), { recursive: true, force: true });
				await mkdir(folder);
			}
		});

		it('is the user’s own where the repository says nothing, also one that is set for some repositories alone', async () => {
			await writeFile(path.join(home, 'work'), '[user]\n\temail = work@example.invalid\n');
			await appendFile(
				path.join(home, '.gitconfig'),
				`${ada}[includeIf "gitdir:${trap.repository.path}/"]\n\tpath = ~/work\n`,
			);
			assert.equal((await commit()).author, 'Ada Lovelace <work@example.invalid>');
		});

		const unusable: Record<string, string | Buffer> = {
			'no name and no address': '',
			'no address': '[user]\n\tname = Ada\n',
			'no name': '[user]\n\temail = ada@example.invalid\n',
			'an empty name': '[user]\n\tname =\n\temail = ada@example.invalid\n',
			'a name of signs alone': '[user]\n\tname = .,;\n\temail = ada@example.invalid\n',
			'a line break in the name': '[user]\n\tname = "Ada\\n\\nparent 0"\n\temail = ada@example.invalid\n',
			'a line break in the address': '[user]\n\tname = Ada\n\temail = "a@b\\nc"\n',
			'another address in the name': '[user]\n\tname = "Ada <eve@example.invalid> 0 +0000"\n\temail = a@b.invalid\n',
			'angle brackets around the address': '[user]\n\tname = Ada\n\temail = "<ada@example.invalid>"\n',
			'a name that turns what is read': '[user]\n\tname = "Ada \u202e"\n\temail = ada@example.invalid\n',
			'a control character': '[user]\n\tname = "Ada\\b"\n\temail = ada@example.invalid\n',
			'a name in bytes that are no text': Buffer.from('[user]\n\tname = Ad\xe9\n\temail = a@b.invalid\n', 'latin1'),
			'a very long name': `[user]\n\tname = ${'Ada '.repeat(10_000)}\n\temail = ada@example.invalid\n`,
		};
		for (const [what, text] of Object.entries(unusable)) {
			it(`is Errand where the configuration has ${what}`, async () => {
				await configure(text);
				const { author, committer, message, lacksIdentity } = await commit();
				assert.deepEqual([author, committer], [FALLBACK, FALLBACK]);
				assert.equal(message, 'Subject\n\nErrand-Agent: demo');
				assert.ok(lacksIdentity);
			});
		}

		it('is read without running anything that the repository’s or the user’s configuration names', async () => {
			await trap.plantSettings();
			await trap.plantHooks(path.join(trap.repository.path, '.git', 'hooks'));
			await trap.plantNamedHooks(path.join(trap.repository.path, '.git', 'config'));
			await trap.plantNamedHooks(path.join(home, '.gitconfig'), 'own');
			await appendFile(path.join(home, '.gitconfig'), ada);
			await trap.repository.git('config', 'alias.config', `!${trap.command('aliasConfig')}`);
			await trap.repository.git('config', 'pager.config', trap.command('pagerConfig'));
			// Set up by plain git, so it may have run some of it.
			await trap.sprung();
			assert.equal((await commit()).author, 'Ada Lovelace <ada@example.invalid>');
			assert.deepEqual(
				(await trap.sprung()).filter(name => name !== 'trace2'),
				[],
			);
		});
	});
}
