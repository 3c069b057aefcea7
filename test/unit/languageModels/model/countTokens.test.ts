import assert from 'node:assert/strict';
import { estimateTokens } from '../../../../src/base/tokens.ts';
import { countTokens } from '../../../../src/languageModels/model/countTokens.ts';
import { demoImage } from '../../../../src/service/inference/demo/demoImage.ts';

const TEXT = 'How many tokens are these words?';

describe('the tokens of a message', () => {
	it('are at least those of its words', () => {
		assert.ok(countTokens([{ kind: 'text', text: TEXT }]) > estimateTokens(TEXT));
	});

	it('include calls, results and images', () => {
		const without = countTokens([{ kind: 'text', text: TEXT }]);
		for (const part of [
			{ kind: 'call', id: 'a', name: 'look', input: { at: 'sky' } },
			{ kind: 'result', id: 'a', parts: [{ kind: 'text', text: 'blue' }] },
			{ kind: 'data', type: 'image/png', bytes: demoImage('a fox') },
		] as const) {
			assert.ok(countTokens([{ kind: 'text', text: TEXT }, part]) > without + 4, part.kind);
		}
		assert.equal(countTokens([{ kind: 'text', text: TEXT }, { kind: 'thinking' }]), without);
	});
});
