import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { sseEvent, useFaultServer } from '../../support/faultServer.ts';
import { chunk, DONE, request, textOf } from './chatWire.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

const SO_FAR = chunk({ content: 'So far' });
const WORDS = 'context shift is disabled';
const finish = chunk({}, {}, { finish_reason: 'stop' });

describe('client.chat.stream, from servers with forms of their own', () => {
	let client: TestClient;
	const serve = useFaultServer(server => {
		client = testClient(server.origin);
	});

	const read = (body: string, type = 'text/event-stream', piece = body.length) => {
		serve(async response => {
			response.writeHead(200, { 'content-type': type });
			for (let start = 0; start < body.length; start += piece) {
				response.write(body.slice(start, start + piece));
				await new Promise(resolve => setImmediate(resolve));
			}
			response.end();
		});
		return collect(client.chat.stream(request));
	};

	for (const [what, error, said = WORDS] of [
		['in a line that is called so', `error: {"message":"${WORDS}"}\n\n`],
		['in a line that is called so, as text', `Error: ${WORDS}\n`],
		[
			'in a line that is called so, with its code',
			`error: {"code":500,"message":"${WORDS}","type":"server_error"}\n\n`,
		],
		['in a line of JSON', `{"error":{"code":400,"message":"${WORDS}","type":"invalid_request_error"}}\n`],
		['in a line of JSON that has text', `{"error":"${WORDS}"}\n\n`],
		['in a line of JSON under another name', `{"detail":"${WORDS}"}\n`],
		['in JSON of several lines', `{\n  "error": {\n    "message": "${WORDS}"\n  }\n}\n`],
		['in a line of text', 'Internal Server Error\n', 'Internal Server Error'],
		[
			'in a line of a proxy',
			'upstream connect error or disconnect/reset before headers. reset reason: connection termination\n\n',
			'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
		],
		['in a line of a log', 'llama_decode: failed to decode the batch\n', 'llama_decode: failed to decode the batch'],
		['in a line with a field that says something', `message: ${WORDS}\n`],
		['in one word', 'Unauthorized\n', 'Unauthorized'],
		['in another script', '错误：上下文过长\n', '错误：上下文过长'],
		['in data that is text', sseEvent(`Error: ${WORDS}`), `Error: ${WORDS}`],
		['in data that looks like a mark', sseEvent('[CONTEXT OVERFLOW]'), '[CONTEXT OVERFLOW]'],
		['in a line that looks like a mark', `[ERROR] ${WORDS}\n`, `[ERROR] ${WORDS}`],
		['in data without a colon', `data {"error":"${WORDS}"}\n`],
		['in an object that Python has printed', `{'error': {'message': '${WORDS}', 'code': 500}}\n`],
		['in the head of an answer', 'HTTP/1.1 502 Bad Gateway\r\n', 'HTTP/1.1 502 Bad Gateway'],
		['beside a mark', sseEvent({ error: true, message: WORDS })],
		['in data that was cut', `data: {"error":{"message":"${WORDS}", "par\n\n`],
		['in data without `error`', sseEvent({ object: 'error', message: WORDS, type: 'BadRequestError', code: 400 })],
		['in data with a detail', sseEvent({ detail: WORDS })],
		['in data that is a list', sseEvent([{ error: { code: 400, message: WORDS } }])],
		[
			'in data with a list of errors',
			sseEvent({ success: false, errors: [{ code: 7003, message: WORDS }], result: null }),
		],
		[
			'in data of a status of its own',
			sseEvent({ choices: null, base_resp: { status_code: 1004, status_msg: WORDS } }),
		],
		['in an event of another name', sseEvent({ message: WORDS }, 'exception')],
		['in an event that is a list', sseEvent([{ error: { message: WORDS } }], 'error')],
		[
			'in a choice',
			sseEvent({ choices: [{ index: 0, delta: {}, error: { message: WORDS }, finish_reason: 'error' }] }),
		],
	] as const) {
		it(`ends with the error that stands ${what}, whatever follows`, async () => {
			for (const [before, after] of [
				[SO_FAR, DONE],
				['', DONE],
				[SO_FAR, finish + DONE],
				[SO_FAR, ''],
			] as const) {
				for (const piece of [undefined, 7, 1]) {
					const { events, error: ended } = await read(before + error + after, 'text/event-stream', piece);
					assert.ok(ClientError.is(ended), `${JSON.stringify(after)} in pieces of ${piece}: ${JSON.stringify(events)}`);
					assert.equal(ended.serviceMessage, said);
					assert.equal(textOf(events), before === '' ? '' : 'So far');
				}
			}
		});
	}

	it('ends with the error in a last line without an end, with any kind of line end', async () => {
		for (const body of [`${SO_FAR}error: ${WORDS}`, `${SO_FAR}{"error":"${WORDS}"}`, `${SO_FAR}error: ${WORDS}\r\n`]) {
			for (const end of ['\n', '\r', '\r\n']) {
				const { error } = await read(body.replaceAll('\n', end), 'text/event-stream', 3);
				assert.equal(ClientError.is(error) && error.serviceMessage, WORDS, JSON.stringify(end));
			}
		}
	});

	it('does not end well if the server says no more than that it failed', async () => {
		const failed = chunk({ content: ' it came' }, {}, { finish_reason: 'error' });
		const { events, error } = await read(SO_FAR + failed + DONE);
		assert.equal(textOf(events), 'So far it came');
		assert.ok(ClientError.is(error, 'server'));
	});

	it('refuses a page in the midst of a stream, without its words', async () => {
		for (const page of ['<html><title>502</title></html>\n', 'data: <!doctype html><h1>Sign in</h1>\n\n']) {
			const { error } = await read(SO_FAR + page + DONE);
			assert.ok(ClientError.is(error, 'bad-response') && error.isPage);
			assert.equal(error.serviceMessage, undefined);
		}
	});

	it('ends without a reason at a mark alone', async () => {
		const { events, error } = await read(SO_FAR + DONE);
		assert.equal(error, undefined);
		assert.ok(!events.some(({ type }) => type === 'finish'));
	});

	it('passes over lines and events that hold no words of an error', async () => {
		const lines = [
			'ping\n',
			'x-request-id: 7\n',
			'HTTP_STATUS/200\n',
			'retry: 10\n',
			': at work\n',
			'  \n',
			'meta: {"node":7}\n',
		];
		const events = [
			sseEvent({ type: 'ping' }, 'ping'),
			sseEvent({ message: 'still in the queue' }, 'status'),
			sseEvent({ choices: [], prompt_filter_results: [{ index: 0 }] }),
		];
		for (const piece of [undefined, 3]) {
			const read_ = await read([SO_FAR, ...lines, ...events, finish, DONE].join(''), 'text/event-stream', piece);
			assert.equal(read_.error, undefined);
			assert.equal(textOf(read_.events), 'So far');
		}
	});

	const completion = {
		id: 'c1',
		object: 'chat.completion',
		choices: [{ index: 0, message: { role: 'assistant', content: 'All of it.' }, finish_reason: 'stop' }],
		usage: { total_tokens: 9 },
	};
	const pieces = [{ content: 'All ' }, { content: 'of it.' }].map(delta => ({ choices: [{ index: 0, delta }] }));
	const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { total_tokens: 9 } };
	const lines = [...pieces, last].map(piece => `${JSON.stringify(piece)}\n`).join('');
	const stream = [...pieces, last].map(piece => sseEvent(piece)).join('') + DONE;

	for (const [what, type, body] of [
		['a whole completion as a stream', 'text/event-stream', JSON.stringify(completion)],
		['a whole completion as data', 'text/event-stream', sseEvent(completion) + DONE],
		['a whole completion as a stream, on many lines', 'text/event-stream', JSON.stringify(completion, null, 2)],
		['a whole completion as text', 'text/plain', `${JSON.stringify(completion)}\n`],
		['a whole completion after blanks', 'application/json', `\n \n\n${JSON.stringify(completion, null, '\t')}`],
		['JSON lines', 'application/x-ndjson', lines],
		['JSON lines with a mark', 'application/jsonl', `${lines}[DONE]\n`],
		['JSON lines as JSON', 'application/json', lines],
		['JSON lines as a stream', 'text/event-stream', lines],
		['a stream as JSON', 'application/json', stream],
		['a stream as JSON, after a comment', 'application/json; charset=utf-8', `: at work\n\n${stream}`],
		['a stream as bytes', 'application/octet-stream', stream],
		['a stream with blanks before its fields', 'text/event-stream', stream.replaceAll('data:', ' Data:')],
	] as const) {
		it(`reads ${what}`, async () => {
			for (const piece of [undefined, 5]) {
				const { events, error } = await read(body, type, piece);
				assert.equal(error, undefined);
				assert.equal(textOf(events), 'All of it.');
				assert.ok(events.some(event => event.type === 'finish' && event.reason === 'stop'));
				assert.ok(events.some(event => event.type === 'usage' && event.usage.total_tokens === 9));
			}
		});
	}

	for (const [what, type, body] of [
		['a stream', 'text/event-stream', JSON.stringify({ error: { message: WORDS } })],
		['a stream, in parts', 'text/event-stream', JSON.stringify({ error: { message: WORDS } }, null, 2)],
		['JSON lines', 'application/x-ndjson', `${JSON.stringify({ error: WORDS })}\n`],
		['JSON of another form', 'application/json', JSON.stringify({ code: 'InvalidParameter', message: WORDS })],
		['a list', 'application/json', JSON.stringify([{ error: { message: WORDS } }])],
		['a stream that is called JSON', 'application/json', `data: ${JSON.stringify({ error: { message: WORDS } })}\n\n`],
		['text', 'text/plain', WORDS],
	] as const) {
		it(`tells the error that comes as ${what} with a status of success`, async () => {
			const { error } = await read(body, type);
			assert.equal(ClientError.is(error) && error.serviceMessage, WORDS);
		});
	}

	it('reads a stream as it comes, though it is called JSON', async () => {
		let finishIt = () => {};
		serve(response => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.write(SO_FAR);
			finishIt = () => void response.end(finish + DONE);
		});
		const reader = client.chat.stream(request)[Symbol.asyncIterator]();
		assert.deepEqual((await reader.next()).value, { type: 'text', text: 'So far' });
		finishIt();
		assert.deepEqual((await reader.next()).value, { type: 'finish', reason: 'stop' });
	});

	it('cuts the words of an error, and takes the key out of them', async () => {
		const long = `the key sk-inference is not allowed here, ${'really '.repeat(200)}`;
		const raw = JSON.stringify({ error: { message: long } });
		const { error } = await read(
			`error: ${JSON.stringify({ message: 'Provider returned error', metadata: { raw } })}\n\n`,
		);
		assert.ok(ClientError.is(error));
		assert.equal(error.serviceMessage?.length, 500);
		assert.match(error.serviceMessage, /^the key \[key\] is not allowed here/);
	});

	const eventsOf = async (...chunks: object[]) => {
		const { events, error } = await read(chunks.map(each => sseEvent(each)).join('') + finish + DONE);
		assert.equal(error, undefined);
		return events;
	};
	const delta = (fields: object) => ({ choices: [{ index: 0, delta: fields }] });
	const thoughtIn = (events: Awaited<ReturnType<typeof eventsOf>>) =>
		events.map(event => (event.type === 'reasoning' ? event.text : '')).join('');

	it('reads a message in place of every delta, and not once more after deltas', async () => {
		const message = (content: string) => ({ choices: [{ index: 0, message: { role: 'assistant', content } }] });
		assert.equal(
			textOf(await eventsOf(delta({ role: 'assistant' }), message('All '), message('of it.'))),
			'All of it.',
		);
		const repeated = { choices: [{ index: 0, delta: {}, message: { content: 'All of it.' } }] };
		assert.equal(
			textOf(await eventsOf(delta({ content: 'All ' }), delta({ content: 'of it.' }), repeated)),
			'All of it.',
		);
	});

	it('reads counts that come as text', async () => {
		const usage = {
			prompt_tokens: '12',
			completion_tokens: ' 3 ',
			total_tokens: 15,
			prompt_tokens_details: { cached_tokens: '4' },
		};
		const events = await eventsOf(delta({ content: 'a' }), { choices: [], usage });
		const told = events.find(event => event.type === 'usage');
		assert.deepEqual(JSON.parse(JSON.stringify(told?.usage)), {
			prompt_tokens: 12,
			completion_tokens: 3,
			total_tokens: 15,
			prompt_tokens_details: { cached_tokens: 4 },
		});
	});

	it('reads a refusal as what the model says', async () => {
		const words = 'I cannot help with that.';
		for (const fields of [
			{ refusal: words },
			{ content: null, refusal: words },
			{ content: '', refusal: words },
			{ content: [{ type: 'refusal', refusal: words }] },
		]) {
			assert.equal(textOf(await eventsOf(delta(fields))), words);
			const whole = JSON.stringify({ choices: [{ index: 0, message: fields, finish_reason: 'stop' }] });
			assert.equal(textOf((await read(whole, 'application/json')).events), words);
		}
	});

	it('reads thinking in parts, whatever the parts are called', async () => {
		for (const fields of [
			{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] },
			{ content: [{ type: 'thinking', thinking: 'Hm.' }] },
			{ content: [{ type: 'reasoning', text: 'Hm.' }] },
			{ content: null, reasoning: { text: 'Hm.' } },
			{ reasoning: [{ type: 'reasoning.text', text: 'Hm.' }] },
			{ reasoning_content: [{ type: 'text', text: 'Hm.' }] },
			{
				reasoning_details: [
					{ type: 'reasoning.summary', summary: 'Hm.' },
					{ type: 'reasoning.encrypted', data: 'x' },
				],
			},
			{ thinking: 'Hm.' },
			{ thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'x' }] },
		]) {
			const events = await eventsOf(delta(fields), delta({ content: [{ type: 'text', text: 'Yes.' }] }));
			assert.equal(thoughtIn(events), 'Hm.', JSON.stringify(fields));
			assert.equal(textOf(events), 'Yes.');
		}
	});

	it('does not read thinking twice that comes in two fields', async () => {
		const details = [{ type: 'reasoning.text', text: 'Hm.' }];
		assert.equal(thoughtIn(await eventsOf(delta({ reasoning: 'Hm.', reasoning_details: details }))), 'Hm.');
	});

	describe('that think aloud at the start of the content', () => {
		for (const [content, thought, text] of [
			['<think>Hm.</think>Yes.', 'Hm.', 'Yes.'],
			['<think>\nHm.\n</think>\n\nYes.', 'Hm.\n', 'Yes.'],
			['\n<think>Hm.</think>\n\n  Yes.', 'Hm.', 'Yes.'],
			['<thinking>a < b </ c</thinking>Yes.', 'a < b </ c', 'Yes.'],
			['<Think>Hm.</THINK>Yes.', 'Hm.', 'Yes.'],
			['<think></think>\n\nYes.', '', 'Yes.'],
			['<think>Hm.</think><think>So.</think>Yes.', 'Hm.So.', 'Yes.'],
			['<think>Hm. It is cut', 'Hm. It is cut', ''],
			['<think>Hm.</thi', 'Hm.</thi', ''],
			['Yes. <think>no</think>', '', 'Yes. <think>no</think>'],
			['<thinkpad>Yes', '', '<thinkpad>Yes'],
			['<thi', '', '<thi'],
			['<b>Yes</b>', '', '<b>Yes</b>'],
			['  Yes.', '', '  Yes.'],
		] as const) {
			it(`tells the thinking in ${JSON.stringify(content)} from the text`, async () => {
				for (const size of [content.length, 1, 3]) {
					const parts = content.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
					const events = await eventsOf(...parts.map(part => delta({ content: part })));
					assert.deepEqual([thoughtIn(events), textOf(events)], [thought, text], `in pieces of ${size}`);
				}
				const whole = await read(
					JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] }),
					'application/json',
				);
				assert.deepEqual([thoughtIn(whole.events), textOf(whole.events)], [thought, text]);
			});
		}

		it('delivers what was held back where the reply ends without a reason, or is cut off', async () => {
			const held = chunk({ content: '<th' });
			assert.equal(textOf((await read(held + DONE)).events), '<th');
			const cut = await read(held);
			assert.equal(textOf(cut.events), '<th');
			assert.ok(ClientError.is(cut.error, 'truncated'));
		});
	});
});
