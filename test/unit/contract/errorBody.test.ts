import assert from 'node:assert/strict';
import { readErrorBody } from '../../../src/contract/errorBody.ts';

describe('readErrorBody', () => {
	for (const [body, expected] of [
		['{"error":{"message":"M","code":"c","type":"t"}}', { message: 'M', code: 'c', type: 't' }],
		['{"error":{"message":"M","code":429}}', { message: 'M', code: '429' }],
		['{"error":"E"}', { message: 'E' }],
		['{"error":"not_linked","message":"M","status":404}', { message: 'M', code: 'not_linked' }],
		['{"message":"M","status":502}', { message: 'M', code: '502' }],
		['{"detail":"D"}', { message: 'D' }],
		['{"error":{"code":"400","message":"Input must be a list"}}', { message: 'Input must be a list', code: '400' }],
		['{"error":null,"message":"M"}', { message: 'M' }],
		['{"error":{"message":"  "}}', {}],
		['{"error":{"code":"c"},"message":"M","detail":"D"}', { message: 'M', code: 'c' }],
		['{"error":{"code":"c"},"detail":"D"}', { message: 'D', code: 'c' }],
		['{"error":"E","detail":"D"}', { message: 'E' }],
		['{"message":"M","detail":"D"}', { message: 'M' }],
		['"plain"', { message: 'plain' }],
		['plain text', { message: 'plain text' }],
		['<!doctype html><title>502</title>', {}],
		['', {}],
		['[]', {}],
		['null', {}],
	] as const) {
		it(`reads ${body || 'nothing'}`, () => {
			assert.deepEqual(readErrorBody(body), expected);
		});
	}

	it('keeps no more than is looked through for a key', () => {
		assert.equal(readErrorBody('x'.repeat(100_000)).message?.length, 16_384);
		assert.equal(readErrorBody(JSON.stringify({ error: { message: 'x'.repeat(100_000) } })).message?.length, 16_384);
	});
});
