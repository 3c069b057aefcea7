import assert from 'node:assert/strict';
import type { Task } from '../../../../src/contract/tasks.ts';
import { findCreatedTask } from '../../../../src/tasks/model/createdTask.ts';
import { readTask } from '../../../support/readTask.ts';

const sentAt = Date.parse('2026-11-21T12:00:00Z');
const request = { prompt: 'Fix it', repoUrl: 'https://host.example/acme/widgets' };
const task = (fields: Partial<Task> = {}): Task =>
	readTask({ id: 'new', ...request, createdAt: '2026-11-21T12:00:01Z', ...fields });
const find = (tasks: Task[], known: string[] = []) => findCreatedTask(tasks, { ...request, sentAt, known })?.id;

describe('the task of a request whose reply was lost', () => {
	it('is the one with the same prompt and repository', () => {
		assert.equal(find([task({ id: 'other', prompt: 'Else' }), task()]), 'new');
		assert.equal(find([task({ repoUrl: 'https://host.example/acme/widgets.git' })]), 'new');
	});

	it('is also one of which the service does not tell the repository: a second task would be worse', () => {
		assert.equal(find([task({ repoUrl: undefined })]), 'new');
	});

	it('is none that was known before, is older, is elsewhere or has no time', () => {
		assert.equal(find([task()], ['new']), undefined);
		assert.equal(find([task({ createdAt: '2026-11-21T11:57:59Z' })]), undefined);
		assert.equal(find([task({ repoUrl: 'https://host.example/acme/other' })]), undefined);
		assert.equal(find([task({ createdAt: undefined })]), undefined);
	});

	it('may have been made by a clock that goes two minutes late', () => {
		assert.equal(find([task({ createdAt: '2026-11-21T11:58:00Z' })]), 'new');
	});
});
