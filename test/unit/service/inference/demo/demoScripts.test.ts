import assert from 'node:assert/strict';
import type { ChatRequest } from '../../../../../src/contract/chatRequest.ts';
import { placeCitations } from '../../../../../src/contract/citations.ts';
import { demoImage } from '../../../../../src/service/inference/demo/demoImage.ts';
import { textOfPieces } from '../../../../../src/service/inference/demo/demoPiece.ts';
import { demoReply } from '../../../../../src/service/inference/demo/demoScripts.ts';

const asking = (content: string, fields: Partial<ChatRequest> = {}) =>
	demoReply({ model: 'demo', messages: [{ role: 'user', content }], ...fields });

const textOf = (content: string, fields?: Partial<ChatRequest>) => textOfPieces(asking(content, fields).pieces);

const tool = (name: string, parameters: Record<string, unknown> = {}) => ({
	type: 'function' as const,
	function: { name, parameters },
});

const SCRIPTS = [
	'help',
	'slow',
	'long',
	'markdown',
	'code',
	'table',
	'reasoning',
	'tools',
	'parallel',
	'citations',
	'json',
	'random',
	'cut',
	'error',
	'fail',
	'fallback',
];

describe('demoReply', () => {
	it('says in every reply that it is no language model', () => {
		const silent = new Set(['fail', 'fallback']);
		const prompts = SCRIPTS.filter(name => !silent.has(name)).map(name => `/demo ${name}`);
		for (const prompt of [...prompts, 'Hello', '/demo nonsense', '']) {
			for (const model of ['demo', 'demo-code', 'errand-search']) {
				assert.match(textOf(prompt, { model }), /Errand's built-in demo, not a language model/, `${model}: ${prompt}`);
			}
		}
		assert.match(textOf('x', { tools: [tool('read')], tool_choice: 'required' }), /not a language model/);
		assert.match(textOf('x', { response_format: { type: 'json_object' } }), /not a language model/);
	});

	it('answers the same conversation with the same text, and another with another', () => {
		assert.equal(textOf('One two'), textOf('One two'));
		assert.notEqual(textOf('One two'), textOf('One two three'));
		const before = { role: 'user' as const, content: 'Before' };
		assert.notEqual(textOf('One two'), textOf('', { messages: [before, { role: 'user', content: 'One two' }] }));
	});

	it('reflects the prompt in a list and a code block that the prompt cannot end', () => {
		const text = textOf('Try ``` to escape ```` here');
		assert.match(text, /^- \*\*6\*\* words$/m);
		const [, fence = '', json = ''] = /^(`{3,})json\n([\s\S]+?)\n\1$/m.exec(text) ?? [];
		assert.ok(fence.length > 4);
		assert.equal((JSON.parse(json) as { prompt: string }).prompt, 'Try ``` to escape ```` here');
	});

	it('repeats little of a prompt that is long, whatever it holds', () => {
		const prompt = '` '.repeat(1_000_000);
		for (const text of [
			textOf(prompt),
			textOf(`/demo json ${prompt}`),
			textOf(`/demo citations ${prompt}`),
			textOf(prompt, { response_format: { type: 'json_object' } }),
			textOf('', { messages: [{ role: 'tool', tool_call_id: 'x', content: prompt }] }),
		]) {
			assert.ok(text.length < 3_000, String(text.length));
		}
	});

	describe('of images that come with the message', () => {
		const told = (...urls: string[]) => {
			const images = urls.map(url => ({ type: 'image_url' as const, image_url: { url } }));
			const text = textOf('', {
				messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...images] }],
			});
			assert.match(text, /^- \*\*3\*\* words$/m);
			return /^- \*\*\d+\*\* images?, of which .*\n(?: {2}- .*\n)+/m.exec(text)?.[0].split('\n').slice(0, -1) ?? [];
		};
		const data = (type: string, bytes: Uint8Array) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

		it('tells type, size in pixels and bytes by what they hold', () => {
			const fox = demoImage('fox');
			assert.deepEqual(told(data('image/jpeg', fox)), [
				'- **1** image, of which the demo reads the header alone:',
				`  - \`image/png\`, 256 × 256 pixels, ${fox.length.toLocaleString('en-US')} bytes`,
			]);
		});

		it('says what it cannot read, and loads nothing', () => {
			assert.deepEqual(
				told(
					data('image/svg+xml', Buffer.from('<svg>')),
					data('', Buffer.from('x')),
					data('`] **x**', Buffer.from('xy')),
					'https://example.com/a.png',
					'data:image/png,abc',
				).slice(1),
				[
					'  - 5 bytes sent as `image/svg+xml`, without a size in pixels that the demo could read',
					'  - 1 byte of a type that is not told, without a size in pixels that the demo could read',
					'  - 2 bytes of a type that is not told, without a size in pixels that the demo could read',
					'  - one at an address, from which the demo loads nothing',
					'  - one at an address, from which the demo loads nothing',
				],
			);
		});

		it('describes some of very many, and those of the last message alone', () => {
			const lines = told(...Array.from({ length: 12 }, () => data('image/png', demoImage('fox'))));
			assert.equal(lines.length, 12);
			assert.equal(lines.at(-1), '  - and 2 more');
			const before = { role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url: 'data:,' } }] };
			assert.doesNotMatch(textOf('', { messages: [before, { role: 'user', content: 'And now?' }] }), /image/);
		});
	});

	it('lists all of its scripts, and shows the list for one that does not exist, whatever its name', () => {
		const listed = [...textOf('/demo help').matchAll(/^- `\/demo (\w+)`: /gm)].map(([, name]) => name);
		assert.deepEqual(listed, SCRIPTS);
		for (const name of ['nonsense', '__proto__', 'constructor', 'toString', '']) {
			assert.equal(textOf(`/demo ${name}`), textOf('/demo help'), name);
		}
	});

	it('is asked for a script by the word /demo alone', () => {
		assert.notEqual(textOf('/demonstrate'), textOf('/demo'));
	});

	it('markdown holds everything that a view must not run or load', () => {
		const text = textOf('/demo markdown');
		for (const part of [
			/^# /m,
			/^\| :--- \|/m,
			/\]\(https:/,
			/!\[.*\]\(https:/,
			/<script>/,
			/onerror=/,
			/^```html$/m,
		]) {
			assert.match(text, part);
		}
	});

	it('long is long, code has code, table has a table', () => {
		assert.ok(textOf('/demo long').length > 8_000);
		assert.match(textOf('/demo code'), /^```python$/m);
		assert.match(textOf('/demo table'), /^\| 12 \| 144 \| 1728 \|$/m);
	});

	it('random depends on the seed alone', () => {
		assert.equal(textOf('/demo random', { seed: 7 }), textOf('/demo random', { seed: 7 }));
		assert.notEqual(textOf('/demo random', { seed: 7 }), textOf('/demo random', { seed: 8 }));
	});

	it('reasoning and the code-oriented model reason before they answer', () => {
		assert.notDeepEqual(asking('/demo reasoning').reasoning, []);
		assert.notDeepEqual(asking('Hello', { model: 'demo-code' }).reasoning, []);
		assert.deepEqual(asking('Hello').reasoning, []);
	});

	it('fallback fails under the first slug and is answered under the second', () => {
		const request = { model: 'demo', messages: [{ role: 'user' as const, content: '/demo fallback' }] };
		assert.equal(demoReply(request, true).fails?.code, 'unavailable');
		assert.match(textOfPieces(demoReply(request, false).pieces), /in place of/);
	});

	it('cites sources whose places are statements of its text', () => {
		const { pieces, annotations } = asking('Where is 🔎 the harbour?', { model: 'errand-search' });
		const text = textOfPieces(pieces);
		const cited = placeCitations(text, annotations).map(({ range }) => text.slice(range?.start, range?.end));
		assert.deepEqual(
			cited,
			[1, 2, 3].map(number => `Statement ${number} has a source.`),
		);
		assert.match(text, /Nothing was searched for/);
	});

	describe('with tools', () => {
		const tools = [
			tool('tide', { type: 'object', properties: { day: { type: 'integer' } } }),
			tool('wind'),
			tool('moon'),
		];
		const called = (prompt: string, fields: Partial<ChatRequest>) =>
			asking(prompt, { tools, ...fields }).calls.map(({ name }) => name);

		it('calls them only where it is asked to', () => {
			assert.deepEqual(called('Hello', {}), []);
			assert.deepEqual(called('Hello', { tool_choice: 'auto' }), []);
			assert.deepEqual(called('/demo tools', {}), ['tide']);
			assert.deepEqual(called('/demo parallel', {}), ['tide', 'wind']);
			assert.deepEqual(called('/demo parallel', { tools: tools.slice(0, 1) }), ['tide', 'tide']);
		});

		it('honours tool_choice', () => {
			assert.deepEqual(called('/demo tools', { tool_choice: 'none' }), []);
			assert.deepEqual(called('Hello', { tool_choice: 'required' }), ['tide']);
			const moon = { type: 'function' as const, function: { name: 'moon' } };
			assert.deepEqual(called('Hello', { tool_choice: moon }), ['moon']);
		});

		it('fills in arguments that fit the parameters', () => {
			const [call] = asking('/demo tools', { tools }).calls;
			assert.deepEqual(JSON.parse(call?.arguments ?? ''), { day: 1 });
		});

		it('shows what the tools answered, and calls no more', () => {
			const messages: ChatRequest['messages'] = [
				{ role: 'user', content: '/demo tools' },
				{
					role: 'assistant',
					content: '',
					tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'tide', arguments: '{}' } }],
				},
				{ role: 'tool', tool_call_id: 'call_1', content: 'High at ``` noon' },
			];
			const reply = demoReply({ model: 'demo', messages, tools });
			assert.deepEqual(reply.calls, []);
			assert.match(textOfPieces(reply.pieces), /^````text\nHigh at ``` noon\n````$/m);
		});

		it('refuses a call that cannot be made', () => {
			const missing = { type: 'function' as const, function: { name: 'nobody' } };
			for (const fields of [
				{ tools: [], tool_choice: 'required' as const },
				{ tool_choice: missing },
				{
					tools: [tool('strict', { type: 'object', properties: { id: { pattern: '^x' } } })],
					tool_choice: 'required' as const,
				},
			]) {
				const { fails } = asking('Hello', { tools, ...fields });
				assert.equal(fails?.code, 'invalid_request');
				assert.match(fails?.message ?? '', /^(tool_choice|tools): /);
			}
		});
	});

	describe('with a response format', () => {
		const formatted = (schema: unknown, fields: Partial<ChatRequest> = {}) =>
			asking('Hello', { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } }, ...fields });

		it('answers with JSON and nothing else', () => {
			const reply = JSON.parse(textOf('Hello', { response_format: { type: 'json_object' } })) as { prompt: string };
			assert.equal(reply.prompt, 'Hello');
			const schema = { type: 'object', properties: { ok: { const: true } } };
			assert.deepEqual(JSON.parse(textOfPieces(formatted(schema).pieces)), { ok: true });
		});

		it('chooses among listed values by the conversation and the seed, with probabilities that sum to one', () => {
			const schema = { enum: ['red', 'green', 'blue'] };
			const chosen = new Set<string>();
			for (let seed = 0; seed < 30; seed++) {
				const { pieces } = formatted(schema, { seed });
				chosen.add(textOfPieces(pieces));
				const piece = pieces.find(({ alternatives }) => alternatives !== undefined);
				const sum = (piece?.alternatives ?? []).reduce((total, { probability }) => total + probability, 0);
				assert.ok(Math.abs(sum - 1) < 1e-9);
				const likeliest = Math.max(...(piece?.alternatives ?? []).map(({ probability }) => probability));
				assert.equal(piece?.alternatives?.find(({ text }) => text === piece.text)?.probability, likeliest);
			}
			assert.ok(chosen.size > 1);
		});

		it('keeps to the format after tools have answered, too', () => {
			const messages: ChatRequest['messages'] = [
				{ role: 'user', content: 'Hello' },
				{ role: 'tool', tool_call_id: 'call_1', content: 'high' },
			];
			JSON.parse(textOf('', { messages, response_format: { type: 'json_object' } }));
		});

		it('refuses a format that it does not know or cannot keep to', () => {
			for (const reply of [
				asking('Hello', { response_format: { type: 'yaml' } }),
				asking('Hello', { response_format: { type: 'json_schema' } }),
				formatted({ type: 'string', pattern: 'x+' }),
			]) {
				assert.equal(reply.fails?.code, 'invalid_request');
				assert.match(reply.fails?.message ?? '', /^response_format/);
			}
		});
	});
});
