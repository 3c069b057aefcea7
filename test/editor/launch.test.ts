import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../src/base/errors.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { type GitRepository, getGitApi } from '../../src/platform/git.ts';
import { commands } from '../../src/platform/ids.ts';
import { gatherFacts } from '../../src/tasks/launch/gatherFacts.ts';
import { toRequest } from '../../src/tasks/launch/launchRequest.ts';
import { type Finding, findFindings, type LaunchFacts, planLaunch } from '../../src/tasks/launch/model/findings.ts';
import { preflightRows } from '../../src/tasks/launch/preflightRows.ts';
import { placeActions, promptOfPlace } from '../../src/tasks/launch/promptSources.ts';
import { lookAtService } from '../../src/tasks/launch/serviceLook.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { agents, connectionFields, keys, specialKeys } from '../support/contractServer/fixtures.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';

const connection = { name: 'quillon', label: 'Quillon', isLocal: false, hasLookUps: true, agents };
const rest = { service: { kind: 'not-asked' }, isEmptyGitUser: false, unknownAgent: undefined } as const;

describe('what is looked at before a task is sent', () => {
	let repository: TemporaryRepository;
	const address = 'https://host.example/acme/widgets.git';

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.git('remote', 'add', 'origin', address);
		await repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
	});

	afterEach(() => repository.remove());

	/** The repository as the git extension would give it, without it being opened. */
	async function read(branch = 'main', folder = repository.path): Promise<LaunchFacts> {
		const remotes = (await repository.git('remote')).split('\n').filter(Boolean);
		const opened: GitRepository = {
			rootUri: vscode.Uri.file(folder),
			state: {
				HEAD: { name: (await repository.git('branch', '--show-current')).trim() },
				remotes: await Promise.all(
					remotes.map(async name => ({
						name,
						fetchUrl: (await repository.git('config', `remote.${name}.url`)).trim(),
					})),
				),
			},
			status: () => Promise.resolve(),
			push: () => Promise.reject(new Error('nothing is pushed by looking')),
		};
		const { facts } = await gatherFacts(await getGitApi(), opened, { name: branch, remote: undefined }, false);
		return { ...facts, ...rest };
	}
	const kinds = async (...args: Parameters<typeof read>) =>
		findFindings(await read(...args), {}).map(({ kind }) => kind);

	it('is nothing to say of a branch that is pushed and clean', async () => {
		assert.deepEqual(await kinds(), []);
	});

	it('finds unpushed commits, a branch that is behind, and one that went two ways', async () => {
		const first = await repository.head();
		await repository.commitAll('Second');
		const second = await repository.commitAll('Third');
		const [unpushed] = findFindings(await read(), {});
		assert.deepEqual(unpushed?.kind === 'unpushed' && [unpushed.ahead, unpushed.behind, unpushed.chosen], [
			2,
			0,
			'push',
		]);
		await repository.git('update-ref', 'refs/remotes/origin/main', second);
		await repository.git('reset', '--quiet', '--hard', first);
		const [behind] = findFindings(await read(), {});
		assert.equal(behind?.kind === 'behind' && behind.behind, 2);
		await repository.commitAll('Another way');
		const [parted] = findFindings(await read(), {});
		assert.deepEqual(parted?.kind === 'unpushed' && [parted.ahead, parted.behind, parted.chosen], [1, 2, 'leave']);
	});

	it('finds a branch that is not on the remote, no remote, and a remote for this machine only', async () => {
		await repository.git('switch', '--quiet', '--create', 'new');
		assert.deepEqual(await kinds('new'), ['not-on-remote']);
		await repository.git('remote', 'set-url', 'origin', '../elsewhere');
		assert.deepEqual(await kinds(), ['unusable-remote']);
		await repository.git('remote', 'remove', 'origin');
		assert.deepEqual(await kinds(), ['no-remote']);
	});

	it('finds uncommitted files on the branch that is checked out, and only there', async () => {
		await repository.git('branch', 'other');
		await repository.git('update-ref', 'refs/remotes/origin/other', 'HEAD');
		await repository.write('README.md', 'changed\n');
		await repository.write('new folder/ü "q".txt', 'new\n');
		assert.deepEqual((await read()).changed, ['README.md', 'new folder/ü "q".txt']);
		assert.deepEqual(await kinds(), ['changes']);
		assert.deepEqual(await kinds('other'), []);
	});

	it('reads a remote’s address as git does, with the user’s abbreviations', async () => {
		await repository.git('config', 'url.https://robin:secret@host.example/.insteadOf', 'short:');
		await repository.git('remote', 'set-url', 'origin', 'short:acme/widgets.git');
		const { target, hasCredentials } = await read();
		assert.equal(target.ok && target.repoUrl, address);
		assert.equal(hasCredentials, true);
	});

	it('finds a merge that is half done', async () => {
		await repository.git('switch', '--quiet', '--create', 'side');
		await repository.write('README.md', 'one\n');
		await repository.commitAll('One');
		await repository.git('switch', '--quiet', 'main');
		await repository.write('README.md', 'two\n');
		await repository.commitAll('Two');
		await repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
		await repository.git('merge', 'side').catch(() => {});
		assert.deepEqual(await kinds(), ['conflicts']);
	});

	it('finds worktrees, submodules, and credentials that are not sent', async () => {
		const worktree = path.join(repository.folder, 'worktree');
		await repository.git('worktree', 'add', '--quiet', '-b', 'beside', worktree);
		await repository.git('update-ref', 'refs/remotes/origin/beside', 'HEAD');
		assert.deepEqual(await kinds('beside', worktree), ['worktree']);
		await repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository.path, 'inner');
		const inner = path.join(repository.path, 'inner');
		await repository.git('-C', 'inner', 'update-ref', 'refs/remotes/origin/main', 'HEAD');
		assert.ok((await kinds('main', inner)).includes('submodule'));
		await rm(worktree, { recursive: true, force: true });
		await repository.git('remote', 'set-url', 'origin', 'https://robin:secret@host.example/acme/widgets.git');
		const facts = await read();
		assert.equal(facts.hasCredentials, true);
		assert.doesNotMatch(JSON.stringify(planLaunch(facts, {})), /robin|secret/);
	});

	it('refuses a branch whose name is an option, without handing it to git', async () => {
		await repository.git('update-ref', 'refs/heads/--upload-pack=id', 'HEAD');
		assert.ok((await kinds('--upload-pack=id')).includes('unsafe-name'));
		assert.equal(planLaunch(await read('--upload-pack=id'), {}), undefined);
	});

	it('says in a sentence that git cannot read what is changed', async () => {
		await writeFile(path.join(repository.path, '.git', 'index'), 'damaged');
		await assert.rejects(read(), (error: Error) => {
			assert.ok(error instanceof UserFacingError);
			assert.match(error.message, /^Git could not read what is changed in “repository”: .*index.*\. Mend that/);
			return true;
		});
	});

	it('changes nothing by looking', async () => {
		await repository.write('new.txt', 'new\n');
		const before = [await repository.git('for-each-ref'), await repository.git('status', '--porcelain')];
		await read();
		assert.deepEqual([await repository.git('for-each-ref'), await repository.git('status', '--porcelain')], before);
	});
});

describe('what a service says of the repository', () => {
	let service: ContractServer;

	before(async () => {
		service = await ContractServer.start();
	});
	after(() => service.stop());

	const look = (repoUrl: string, key = keys.cloud, without: object = {}) => {
		const { sources } = createClient({
			connection: { name: 'quillon', ...connectionFields(service), ...without } as never,
			keys: () => Promise.resolve(key),
			transport: createFetchTransport((input, init) => fetch(input, init)),
		});
		return lookAtService({ sources }, connection, repoUrl, () => Promise.reject(new Error('not this machine')));
	};
	const harbour = 'https://forge.example/harbour-crew/harbour.git';

	it('is that it knows it, with its branches', async () => {
		const known = await look(harbour);
		assert.ok(known.kind === 'known' && known.isWhole && known.branches.has('main'));
		assert.equal((await look('https://forge.example/harbour-crew/harbour')).kind, 'known');
	});

	it('is that it does not list it, or has no link, or could not be asked', async () => {
		assert.equal((await look('https://forge.example/harbour-crew/unknown')).kind, 'unlisted');
		assert.equal((await look('https://forge.example/nobody/harbour')).kind, 'unlisted');
		assert.equal((await look(harbour, specialKeys.withoutSourceLink)).kind, 'no-link');
		const failed = await look(harbour, specialKeys.brokenDatabase);
		assert.ok(failed.kind === 'failed' && failed.reason !== '');
	});

	it('is not asked where the connection has no look-ups, or the address names no owner', async () => {
		assert.equal((await look(harbour, keys.cloud, { scm: undefined })).kind, 'not-asked');
		assert.equal((await look('https://forge.example/harbour')).kind, 'not-asked');
	});
});

describe('the preflight', () => {
	const facts: LaunchFacts = {
		target: {
			ok: true,
			kind: 'remote',
			repoUrl: 'https://host.example/x',
			branch: 'main',
			remote: 'origin',
			there: 'a',
			here: 'a',
		},
		ahead: undefined,
		behind: undefined,
		changed: [],
		nested: [],
		hasConflicts: false,
		repositoryKind: 'plain',
		hasCredentials: false,
		isNameUnsafe: false,
		...rest,
	};
	const choices = { agents: [], installDependencies: false, maxDuration: 0 };
	const rowOf = (finding: Finding) => {
		const rows = preflightRows({
			prompt: 'Fix it',
			connection,
			choices,
			repository: 'widgets',
			hasOtherRepositories: false,
			branch: 'fix-login',
			facts,
			plan: undefined,
			findings: [finding],
			fixesOf: () => [{ icon: 'arrow-swap', title: 'Do something else', run() {} }],
		});
		const [row] = rows;
		return [row?.label, row?.description, row?.detail].filter(Boolean).join(' | ');
	};

	it('says of every finding what is so and what will be done about it', () => {
		const said: [Finding, RegExp][] = [
			[{ kind: 'no-remote' }, /^\$\(error\) “widgets” has no remote \| Quillon cannot reach this machine\. Publish/],
			[{ kind: 'unusable-remote', remote: 'origin' }, /^\$\(error\) The address of remote “origin”.*https or ssh/],
			[{ kind: 'only-on-remote', remote: 'fork' }, /^\$\(error\) Branch “fix-login” is only on fork \| Check it out/],
			[{ kind: 'unsafe-name' }, /^\$\(error\) .*begins with a hyphen \| .*choose another branch/],
			[
				{ kind: 'not-on-remote', remote: 'origin', choices: ['push', 'scratch'], chosen: 'push' },
				/^\$\(warning\) Branch “fix-login” isn’t on origin yet \| Will be pushed to origin/,
			],
			[
				{ kind: 'unpushed', remote: 'origin', ahead: 2, behind: 0, choices: ['push', 'leave'], chosen: 'leave' },
				/^\$\(warning\) 2 commits are not on origin yet \| The task starts from what origin has\./,
			],
			[
				{ kind: 'unpushed', remote: 'origin', ahead: 1, behind: 3, choices: ['leave', 'scratch'], chosen: 'scratch' },
				/two ways: 1 commits only here, 3 only on origin \| Goes along on a scratch branch of origin/,
			],
			[
				{ kind: 'behind', remote: 'origin', behind: 1 },
				/^\$\(info\) origin has 1 commit that is not here \| The task starts/,
			],
			[
				{
					kind: 'changes',
					files: ['a', 'b', 'c', 'd', '$(bug)\u202e\n'],
					choices: ['leave', 'scratch'],
					chosen: 'leave',
				},
				/^\$\(warning\) 5 files are not committed \| a, b, c, d and 1 more \| They stay out of the task\.$/,
			],
			[
				{ kind: 'conflicts', files: ['$(bug)\u202e'] },
				/merge with conflicts.*\\\$\(bug\) \| Uncommitted changes stay out/,
			],
			[
				{ kind: 'nested', folders: ['vendor/lib'] },
				/^\$\(info\) A repository inside this one.* \| vendor\/lib \| They stay out of the task\.$/,
			],
			[{ kind: 'unknown-agent', agent: 'gone' }, /Quillon has no agent “gone”.*errand\.tasks\.agent/],
			[{ kind: 'worktree' }, /^\$\(info\) “widgets” is a worktree/],
			[{ kind: 'submodule' }, /^\$\(info\) “widgets” is a submodule/],
			[{ kind: 'credentials' }, /^\$\(info\) .*a name or a password \| They are not sent to Quillon\./],
			[{ kind: 'empty-git-user' }, /^\$\(warning\) The last task ran without a source-hosting account \| Link one/],
			[{ kind: 'service', look: { kind: 'asking' } }, /^\$\(sync~spin\) Asking Quillon/],
			[
				{ kind: 'service', look: { kind: 'known', branches: new Set(), isWhole: false } },
				/^\$\(check\) Quillon knows “widgets”$/,
			],
			[{ kind: 'service', look: { kind: 'unlisted' } }, /^\$\(warning\) Quillon does not list “widgets” \| .*Grant it/],
			[
				{ kind: 'service', look: { kind: 'no-link' } },
				/^\$\(warning\) Quillon has no link.*\| Link it in the service’s dashboard/,
			],
			[{ kind: 'service', look: { kind: 'failed', reason: 'Why.' } }, /^\$\(info\) Whether Quillon knows.*\| Why\.$/],
		];
		for (const [finding, expected] of said) {
			assert.match(rowOf(finding), expected);
		}
	});

	it('asks for several agents with a model each, and for one as it is', () => {
		const plan = { repoUrl: 'https://host.example/x', branch: 'main' };
		const request = (...names: [string, string?][]) =>
			toRequest(connection, 'Fix it', plan, { ...choices, agents: names.map(([agent, model]) => ({ agent, model })) });
		assert.deepEqual(request(['mason'], ['smith', 'smith-lite']).selectedAgents, [
			{ agent: 'mason', model: 'mason-large' },
			{ agent: 'smith', model: 'smith-lite' },
		]);
		assert.deepEqual(request(['mason']), {
			prompt: 'Fix it',
			repoUrl: plan.repoUrl,
			selectedBranch: 'main',
			selectedAgent: 'mason',
		});
		assert.throws(() => request(['mason'], ['nameless']), /Several agents need a model each/);
	});
});

describe('the code actions for a task', () => {
	it('stay few, short and quick where a huge file is full of problems', async () => {
		const line = `${'x'.repeat(100_000)} // TODO ${'y'.repeat(100_000)}`;
		const document = await vscode.workspace.openTextDocument({ content: Array(50).fill(line).join('\n') });
		const range = new vscode.Range(0, 0, document.lineCount, 0);
		const problems = Array.from({ length: 10_000 }, (_, at) => new vscode.Diagnostic(range, `Wrong ${at} ${line}`));
		const actions = placeActions(document, range, problems);
		assert.equal(actions.length, 5);
		assert.match(actions[1]?.title ?? '', /^Start Task for This Problem: Wrong 1 x+…$/);
		const prompt = await promptOfPlace(actions[1]?.command?.arguments?.[0]);
		assert.ok(prompt.length < 10_000, String(prompt.length));
		const [todo] = placeActions(document, new vscode.Range(0, 0, 0, 0), []);
		assert.equal(todo, undefined, 'what stands so far to the right is not looked for');
	});

	it('take no selection that is too long to be read', async () => {
		const document = await vscode.workspace.openTextDocument({ content: 'x'.repeat(200_000) });
		const editor = await vscode.window.showTextDocument(document);
		try {
			editor.selection = new vscode.Selection(0, 0, 0, 200_000);
			await assert.rejects(promptOfPlace(undefined), /too long for a prompt/);
			editor.selection = new vscode.Selection(0, 0, 0, 10);
			assert.match(await promptOfPlace(undefined), /x{10}\n```/);
		} finally {
			await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
		}
	});
});

describe('the prompt’s editor', () => {
	const text = () =>
		vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'errand-prompt')?.document;

	it('keeps its draft when it is closed, adds to it, and offers code actions for problems', async function () {
		this.timeout(30_000);
		const diagnostics = vscode.languages.createDiagnosticCollection('launch test');
		try {
			await vscode.commands.executeCommand(commands.startTask);
			const document = await waitFor('the prompt', () => text());
			const edit = new vscode.WorkspaceEdit();
			const draft = 'Keep this\n\nwith blank lines, \n\n';
			edit.insert(document.uri, new vscode.Position(0, 0), draft);
			await vscode.workspace.applyEdit(edit);
			// Otherwise the editor would ask what to do with it when it is closed.
			await waitFor('the draft to be kept', () => !document.isDirty);
			assert.equal(document.getText(), draft);
			await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
			assert.equal(text(), undefined);

			const [file] = await vscode.workspace.findFiles('README.md');
			assert.ok(file);
			const problem = new vscode.Diagnostic(new vscode.Range(0, 0, 0, 3), 'It is `wrong`');
			diagnostics.set(file, [problem]);
			await vscode.window.showTextDocument(file);
			const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
				'vscode.executeCodeActionProvider',
				file,
				problem.range,
			);
			const action = actions.find(({ title }) => title === 'Start Task for This Problem');
			assert.ok(action?.command?.arguments);
			await vscode.commands.executeCommand(action.command.command, ...action.command.arguments);
			const prompt = await waitFor('the problem in the prompt', () => {
				const now = text()?.getText() ?? '';
				return /It is/.test(now) && now;
			});
			assert.match(
				prompt,
				/^Keep this\n\nwith blank lines,\n\nFix the problem at `README\.md:1`:\n\n> It is `wrong`\n\n```markdown\n# /,
			);
		} finally {
			diagnostics.dispose();
			const open = text();
			if (open) {
				const clear = new vscode.WorkspaceEdit();
				clear.replace(open.uri, new vscode.Range(0, 0, open.lineCount, 0), '');
				await vscode.workspace.applyEdit(clear);
				await open.save();
			}
			await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		}
	});
});
