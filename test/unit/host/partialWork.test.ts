import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ClientError } from '../../../src/base/errors.ts';
import type { Client } from '../../../src/client/types.ts';
import type { Task } from '../../../src/contract/tasks.ts';
import { PartialWork } from '../../../src/tasks/branches/partialWork.ts';
import { readTask } from '../../support/readTask.ts';

describe('the command that keeps the work of an agent whose task was ended', () => {
	const errand = { canKeep: true } as Task['errand'];
	let task: Task;
	let isLocal: boolean;
	let answer: string | undefined;
	let asked: string[];
	let done: string[];
	let problems: unknown[];
	let told: string[];
	let partialWork: PartialWork;
	let keepWork: (id: string) => Promise<string>;

	beforeEach(() => {
		task = readTask({ id: 'over', prompt: 'Tidy', status: 'stopped', branchName: 'errand/tidy', errand });
		isLocal = true;
		answer = 'Keep';
		asked = [];
		done = [];
		problems = [];
		told = [];
		Object.assign(vscode.window, { showInformationMessage: async (message: string) => void told.push(message) });
		keepWork = async id => {
			done.push(`keep ${id}`);
			return 'errand/tidy';
		};
		partialWork = new PartialWork({
			store: { get: () => task },
			active: {
				target: async () => ({
					connection: { name: 'local', label: 'Local', isLocal, hasLookUps: false, agents: [] },
					client: {} as Client,
				}),
			},
			keepWork: id => keepWork(id),
			askModal: async (message, detail) => {
				asked.push(`${message} ${detail}`);
				return answer;
			},
			refresh: async () => void done.push('refresh'),
			explain: error => problems.push(error),
		});
	});

	afterEach(() => Reflect.deleteProperty(vscode.window, 'showInformationMessage'));

	it('says what it does and asks once, then makes the commit and reads the list again', async () => {
		await partialWork.keep('over');
		assert.equal(asked.length, 1);
		assert.match(
			asked[0] ?? '',
			/Keep the work of “Tidy”\?.*commits the agent’s work to the branch “errand\/tidy”\..*incomplete/,
		);
		assert.deepEqual(done, ['keep over', 'refresh']);
		assert.deepEqual(problems, []);
		assert.deepEqual(told, ['The work of “Tidy” is on the branch “errand/tidy”.']);
	});

	it('makes no commit if the user declines', async () => {
		answer = undefined;
		await partialWork.keep('over');
		assert.deepEqual([asked.length, done], [1, []]);
	});

	it('asks nothing if there is nothing to keep, or the service is not the local one', async () => {
		task = readTask({ id: 'over', prompt: 'Tidy', status: 'stopped' });
		await partialWork.keep('over');
		task = readTask({ id: 'over', prompt: 'Tidy', status: 'stopped', errand });
		isLocal = false;
		await partialWork.keep('over');
		assert.deepEqual([asked, done], [[], []]);
	});

	it('reports why it failed, can be tried again, and does it once at a time', async () => {
		const { promise, reject } = Promise.withResolvers<string>();
		const making = keepWork;
		keepWork = () => promise;
		const first = partialWork.keep('over');
		await partialWork.keep('over');
		assert.equal(asked.length, 1);
		const refusal = new ClientError('invalid-request', 'refused');
		reject(refusal);
		await first;
		assert.deepEqual([problems, done], [[refusal], []]);
		keepWork = making;
		await partialWork.keep('over');
		assert.deepEqual(done, ['keep over', 'refresh']);
	});
});
