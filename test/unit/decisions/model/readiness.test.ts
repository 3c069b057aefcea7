import assert from 'node:assert/strict';
import { decisionRequestSchema } from '../../../../src/contract/decisions.ts';
import { lintDecision } from '../../../../src/decisions/model/lint.ts';
import { readinessRequest } from '../../../../src/decisions/model/readiness.ts';

describe('the question whether changes are ready', () => {
	it('is a valid request about prompt and changes, with nothing for the linter to find', () => {
		const asked = readinessRequest('the prompt', 'the diff');
		assert.equal(decisionRequestSchema.safeParse({ ...asked, model: 'm' }).success, true);
		assert.deepEqual(lintDecision(asked), []);
		assert.deepEqual(asked.state, { prompt: 'the prompt', changes: 'the diff' });
	});
});
