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
		[
			'{"detail":[{"loc":["body","messages",0,"content"],"msg":"Field required","type":"missing"}]}',
			{ message: 'body.messages.0.content: Field required' },
		],
		['{"errors":[{"field":"top_k","message":"must be 1 or more"},"M"]}', { message: 'top_k: must be 1 or more; M' }],
		['{"errors":[{"path":["stop",0],"message":"M"}]}', { message: 'stop.0: M' }],
		[
			'{"errors":{"top_k":["must be 1 or more"],"model":"is missing"}}',
			{ message: 'top_k: must be 1 or more; model: is missing' },
		],
		['{"error":{"code":"c","errors":["M"]}}', { message: 'M', code: 'c' }],
		['{"message":"M","errors":["E"]}', { message: 'M' }],
		['{"detail":[1,null,{}]}', {}],
		['{"errors":["1","2","3","4","5","6"]}', { message: '1; 2; 3; 4; 5' }],
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

	it('reads the message of a body that was cut off after it, or within it', () => {
		const repeated = { detail: [{ loc: ['body', 'messages'], msg: 'Too long', input: 'x'.repeat(1000) }] };
		assert.deepEqual(readErrorBody(JSON.stringify(repeated).slice(0, 200)), { message: 'body.messages: Too long' });
		const long = JSON.stringify({ error: { code: 'c', message: `Not allowed: ${'x'.repeat(1000)}` } });
		const { code, message } = readErrorBody(long.slice(0, 200));
		assert.equal(code, 'c');
		assert.match(message ?? '', /^Not allowed: x+$/);
	});

	it('shows the text of one that was cut off before it said anything, and of what only looks like JSON', () => {
		for (const body of ['{"request":{"messages":["x', "{'error': 'E'}", '{error}']) {
			assert.deepEqual(readErrorBody(body), { message: body });
		}
	});

	it('keeps no more than is looked through for a key', () => {
		assert.equal(readErrorBody('x'.repeat(100_000)).message?.length, 16_384);
		assert.equal(readErrorBody(JSON.stringify({ error: { message: 'x'.repeat(100_000) } })).message?.length, 16_384);
	});
});
