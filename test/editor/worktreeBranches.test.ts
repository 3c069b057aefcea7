import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Client } from '../../src/client/types.ts';
import { StateEntries } from '../../src/platform/sharedState.ts';
import { WorktreeBranches } from '../../src/tasks/branches/worktreeBranches.ts';
import { BEHIND_ENTRIES } from '../../src/tasks/model/storageKeys.ts';
import type { TaskTarget } from '../../src/tasks/model/taskConnection.ts';
import { readTask } from '../support/readTask.ts';
import type { State } from '../support/state.ts';
import { startTasks } from '../support/taskClient.ts';
import type { TaskServer } from '../support/taskServer.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';

describe('a task’s branch that is checked out', () => {
	let server: TaskServer;
	let client: Client;
	let state: State;
	let repository: TemporaryRepository;
	let problems: unknown[];

	beforeEach(async () => {
		({ server, client, state } = await startTasks());
		repository = await TemporaryRepository.create();
		problems = [];
		// What the task has made, and what has come of it.
		await repository.git('checkout', '--quiet', '-b', 'errand/done');
		await repository.write('new.txt', 'new\n');
		await repository.commitAll('Done');
		await repository.git('checkout', '--quiet', '-b', 'errand/begun', 'main');
		server.add({ id: 'next', repoUrl: repository.path, selectedBranch: 'errand/begun' });
	});

	afterEach(async () => {
		await vscode.commands.executeCommand('notifications.clearAll');
		await repository.remove();
		await server.stop();
	});

	const target = (isLocal = true): TaskTarget => ({
		connection: { name: 'test', label: 'Test', isLocal, hasLookUps: true, agents: [] },
		client,
	});

	/** Creates the branches of a window. With the state of an earlier window, they continue that window's. */
	const branches = (workspaceState = state) =>
		new WorktreeBranches({
			workspaceState,
			task: id => server.tasks.filter(task => task.id === id).map(readTask)[0],
			explain: error => problems.push(error),
		});
	const remembered = (of = state) =>
		new StateEntries(of, BEHIND_ENTRIES, (value): value is object => typeof value === 'object').values().length;

	function end(branchName: string): void {
		server.finish('next', 'completed');
		Object.assign(server.tasks[0] ?? {}, { branchName });
	}

	it('is found in the repository and in a linked worktree, and only of a service of this machine', async () => {
		const find = (branchName: string, isLocal = true) =>
			branches().find(readTask({ ...(server.tasks[0] ?? assert.fail()), branchName }), target(isLocal));
		assert.deepEqual(await find('errand/begun'), { branch: 'errand/begun', worktree: repository.path });
		assert.equal(await find('errand/begun', false), undefined);
		assert.equal(await find('errand/done'), undefined);
		assert.equal(await find('errand/gone'), undefined);
		const linked = path.join(repository.folder, 'linked');
		await repository.git('worktree', 'add', '--quiet', linked, 'errand/done');
		assert.deepEqual(await find('errand/done'), { branch: 'errand/done', worktree: linked });
	});

	it('is fast-forwarded on a yes when the work is done, with its files, also after a reload of the window', async () => {
		branches().remember('next', target(), 'errand/begun');
		const reloaded = state.copy();
		const after = branches(reloaded);
		await after.sweep(async () => target());
		assert.equal(remembered(reloaded), 1);
		end('errand/done');
		await after.sweep(async () => target());
		assert.equal(remembered(reloaded), 0);
		assert.equal(await repository.head('errand/begun'), await repository.head('main'), 'nothing happens unasked');
		await waitFor('the branch to be moved', async () => {
			await vscode.commands.executeCommand('notification.acceptPrimaryAction');
			return (await repository.head('errand/begun')) === (await repository.head('errand/done'));
		});
		await waitFor('the files', async () =>
			readFile(path.join(repository.path, 'new.txt'), 'utf8').catch(() => undefined),
		);
		assert.equal(await repository.git('status', '--porcelain'), '');
		assert.deepEqual(problems, []);
	});

	it('names the files of the user that stand in the way, and stays as it was', async () => {
		await repository.write('new.txt', 'mine\n');
		const window = branches();
		window.remember('next', target(), 'errand/begun');
		end('errand/done');
		await window.sweep(async () => target());
		await waitFor('the refusal', async () => {
			await vscode.commands.executeCommand('notification.acceptPrimaryAction');
			return problems.length > 0;
		});
		assert.match(
			String(problems[0]),
			/“errand\/begun” wasn’t changed because these files would be overwritten: new\.txt\. Commit or stash them/,
		);
		assert.equal(await readFile(path.join(repository.path, 'new.txt'), 'utf8'), 'mine\n');
		assert.equal(await repository.head('errand/begun'), await repository.head('main'));
	});

	for (const [what, branchName] of [
		['has made none', undefined],
		['is on the branch itself', 'errand/begun'],
		['went another way', 'errand/other'],
	] as const) {
		it(`is left alone if the task ${what}`, async () => {
			await repository.git('branch', 'errand/other', 'errand/done');
			await repository.git('commit', '--quiet', '--allow-empty', '-m', 'Mine');
			const window = branches();
			window.remember('next', target(), 'errand/begun');
			end(branchName as string);
			const before = await repository.head('errand/begun');
			await window.sweep(async () => target());
			assert.equal(remembered(), 0);
			await vscode.commands.executeCommand('notification.acceptPrimaryAction');
			assert.equal(await repository.head('errand/begun'), before);
		});
	}
});
