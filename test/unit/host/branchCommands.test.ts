import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { resultsOf } from '../../../src/contract/taskResults.ts';
import type { Task } from '../../../src/contract/tasks.ts';
import { createPullRequest } from '../../../src/tasks/branches/pullRequestCommand.ts';
import { findTaskRepository } from '../../../src/tasks/results/taskRepository.ts';
import { readTask } from '../../support/readTask.ts';
import { BRANCH, useBranchCommands } from '../../support/useBranchCommands.ts';
import { waitFor } from '../../support/waitFor.ts';
import { useGit } from './useOpenRepository.ts';

describe('the commands for the branch of a task', () => {
	const { open } = useGit();
	const flow = useBranchCommands(open);
	const { branches, dialogs, head, readAgain, refused, saw } = flow;

	it('check it out, and say so where that is done already', async () => {
		await branches().checkOut(undefined);
		saw(/^information: “errand\/work” is checked out\.$/);
		assert.equal(await head(), BRANCH);
		await branches().checkOut(undefined);
		saw(/already checked out here/);
	});

	it('name what stands in the way of a checkout, and stash it on a yes', async () => {
		await flow.repository.write('README.md', 'mine\n');
		await branches().checkOut(undefined);
		saw(
			/^ask: Checking out .* would overwrite 1 file.*Nothing has been changed.*README\.md \[Stash These Files\|Open in Worktree\]$/s,
		);
		assert.equal(await head(), 'main');
		flow.answers = ['Stash These Files'];
		await branches().checkOut(undefined);
		saw(/^ask/, /is checked out\. Your changes are in the stash “Before errand\/work”/);
		assert.equal(await head(), BRANCH);
		assert.match(await flow.repository.git('stash', 'list'), /Before errand\/work/);
	});

	it('open a worktree beside the repository, and the same one again', async () => {
		const folder = path.join(flow.repository.folder, 'repository-errand-work');
		await flow.repository.write('README.md', 'mine\n');
		flow.answers = ['Open in Worktree', ''];
		await branches().checkOut(undefined);
		saw(/^ask/, new RegExp(`^input: Open in Worktree: ${folder}`), new RegExp(`^open ${folder}$`));
		assert.equal(await readFile(path.join(folder, 'README.md'), 'utf8'), 'done\n');
		await branches().openWorktree(undefined);
		saw(new RegExp(`^open ${folder}$`));
		flow.answers = ['Open Folder'];
		await branches().checkOut(undefined);
		saw(/is checked out in .*repository-errand-work\.$/, new RegExp(`^open ${folder}$`));
	});

	it('follow a remote’s branch, under another name where the user’s own has gone elsewhere', async () => {
		const bare = path.join(flow.repository.folder, 'bare.git');
		await flow.repository.git('clone', '-q', '--bare', flow.repository.path, bare);
		await flow.repository.git('remote', 'add', 'origin', bare);
		await readAgain();
		flow.task = { ...flow.task, repoUrl: bare };
		const tip = await flow.repository.head(BRANCH);
		await flow.repository.git('switch', '-q', BRANCH);
		await flow.repository.git('reset', '-q', '--hard', 'main');
		await branches().checkOut(undefined);
		saw(/is already checked out here\.$/);
		await flow.repository.git('merge', '-q', '--ff-only', tip);
		await flow.repository.git('commit', '-q', '--amend', '-m', 'Mine');
		const mine = await flow.repository.head();
		await flow.repository.git('switch', '-q', 'main');
		flow.answers = ['Use Another Name', ''];
		await branches().checkOut(undefined);
		saw(
			/^ask: A different branch “errand\/work” already exists here\./,
			/^input: .*errand\/work-task/,
			/“errand\/work-task” is checked out/,
		);
		assert.deepEqual([await flow.repository.head(), await flow.repository.head(BRANCH)], [tip, mine]);
		assert.equal((await flow.repository.git('rev-parse', '--abbrev-ref', '@{upstream}')).trim(), 'origin/errand/work');
		flow.answers = ['Delete', 'Delete'];
		await branches().delete(undefined);
		saw(
			/^ask: Delete the branch “errand\/work” in this repository\? 1 commit isn’t on any other branch/,
			/^ask: Delete the branch “errand\/work” on origin\? All of its commits are on another branch or tag/,
			/Deleted the branch .* \(here, origin\)/,
		);
		assert.equal((await flow.repository.git('-C', bare, 'branch', '--list', BRANCH)).trim(), '');
	});

	it('take no folder for a worktree that is there already or lies in the repository', async () => {
		flow.answers = [flow.repository.folder];
		await branches().openWorktree(undefined);
		assert.match(flow.seen[0] ?? '', /This path already exists/);
		refused(/couldn’t create the worktree/);
		flow.seen.length = 0;
		flow.answers = ['repository/inside'];
		await branches().openWorktree(undefined);
		assert.match(flow.seen[0] ?? '', /inside the repository/);
	});

	it('merge it after a dry run and a yes', async () => {
		await branches().merge(undefined);
		saw(
			/^ask: Merge “errand\/work” into “main”\? It merges without conflicts: 2 files change\. “main” is fast-forwarded/,
		);
		assert.equal(await flow.repository.head('main'), await flow.repository.head(`${BRANCH}~1`));
		flow.answers = ['Merge'];
		await branches().merge(undefined);
		saw(/^ask/, /Merged “errand\/work” into “main”\.$/);
		assert.equal(await flow.repository.head('main'), await flow.repository.head(BRANCH));
		await branches().merge(undefined);
		saw(/“main” is already up to date/);
	});

	it('merge it once what stands in the way is stashed on a yes', async () => {
		await flow.repository.write('new.txt', 'mine\n');
		flow.answers = ['Merge'];
		await branches().merge(undefined);
		saw(/^ask: Merge/, /^ask: Merging .* would overwrite 1 file.*new\.txt \[Stash These Files\]$/s);
		assert.equal(await readFile(path.join(flow.repository.path, 'new.txt'), 'utf8'), 'mine\n');
		flow.answers = ['Merge', 'Stash These Files', 'View Stash…'];
		await branches().merge(undefined);
		saw(/^ask/, /^ask/, /Merged .* into “main”\. Your changes are in the stash/, /^run git\.stashView/);
		assert.equal(await readFile(path.join(flow.repository.path, 'new.txt'), 'utf8'), 'new\n');
	});

	it('merge with conflicts only where that was agreed to, and lead to them', async () => {
		await flow.repository.write('README.md', 'other\n');
		await flow.repository.commitAll('Other');
		await branches().merge(undefined);
		saw(/leaves conflicts in 1 file.*README\.md \[Merge with Conflicts\]$/s);
		assert.equal(await flow.repository.git('status', '--porcelain'), '');
		flow.answers = ['Merge with Conflicts', 'Show Conflicts'];
		await branches().merge(undefined);
		saw(/^ask/, /^warning: .*with conflicts/, /^run workbench\.view\.scm/);
		assert.match(await flow.repository.git('status', '--porcelain'), /^UU README\.md$/m);
	});

	it('open the page for a pull request of the remote’s host, and remember what an unknown host runs', async () => {
		const address = 'https://git.acme.example/acme/widgets';
		await flow.repository.git('remote', 'add', 'origin', `https://user:secret@git.acme.example/acme/widgets.git`);
		await readAgain();
		flow.task = { ...flow.task, repoUrl: address };
		flow.answers = ['GitLab'];
		const page =
			/^browse https:\/\/git\.acme\.example\/acme\/widgets\/-\/merge_requests\/new\?.*errand%2Fwork&.*=main$/;
		await branches().openPullRequest(undefined);
		saw(/^choose: Open Pull Request: GitHub Enterprise\|GitLab\|/, page);
		await branches().openPullRequest(undefined);
		saw(page);
	});

	it('leave a pull request to GitHub’s own extension where it is installed and the branch is checked out', async () => {
		await flow.repository.git('remote', 'add', 'origin', 'git@github.com:acme/widgets.git');
		await readAgain();
		flow.task = { ...flow.task, repoUrl: 'https://github.com/acme/widgets' };
		const [result] = resultsOf(flow.task);
		const create = async () => {
			const subject = {
				task: flow.task,
				result: result ?? assert.fail(),
				repository: await findTaskRepository(flow.task, false),
			};
			await createPullRequest(subject, dialogs, flow.state, id => id === 'GitHub.vscode-pull-request-github');
		};
		await create();
		await flow.repository.git('switch', '-q', BRANCH);
		await create();
		saw(/^browse .*\/compare\/main\.\.\.errand\/work/, /^run pr\.create .*"compareBranch":"errand\/work"/);
	});

	it('ask which repository is to take it where that is not clear, and use no scratch branch as its base', async () => {
		await flow.repository.git('remote', 'add', 'origin', 'git@github.com:jane/widgets.git');
		await flow.repository.git('remote', 'add', 'bob', 'https://github.com/bob/widgets');
		await readAgain();
		flow.task = { ...flow.task, repoUrl: 'https://github.com/jane/widgets', selectedBranch: 'errand-scratch-123' };
		flow.answers = ['bob'];
		await branches().openPullRequest(undefined);
		saw(/^choose: Open Pull Request: bob\|origin$/, /^browse .*\/bob\/widgets\/compare\/jane:errand\/work\?expand=1$/);
	});

	it('open the pull request that the service names, with a question where it is elsewhere, and only over https', async () => {
		flow.task = {
			...flow.task,
			repoUrl: 'https://host.example/acme/widgets',
			prUrl: 'https://host.example/acme/widgets/pull/1',
		};
		await branches().openPullRequest(undefined);
		saw(/^browse https:\/\/host\.example\/acme\/widgets\/pull\/1$/);
		flow.task = { ...flow.task, prUrl: 'https://other.example/1' };
		await branches().openPullRequest(undefined);
		saw(/^ask: Open the pull request on https:\/\/other\.example\?/);
		flow.task = { ...flow.task, prUrl: 'http://host.example/1' };
		await branches().openPullRequest(undefined);
		refused(/isn’t an https address, so it wasn’t opened: http:\/\/host\.example\/1/);
	});

	it('open sandbox and dashboard only by https or on this machine', async () => {
		await branches().openInBrowser(undefined);
		refused(/reports neither a sandbox for this task nor a dashboard/);
		flow.task = { ...flow.task, sandboxUrl: 'command:workbench.action.quit' };
		await branches().openInBrowser(undefined);
		refused(/wasn’t opened/);
		flow.task = { ...flow.task, sandboxUrl: 'http://127.0.0.1:3000/' };
		flow.dashboard = 'https://dashboard.example/';
		flow.answers = ['Sandbox', 'Dashboard'];
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
		flow.task = readTask({ id: 'task-1' });
		await branches().copy(undefined);
		flow.task = agents;
		flow.answers = ['errand/two', 'task-1'];
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
		const commit = await flow.repository.head(BRANCH);
		await branches().delete(undefined);
		saw(
			/^ask: Delete the branch “errand\/work” in this repository\? 1 commit isn’t on any other branch and would be lost/,
		);
		assert.equal(await flow.repository.head(BRANCH), commit);
		flow.answers = ['Delete', 'Undo'];
		await branches().delete(undefined);
		saw(/^ask/, /^information: Deleted the branch “errand\/work” \(here\)/);
		assert.deepEqual(flow.forgotten, [flow.task.id]);
		await waitFor('the branch to be there again', async () => (await flow.repository.branches()).includes(BRANCH));
		assert.equal(await flow.repository.head(BRANCH), commit);
		await flow.repository.git('switch', '-q', BRANCH);
		await branches().delete(undefined);
		refused(/is checked out in .*so it isn’t deleted/);
	});

	it('say where the repository is that this window does not show', async () => {
		const elsewhere = path.join(flow.repository.folder, 'elsewhere');
		await flow.repository.git('clone', '-q', '--branch', BRANCH, flow.repository.path, elsewhere);
		flow.task = { ...flow.task, repoUrl: elsewhere };
		await branches().checkOut(undefined);
		await branches().merge(undefined);
		await branches().push(undefined);
		assert.ok(existsSync(elsewhere));
		const said = flow.seen.filter(text => /which isn’t open in this window/.test(text));
		assert.equal(said.length, 3, flow.seen.join('\n'));
	});
});
