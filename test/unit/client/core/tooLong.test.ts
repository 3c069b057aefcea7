import assert from 'node:assert/strict';
import { ClientError, type ClientErrorCode } from '../../../../src/base/errors.ts';
import { tooLong } from '../../../../src/client/core/tooLong.ts';

describe('a refusal of a request as too long', () => {
	const of = (code: ClientErrorCode, serviceMessage: string, serviceCode?: string) =>
		tooLong(new ClientError(code, '', { serviceMessage, serviceCode, retryable: true }));

	it('is known by the service’s code, or by its words, and is final', () => {
		for (const [code, said, own] of [
			['invalid-request', 'Bad request', 'context_length_exceeded'],
			['invalid-request', "This model's maximum context length is 8192 tokens.", undefined],
			['invalid-request', 'prompt is too long: 210000 tokens > 200000 maximum', undefined],
			['invalid-request', 'Input is too long for requested model.', undefined],
			['server', 'the request exceeds the available context size, try increasing it', undefined],
			['upstream', 'The request is too large for lab: Too much.', 'invalid_request'],
			['invalid-request', 'Please reduce the length of the messages.', undefined],
			['invalid-request', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', undefined],
			['invalid-request', 'The input token count (1200000) exceeds the maximum number of tokens allowed', undefined],
		] as const) {
			const { code: known, retryable, serviceMessage } = of(code, said, own) ?? assert.fail(said);
			assert.deepEqual([known, retryable, serviceMessage], ['too-large', false, said]);
		}
	});

	it('is no other refusal', () => {
		for (const [code, said] of [
			['invalid-request', 'max_tokens is too large: 100000.'],
			['invalid-request', 'Unknown field'],
			['invalid-request', 'Request exceeds the maximum number of output tokens'],
			['invalid-request', 'The request’s max_tokens is too large'],
			['invalid-request', 'This request exceeds your monthly spending limit'],
			['invalid-request', 'messages.0.content.1: image exceeds 5 MB maximum'],
			['rate-limited', 'Request too large for the tokens per minute of this model'],
			['payment-required', 'Your request exceeds the quota'],
			['server', 'It broke'],
		] as const) {
			assert.equal(of(code, said), undefined, said);
		}
		assert.equal(tooLong(new Error('context length')), undefined);
	});
});
