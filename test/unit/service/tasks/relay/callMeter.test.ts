import assert from 'node:assert/strict';
import { estimateTokens } from '../../../../../src/base/tokens.ts';
import type { ProviderRequest } from '../../../../../src/service/inference/provider.ts';
import { CallMeter } from '../../../../../src/service/tasks/relay/callMeter.ts';

describe('the measure of a call that the provider did not count', () => {
	const measured = (reasoning?: string) => {
		const message = { role: 'assistant' as const, content: 'Yes.', ...(reasoning !== undefined && { reasoning }) };
		const request: ProviderRequest = { model: 'acme/one', messages: [message] };
		return new CallMeter(request, { input: 3, output: 15 }).measure();
	};

	it('has the thinking of earlier turns, which is sent along', () => {
		const thinking = 'The user asks whether this is so, and it is. '.repeat(20);
		const [thoughtful, silent] = [measured(thinking), measured()];
		assert.equal(thoughtful.inputTokens - silent.inputTokens, estimateTokens(thinking));
		assert.ok(thoughtful.isEstimated && (thoughtful.cost ?? 0) > (silent.cost ?? 0));
	});
});
