import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { CHANGE_SCHEME } from '../../src/platform/ids.ts';
import { readTaskForChat } from '../../src/tasks/review/taskForChat.ts';
import { TaskMaterial } from '../../src/tasks/review/taskMaterial.ts';
import { readTask } from '../support/readTask.ts';
import { startTasks } from '../support/taskClient.ts';
import type { TaskServer } from '../support/taskServer.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { QuickPicks } from './quickPicks.ts';
import { changesAlone } from './taskRows.ts';

describe('the material for questions about tasks', () => {
	let repository: TemporaryRepository;
	let server: TaskServer;
	let material: TaskMaterial;
	let hasKey: boolean;
	let asked: { none: string; matching: string[] }[];
	let stop: () => void;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.write('a.txt', 'one\n');
		await repository.commitAll('Base');
		await repository.git('checkout', '--quiet', '-b', 'errand/done', 'main');
		await repository.write('a.txt', 'ONE\n');
		await repository.commitAll('Done');
		await repository.git('checkout', '--quiet', 'main');
		const parts = await startTasks();
		server = parts.server;
		const changes = changesAlone();
		const repo = { repoUrl: repository.path, selectedBranch: 'main' };
		server.add({ id: 'done', status: 'completed', prompt: 'Shout', branchName: 'errand/done', ...repo });
		server.add({ id: 'broken', status: 'failed', prompt: 'Break', error: 'It broke', ...repo });
		server.add({ id: 'working', status: 'running', prompt: 'Go on', ...repo });
		hasKey = true;
		asked = [];
		const tasks = () => server.tasks.map(readTask);
		material = new TaskMaterial({
			changes,
			tasks: {
				get: async id => tasks().find(task => task.id === id) ?? assert.fail(id),
				pick: async (matches, _title, none) => {
					asked.push({
						none,
						matching: tasks()
							.filter(matches)
							.map(({ id }) => id),
					});
					return undefined;
				},
			},
			connection: { client: async () => parts.client, ensureKey: async () => hasKey },
		});
		stop = () => changes.dispose();
	});

	afterEach(async () => {
		stop();
		await server.stop();
		await repository.remove();
	});

	it('is the task of an argument with its prompt, state and error, or one of those that fit', async () => {
		const task = await material.choose('broken', 'Title', 'failed');
		assert.deepEqual(task, {
			id: 'broken',
			title: 'Break',
			prompt: 'Break',
			status: 'failed',
			error: 'It broke',
			hasFailed: true,
			isRace: false,
			hasChanges: false,
		});
		const change = vscode.Uri.from({
			scheme: CHANGE_SCHEME,
			path: '/a.txt',
			query: JSON.stringify({ taskId: 'done', resultKey: 'done', side: 'after', directory: '/x', path: 'a.txt' }),
		});
		assert.equal((await material.choose(change, 'Title', 'changed'))?.id, 'done');
		for (const which of ['any', 'failed', 'changed'] as const) {
			assert.equal(await material.choose(undefined, 'Title', which), undefined);
		}
		assert.deepEqual(
			asked.map(({ matching }) => matching.sort()),
			[['broken', 'done', 'working'], ['broken'], ['done']],
		);
		hasKey = false;
		assert.equal(await material.choose('broken', 'Title', 'any'), undefined);
	});

	it('is the log with its indexes, without control characters, and what the log marks as wrong', async () => {
		server.log(
			'broken',
			{ message: 'fetching\u001b[31m red\u001b[0m', type: 'info', step: 'git_cloning' },
			{ message: 'nothing there', type: 'error' },
			{ message: 'counted', type: 'info', step: 'agent_usage' },
			{ message: 'odd', type: 'warning' },
		);
		const log = await material.readLog('broken', new AbortController().signal);
		assert.deepEqual(log.slice(0, 3), [
			{ index: 0, text: 'git cloning: fetching red', isProblem: false },
			{ index: 1, text: 'error: nothing there', isProblem: true },
			{ index: 3, text: 'odd', isProblem: true },
		]);
	});

	it('are the changes as a list of files and a diff, and the name of the result for the next time', async () => {
		const patch = await material.readChanges('done', undefined, 'Title');
		assert.deepEqual([patch?.name, patch?.resultKey, patch?.isCut], ['errand/done', 'done', false]);
		assert.match(patch?.text ?? '', /^M a\.txt\n\ndiff --git a\/a\.txt b\/a\.txt\n[\s\S]*\n-one\n\+ONE\n$/);
		assert.equal(await material.readChanges('working', undefined, 'Title'), undefined);
	});

	describe('for the chat', () => {
		let lists: QuickPicks;
		const read = (id: string) => readTaskForChat(material, id, 'Quillon');

		beforeEach(() => {
			lists = new QuickPicks();
		});
		afterEach(() => lists.stop());

		it('are the log or the changes, as the user chooses, and the log alone where nothing was changed', async () => {
			server.log('broken', { message: 'nothing there', type: 'error' });
			server.log('done', { message: 'it is done', type: 'info' });
			assert.deepEqual(await read('broken'), { label: 'Log of Break', text: 'error: nothing there' });
			const log = read('done');
			await lists.pick('Log');
			assert.match((await log)?.text ?? '', /it is done/);
			const changes = read('done');
			await lists.pick('Changes');
			assert.match((await changes)?.text ?? '', /\n-one\n\+ONE\n$/);
			assert.equal((await changes)?.language, 'diff');
		});

		it('say what is left out of a long log, whose end is what matters', async () => {
			const message = 'x'.repeat(600);
			server.log('broken', ...Array.from({ length: 3_000 }, (_, index) => ({ message: `${index} ${message}` })));
			const text = (await read('broken'))?.text ?? '';
			assert.ok(text.length <= 200_100, String(text.length));
			assert.match(text, /^0 x+\n1 x/);
			assert.match(text, /\n99 x+\n\(entries omitted\)\n\d{4} x/);
			assert.match(text, /\n2999 x+$/);
		});

		it('are a sentence where there is no log yet, or where it cannot be read', async () => {
			await assert.rejects(read('broken'), /This task has no log yet/);
			await server.stop();
			await assert.rejects(read('broken'), (error: Error) => {
				assert.equal(error.name, 'UserFacingError');
				assert.match(error.message, /Quillon/);
				return true;
			});
		});
	});

	it('says that the rest of a huge change is left out', async () => {
		await repository.git('checkout', '--quiet', 'errand/done');
		await repository.write('huge.txt', 'a line of a huge file\n'.repeat(20_000));
		await repository.commitAll('More');
		await repository.git('checkout', '--quiet', 'main');
		const patch = await material.readChanges('done', undefined, 'Title');
		assert.equal(patch?.isCut, true);
		assert.ok((patch?.text.length ?? 0) <= 200_000);
	});
});
