import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '../../src/client/types.ts';
import { resultsOf } from '../../src/contract/taskResults.ts';
import type { Task } from '../../src/contract/tasks.ts';
import { getGitApi } from '../../src/platform/git.ts';
import type { Choice } from '../../src/platform/pick.ts';
import { BranchCommands } from '../../src/tasks/branches/branchCommands.ts';
import type { Dialogs } from '../../src/tasks/branches/dialogs.ts';
import { createPullRequest } from '../../src/tasks/branches/pullRequestCommand.ts';
import { findTaskRepository } from '../../src/tasks/results/taskRepository.ts';
import { readTask } from '../support/readTask.ts';
import { State } from '../support/state.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';
import { closeRepository, openRepository } from './gitExtension.ts';

const BRANCH = 'errand/work';

describe('the commands for the branch of a task', () => {
	let repository: TemporaryRepository;
	let task: Task;
	/** What the user answers, in turn: a button, the label of a row, or a text. Undefined dismisses. */
	let answers: (string | undefined)[];
	/** What was shown and done. */
	let seen: string[];
	let problems: unknown[];
	/** The keys of results that were forgotten. */
	let forgotten: string[];
	let state: State;
	let hasDashboard: string | undefined;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.git('config', 'user.name', 'Tester');
		await repository.git('config', 'user.email', 'tester@example.invalid');
		await repository.git('switch', '-q', '-c', BRANCH);
		await repository.write('README.md', 'done\n');
		await repository.write('new.txt', 'new\n');
		await repository.commitAll('Work');
		await repository.git('switch', '-q', 'main');
		task = readTask({ id: 'task-1', repoUrl: repository.path, branchName: BRANCH, selectedBranch: 'main' });
		[answers, seen, problems, forgotten, state] = [[], [], [], [], new State()];
		hasDashboard = undefined;
		await openRepository(repository.path);
	});
	afterEach(async () => {
		await closeRepository(repository.path);
		await repository.remove();
	});

	const opened = async () => (await getGitApi()).repositories.find(({ rootUri }) => rootUri.fsPath === repository.path);

	const dialogs: Dialogs = {
		tell: async (severity, message) => {
			seen.push(`${severity}: ${message}`);
			return answers.shift();
		},
		ask: async (message, detail, ...buttons) => {
			seen.push(`ask: ${message} ${detail} [${buttons.join('|')}]`);
			return answers.shift();
		},
		choose: async <T>(title: string, items: readonly Choice<T>[]) => {
			seen.push(`choose: ${title}: ${items.map(({ label }) => label).join('|')}`);
			const label = answers.shift();
			return items.find(item => item.label === label)?.value;
		},
		input: async (title, _prompt, value, problem) => {
			const typed = answers.shift();
			seen.push(`input: ${title}: ${value}${typed === undefined ? '' : ` (${problem(typed) ?? 'fine'})`}`);
			return typed === '' ? value : typed;
		},
		during: (_title, run) => run(),
		openFolder: async folder => void seen.push(`open ${folder}`),
		openAddress: async address => void seen.push(`browse ${address}`),
		copy: async text => void seen.push(`copy ${text}`),
		runCommand: async (command, ...parameters) => void seen.push(`run ${command} ${JSON.stringify(parameters)}`),
	};
	const branches = () =>
		new BranchCommands({
			globalState: state,
			choose: async () => ({
				id: task.id,
				target: {
					connection: {
						name: 'test',
						label: 'Test',
						isLocal: true,
						hasLookUps: true,
						agents: [],
						...(hasDashboard === undefined ? {} : { dashboardUrl: hasDashboard }),
					},
					client: {} as Client,
				},
			}),
			store: { get: () => task },
			forgetBranch: async ({ key }) => void forgotten.push(key),
			explain: error => problems.push(error),
			dialogs,
		});
	const head = async () => (await repository.git('branch', '--show-current')).trim();
	const saw = (...patterns: RegExp[]) => {
		assert.deepEqual(problems, []);
		assert.equal(seen.length, patterns.length, seen.join('\n'));
		for (const [position, pattern] of patterns.entries()) {
			assert.match(seen[position] ?? '', pattern);
		}
		seen.length = 0;
	};
	const refused = (pattern: RegExp) => {
		assert.equal(problems.length, 1, seen.join('\n'));
		assert.match((problems[0] as Error).message, pattern);
		problems.length = 0;
	};

	it('check it out, and say so where that is done already', async () => {
		await branches().checkOut(undefined);
		saw(/^information: “errand\/work” is checked out\.$/);
		assert.equal(await head(), BRANCH);
		await branches().checkOut(undefined);
		saw(/checked out here already/);
	});

	it('name what stands in the way of a checkout, and stash it on a yes', async () => {
		await repository.write('README.md', 'mine\n');
		await branches().checkOut(undefined);
		saw(/^ask: 1 file stands in the way .*Nothing was changed.*README\.md \[Stash These Files\|Open in Worktree\]$/s);
		assert.equal(await head(), 'main');
		answers = ['Stash These Files'];
		await branches().checkOut(undefined);
		saw(/^ask/, /is checked out\. What stood in the way is in the stash “Before errand\/work”/);
		assert.equal(await head(), BRANCH);
		assert.match(await repository.git('stash', 'list'), /Before errand\/work/);
	});

	it('open a worktree beside the repository, and the same one again', async () => {
		const folder = path.join(repository.folder, 'repository-errand-work');
		await repository.write('README.md', 'mine\n');
		answers = ['Open in Worktree', ''];
		await branches().checkOut(undefined);
		saw(/^ask/, new RegExp(`^input: Open in Worktree: ${folder}`), new RegExp(`^open ${folder}$`));
		assert.equal(await readFile(path.join(folder, 'README.md'), 'utf8'), 'done\n');
		await branches().openWorktree(undefined);
		saw(new RegExp(`^open ${folder}$`));
		answers = ['Open Folder'];
		await branches().checkOut(undefined);
		saw(/is checked out in .*repository-errand-work\.$/, new RegExp(`^open ${folder}$`));
	});

	it('follow a remote’s branch, under another name where the user’s own has gone elsewhere', async () => {
		const bare = path.join(repository.folder, 'bare.git');
		await repository.git('clone', '-q', '--bare', repository.path, bare);
		await repository.git('remote', 'add', 'origin', bare);
		await (await opened())?.status();
		task = { ...task, repoUrl: bare };
		const tip = await repository.head(BRANCH);
		await repository.git('switch', '-q', BRANCH);
		await repository.git('reset', '-q', '--hard', 'main');
		answers = ['Fast-Forward'];
		await branches().checkOut(undefined);
		saw(/is checked out here already, 1 commit behind origin\.$/);
		assert.equal(await repository.head(), tip);
		await repository.git('commit', '-q', '--amend', '-m', 'Mine');
		const mine = await repository.head();
		await repository.git('switch', '-q', 'main');
		answers = ['Use Another Name', ''];
		await branches().checkOut(undefined);
		saw(
			/^ask: There is another branch “errand\/work” here\./,
			/^input: .*errand\/work-task/,
			/“errand\/work-task” is checked out/,
		);
		assert.deepEqual([await repository.head(), await repository.head(BRANCH)], [tip, mine]);
		assert.equal((await repository.git('rev-parse', '--abbrev-ref', '@{upstream}')).trim(), 'origin/errand/work');
		answers = ['Delete', 'Delete'];
		await branches().delete(undefined);
		saw(
			/^ask: Delete the branch “errand\/work” in this repository\? 1 commit is on no other branch/,
			/^ask: Delete the branch “errand\/work” on origin\? Another branch or tag has all of its commits/,
			/is deleted \(here, origin\)/,
		);
		assert.equal((await repository.git('-C', bare, 'branch', '--list', BRANCH)).trim(), '');
	});

	it('take no folder for a worktree that is there already or lies in the repository', async () => {
		answers = [repository.folder];
		await branches().openWorktree(undefined);
		assert.match(seen[0] ?? '', /There is something at this path already/);
		refused(/could not make the worktree/);
		seen.length = 0;
		answers = ['repository/inside'];
		await branches().openWorktree(undefined);
		assert.match(seen[0] ?? '', /inside of the repository/);
	});

	it('merge it after a dry run and a yes', async () => {
		await branches().merge(undefined);
		saw(/^ask: Merge “errand\/work” into “main”\? It merges cleanly: 2 files change\. “main” is fast-forwarded/);
		assert.equal(await repository.head('main'), await repository.head(`${BRANCH}~1`));
		answers = ['Merge'];
		await branches().merge(undefined);
		saw(/^ask/, /“errand\/work” is merged into “main”\.$/);
		assert.equal(await repository.head('main'), await repository.head(BRANCH));
		await branches().merge(undefined);
		saw(/“main” has everything/);
	});

	it('merge it once what stands in the way is stashed on a yes', async () => {
		await repository.write('new.txt', 'mine\n');
		answers = ['Merge'];
		await branches().merge(undefined);
		saw(/^ask: Merge/, /^ask: 1 file stands in the way of merging .*new\.txt \[Stash These Files\]$/s);
		assert.equal(await readFile(path.join(repository.path, 'new.txt'), 'utf8'), 'mine\n');
		answers = ['Merge', 'Stash These Files', 'View Stash…'];
		await branches().merge(undefined);
		saw(/^ask/, /^ask/, /is merged into “main”\. What stood in the way is in the stash/, /^run git\.stashView/);
		assert.equal(await readFile(path.join(repository.path, 'new.txt'), 'utf8'), 'new\n');
	});

	it('merge with conflicts only where that was agreed to, and lead to them', async () => {
		await repository.write('README.md', 'other\n');
		await repository.commitAll('Other');
		await branches().merge(undefined);
		saw(/leaves a conflict in 1 file.*README\.md \[Merge with Conflicts\]$/s);
		assert.equal(await repository.git('status', '--porcelain'), '');
		answers = ['Merge with Conflicts', 'Show Conflicts'];
		await branches().merge(undefined);
		saw(/^ask/, /^warning: .*but for the conflicts/, /^run workbench\.view\.scm/);
		assert.match(await repository.git('status', '--porcelain'), /^UU README\.md$/m);
	});

	it('push it after a yes with branch, remote, address and number of commits, and never over other commits', async () => {
		await branches().push(undefined);
		refused(/has no remote\. Add one/);
		const bare = path.join(repository.folder, 'bare.git');
		await repository.git('clone', '-q', '--bare', repository.path, bare);
		await repository.git('-C', bare, 'branch', '-q', '-D', BRANCH);
		await repository.git('remote', 'add', 'origin', bare);
		await repository.git('fetch', '-q', 'origin');
		await (await opened())?.status();
		await branches().push(undefined);
		saw(/^ask: Push “errand\/work” to origin\? Address: .*bare\.git\nCommits: 1\nThe branch is new there\. \[Push\]$/);
		answers = ['Push', 'Open Pull Request'];
		await branches().push(undefined);
		saw(/^ask/, /“errand\/work” is on origin/, /^run errand\.openTaskPullRequest .*"resultKey":"task-1"/);
		const there = () => repository.git('-C', bare, 'rev-parse', BRANCH);
		assert.equal((await there()).trim(), await repository.head(BRANCH));
		assert.equal((await repository.git('config', `branch.${BRANCH}.remote`)).trim(), 'origin');
		await branches().push(undefined);
		saw(/origin has everything/);
		await repository.git('branch', '-f', BRANCH, 'main');
		await repository.git('switch', '-q', BRANCH);
		await repository.write('else.txt', 'else\n');
		await repository.commitAll('Something else');
		const before = await there();
		await branches().push(undefined);
		refused(/has moved on origin.*so it is not pushed/);
		assert.equal(await there(), before);
	});

	it('say why a push has failed, and what to do', async () => {
		const bare = path.join(repository.folder, 'bare.git');
		await repository.git('clone', '-q', '--bare', '--single-branch', repository.path, bare);
		await writeFile(path.join(bare, 'hooks', 'pre-receive'), '#!/bin/sh\necho not today >&2; exit 1\n', {
			mode: 0o755,
		});
		await repository.git('remote', 'add', 'origin', bare);
		await (await opened())?.status();
		answers = ['Push'];
		await branches().push(undefined);
		refused(/could not push “errand\/work” to origin: .*declined.*\. “Git: Show Git Output” has all/);
		await repository.git('remote', 'set-url', 'origin', path.join(repository.folder, 'gone.git'));
		answers = ['Push'];
		await branches().push(undefined);
		refused(/could not push “errand\/work” to origin: .*gone\.git.*\. Check the address of the remote and your access/);
		assert.equal((await repository.git('-C', bare, 'branch', '--list', BRANCH)).trim(), '');
	});

	it('open the page for a pull request of the remote’s host, and remember what an unknown host runs', async () => {
		const address = 'https://git.acme.example/acme/widgets';
		await repository.git('remote', 'add', 'origin', `https://user:secret@git.acme.example/acme/widgets.git`);
		await (await opened())?.status();
		task = { ...task, repoUrl: address };
		answers = ['GitLab'];
		const page =
			/^browse https:\/\/git\.acme\.example\/acme\/widgets\/-\/merge_requests\/new\?.*errand%2Fwork&.*=main$/;
		await branches().openPullRequest(undefined);
		saw(/^choose: Open Pull Request: GitHub Enterprise\|GitLab\|/, page);
		await branches().openPullRequest(undefined);
		saw(page);
	});

	it('leave a pull request to GitHub’s own extension where it is installed and the branch is checked out', async () => {
		await repository.git('remote', 'add', 'origin', 'git@github.com:acme/widgets.git');
		await (await opened())?.status();
		task = { ...task, repoUrl: 'https://github.com/acme/widgets' };
		const [result] = resultsOf(task);
		const create = async () => {
			const subject = { task, result: result ?? assert.fail(), repository: await findTaskRepository(task, false) };
			await createPullRequest(subject, dialogs, state, id => id === 'GitHub.vscode-pull-request-github');
		};
		await create();
		await repository.git('switch', '-q', BRANCH);
		await create();
		saw(/^browse .*\/compare\/main\.\.\.errand\/work/, /^run pr\.create .*"compareBranch":"errand\/work"/);
	});

	it('ask which repository is to take it where that is not clear, and use no scratch branch as its base', async () => {
		await repository.git('remote', 'add', 'origin', 'git@github.com:jane/widgets.git');
		await repository.git('remote', 'add', 'bob', 'https://github.com/bob/widgets');
		await (await opened())?.status();
		task = { ...task, repoUrl: 'https://github.com/jane/widgets', selectedBranch: 'errand-scratch-123' };
		answers = ['bob'];
		await branches().openPullRequest(undefined);
		saw(/^choose: Open Pull Request: bob\|origin$/, /^browse .*\/bob\/widgets\/compare\/jane:errand\/work\?expand=1$/);
	});

	it('open the pull request that the service names, with a question where it is elsewhere, and only over https', async () => {
		task = { ...task, repoUrl: 'https://host.example/acme/widgets', prUrl: 'https://host.example/acme/widgets/pull/1' };
		await branches().openPullRequest(undefined);
		saw(/^browse https:\/\/host\.example\/acme\/widgets\/pull\/1$/);
		task = { ...task, prUrl: 'https://other.example/1' };
		await branches().openPullRequest(undefined);
		saw(/^ask: Open the pull request on https:\/\/other\.example\?/);
		task = { ...task, prUrl: 'http://host.example/1' };
		await branches().openPullRequest(undefined);
		refused(/not an https address, so it is not opened: http:\/\/host\.example\/1/);
	});

	it('open sandbox and dashboard only by https or on this machine', async () => {
		await branches().openInBrowser(undefined);
		refused(/names neither a sandbox for this task nor a dashboard/);
		task = { ...task, sandboxUrl: 'command:workbench.action.quit' };
		await branches().openInBrowser(undefined);
		refused(/is not opened/);
		task = { ...task, sandboxUrl: 'http://127.0.0.1:3000/' };
		hasDashboard = 'https://dashboard.example/';
		answers = ['Sandbox', 'Dashboard'];
		await branches().openInBrowser(undefined);
		await branches().openInBrowser(undefined);
		saw(
			/^choose: Open Task in Browser: Sandbox\|Dashboard$/,
			/^browse http:\/\/127\.0\.0\.1:3000\/$/,
			/^choose: /,
			/^browse https:\/\/dashboard\.example\/$/,
		);
	});

	it('copy the id of a task, or the branch of one of its agents', async () => {
		const agents = readTask({
			id: 'task-1',
			agentExecutions: ['one', 'two'].map(agent => ({
				agent,
				branchName: `errand/${agent}`,
			})) as Task['agentExecutions'],
		});
		task = readTask({ id: 'task-1' });
		await branches().copy(undefined);
		task = agents;
		answers = ['errand/two', 'task-1'];
		await branches().copy({ taskId: 'task-1', resultKey: 'task-1:1' });
		await branches().copy(undefined);
		saw(
			/^copy task-1$/,
			/^choose: Copy Task ID or Branch Name: errand\/two\|task-1$/,
			/^copy errand\/two$/,
			/^choose: Copy Task ID or Branch Name: errand\/one\|errand\/two\|task-1$/,
			/^copy task-1$/,
		);
	});

	it('delete it after a yes that says what is lost, make it again, and leave one that is checked out', async () => {
		const commit = await repository.head(BRANCH);
		await branches().delete(undefined);
		saw(/^ask: Delete the branch “errand\/work” in this repository\? 1 commit is on no other branch and would be lost/);
		assert.equal(await repository.head(BRANCH), commit);
		answers = ['Delete', 'Undo'];
		await branches().delete(undefined);
		saw(/^ask/, /^information: The branch “errand\/work” is deleted \(here\)/);
		assert.deepEqual(forgotten, [task.id]);
		await waitFor('the branch to be there again', async () => (await repository.branches()).includes(BRANCH));
		assert.equal(await repository.head(BRANCH), commit);
		await repository.git('switch', '-q', BRANCH);
		await branches().delete(undefined);
		refused(/is checked out in .*so it is not deleted/);
	});

	it('say where the repository is that this window does not show', async () => {
		const elsewhere = path.join(repository.folder, 'elsewhere');
		await repository.git('clone', '-q', '--branch', BRANCH, repository.path, elsewhere);
		task = { ...task, repoUrl: elsewhere };
		await branches().checkOut(undefined);
		await branches().merge(undefined);
		await branches().push(undefined);
		assert.ok(existsSync(elsewhere));
		const said = seen.filter(text => /which this window does not show/.test(text));
		assert.equal(said.length, 3, seen.join('\n'));
	});
});
