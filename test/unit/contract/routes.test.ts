import assert from 'node:assert/strict';
import { fillPath, routes } from '../../../src/contract/routes.ts';

describe('fillPath', () => {
	it('encodes what it fills in', () => {
		assert.equal(fillPath(routes.taskStream.path, { taskId: 'a/b?c#d é' }), '/api/tasks/a%2Fb%3Fc%23d%20%C3%A9/stream');
	});

	it('leaves a path without braces as it is', () => {
		assert.equal(fillPath(routes.chatCompletions.path), '/chat/completions');
	});

	for (const taskId of ['', '.', '..', undefined]) {
		it(`refuses ${JSON.stringify(taskId)}`, () => {
			assert.throws(() => fillPath(routes.taskGet.path, taskId === undefined ? {} : { taskId }), RangeError);
		});
	}
});
