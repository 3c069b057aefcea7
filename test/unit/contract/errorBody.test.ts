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

	describe('finds the most specific sentence', () => {
		const WORDS = 'The model does not take images.';
		const inner = JSON.stringify({ error: { message: WORDS, code: 400 } });
		for (const [what, body] of [
			['in a list', [{ error: { code: 400, message: WORDS, status: 'INVALID_ARGUMENT' } }]],
			[
				'in the raw body that a gateway quotes',
				{ error: { message: 'Provider returned error', code: 400, metadata: { raw: inner, provider_name: 'p' } } },
			],
			['in a raw body that is text', { error: { message: 'Provider returned error', metadata: { raw: WORDS } } }],
			[
				'in a raw body that is an object',
				{ error: { message: 'Provider returned error', metadata: { raw: JSON.parse(inner) } } },
			],
			['in the raw list that a gateway quotes', { error: { message: 'Error', metadata: { raw: `[${inner}]` } } }],
			[
				'in the message, beside a raw body that says nothing',
				{ error: { message: WORDS, metadata: { raw: 'ERROR' } } },
			],
			[
				'in the message, beside a raw page',
				{ error: { message: WORDS, metadata: { raw: '<html><h1>502</h1></html>' } } },
			],
			['in a body that is quoted as the message', { error: { message: inner } }],
			['in a body that is quoted twice', { error: { message: JSON.stringify({ message: inner }) } }],
			['in a body that a message quotes', { error: { message: `BadRequestError: OpenAIException - ${inner}` } }],
			['in a body that a message quotes in its midst', { detail: `Error code: 400 - ${inner}. Received model: small` }],
			[
				'in a body that Python has printed',
				{ detail: `Error code: 400 - {'error': {'message': '${WORDS}', 'code': 400}}` },
			],
			[
				'in bytes that Python has printed',
				{
					error: {
						message: `VertexException - b'{\\n  "error": {\\n    "code": 400,\\n    "message": "${WORDS}"\\n  }\\n}\\n'`,
					},
				},
			],
			['in an error of an error', { error: { error: { message: WORDS } } }],
			['in a list of errors', { success: false, errors: [{ code: 7003, message: WORDS }], messages: [], result: null }],
			['in a list as the error', { error: [WORDS] }],
			['in an inner error', { error: { message: 'Bad Request', innererror: { code: 'x', message: WORDS } } }],
			['in a cause', { message: 'Internal Server Error', cause: { message: WORDS } }],
			['in the detail beside a title', { type: 'about:blank', title: 'Bad Request', status: 400, detail: WORDS }],
			['in the detail beside an error that says nothing', { error: 'Bad Request', detail: WORDS }],
			[
				'in the problems beside a message that says nothing',
				{ message: 'Validation failed', errors: [{ message: WORDS }] },
			],
			['in the description beside a code', { error: 'invalid_token', error_description: WORDS }],
			[
				'in the violations of fields beside a message that says nothing',
				{
					error: {
						code: 400,
						message: 'Request contains an invalid argument.',
						details: [{ '@type': 'BadRequest', fieldViolations: [{ description: WORDS }] }],
					},
				},
			],
			['in a list of messages', { errorMessages: [WORDS] }],
			['in a capital error', { Error: { Code: 'AccessDenied', Message: WORDS } }],
			['in an error of a detail', { detail: { error: { message: WORDS } } }],
			[
				'in a printed list',
				{ error: { message: `Error code: 429 - [{'error': {'code': 429, 'message': '${WORDS}'}}]` } },
			],
			['in a capital field', { Message: WORDS }],
			['in `error_msg`', { error_code: 17, error_msg: WORDS }],
			['in `errorMessage`', { errorType: 'x', errorMessage: WORDS }],
			['in `msg`', { code: 500, msg: WORDS }],
			['in a status of its own', { base_resp: { status_code: 1004, status_msg: WORDS } }],
			['in a fault', { fault: { faultstring: WORDS, detail: { errorcode: 'x' } } }],
			['in a response', { response: { error: { message: WORDS } } }],
			['in an event', `data: ${inner}\n\n`],
			['in an event of an error', `event: error\ndata: {"message":"${WORDS}"}\n\n`],
			['in JSON lines', `${inner}\n{"done":true}\n`],
		] as const) {
			it(what, () => {
				assert.equal(readErrorBody(typeof body === 'string' ? body : JSON.stringify(body)).message, WORDS);
			});
		}

		it('and has the code and the type of a body in a list', () => {
			const body = [{ error: { code: 400, message: 'M', type: 't' } }];
			assert.deepEqual(readErrorBody(JSON.stringify(body)), { message: 'M', code: '400', type: 't' });
		});

		it('and keeps a sentence that quotes something else', () => {
			const message = 'Unknown field in {"temperature": 3, "message": "hi"}: temperature must be 2 or less';
			assert.equal(readErrorBody(JSON.stringify({ error: { message } })).message, message);
		});

		it('in bounded time, however deep or wide the body is', () => {
			const deep = `${'{"error":'.repeat(400)}"M"${'}'.repeat(400)}`;
			assert.equal(readErrorBody(deep).message, undefined);
			const nested = `${'{"errors":{"a":'.repeat(200)}"M"${'}}'.repeat(200)}`;
			assert.equal(readErrorBody(nested).message, undefined);
			for (const text of ['.'.repeat(16_000), `${'-_'.repeat(8000)} x`, '{"a '.repeat(4000)]) {
				assert.equal(readErrorBody(JSON.stringify({ error: { message: text } })).message, text);
			}
			const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`f${index}`, { message: 'M' }]));
			assert.equal(readErrorBody(JSON.stringify(wide)).message, undefined);
		});
	});

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
