import assert from 'node:assert/strict';
import { readDecisionFile } from '../../../../src/decisions/model/decisionFile.ts';
import { readinessRequest } from '../../../../src/decisions/model/readiness.ts';

describe('the question whether changes are ready', () => {
	it('is a valid request about prompt and changes', () => {
		const asked = readinessRequest('the prompt', 'the diff');
		assert.deepEqual(readDecisionFile(JSON.stringify(asked)), { file: asked });
		assert.deepEqual(asked.state, { prompt: 'the prompt', changes: 'the diff' });
	});
});
