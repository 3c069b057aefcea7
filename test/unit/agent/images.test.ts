import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const read = (file: string) => call('read', { path: file });
const DONE: ScriptedReply = { text: 'Done.' };

/** A PNG of one pixel. */
const PNG = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

interface Message {
	role: string;
	content: unknown;
}

describe('an image of the tree, for Errand’s own agent', () => {
	const own = useOwnAgent();
	const put = (name: string, bytes: Buffer | string) => writeFileSync(path.join(own.folder, name), bytes);
	const url = `data:image/png;base64,${PNG.toString('base64')}`;
	const messages = () => (own.server.requests.at(-1)?.body['messages'] ?? []) as Message[];

	for (const api of ['chat', 'responses', undefined]) {
		it(`is shown to a model that takes images, after the results of the same reply, with ${api ?? 'no'} endpoint named`, async () => {
			put('a.png', PNG);
			put('b.txt', 'text\n');
			const agent = await own.start({ IMAGES: '1', ...(api !== undefined && { API: api }) });
			own.server.play(
				{
					calls: [
						{ name: 'read', input: { path: 'a.png' } },
						{ name: 'read', input: { path: 'b.txt' } },
					],
				},
				DONE,
			);
			assert.equal(await agent.session.prompt('Look'), 'end_turn');
			assert.deepEqual(
				messages()
					.slice(3)
					.map(({ role, content }) => [role, content]),
				[
					['tool', 'The image is in the message after this.'],
					['tool', '    1\ttext\n'],
					['user', [{ type: 'image_url', image_url: { url } }]],
				],
			);
			const shown = agent.events.flatMap(event => (event.type === 'tool' ? [event.call] : []));
			assert.ok(shown.some(({ title, output }) => title === 'Read a.png' && output === 'a.png: image/png, 1×1'));
			own.server.play(DONE);
			await agent.session.prompt('And now?');
			assert.deepEqual(
				messages()
					.slice(5)
					.map(({ role }) => role),
				['user', 'assistant', 'user'],
			);
		});
	}

	it('is not shown where the model is not known to take images, is too large or damaged, and the model is told', async () => {
		put('a.png', PNG);
		put('large.png', Buffer.concat([PNG, Buffer.alloc(1_500_000)]));
		put('damaged.png', PNG.subarray(0, 15));
		for (const [settings, file, said] of [
			[{}, 'a.png', /a\.png is an image\. The model scripted is not known to take images/],
			[{ IMAGES: '1' }, 'large.png', /large\.png is an image\. It has \d+ bytes, and 1500000 is the most/],
			[{ IMAGES: '1' }, 'damaged.png', /damaged\.png is an image that is damaged/],
		] as const) {
			const agent = await own.start(settings);
			own.server.play(read(file), DONE);
			assert.equal(await agent.session.prompt('Look'), 'end_turn');
			assert.match(own.server.requests.at(-1)?.results.at(-1) ?? '', said);
		}
	});

	it('is one of at most six, until older ones are shortened, and no other result is taken for one', async () => {
		for (let index = 0; index < 7; index++) {
			put(`${index}.png`, PNG);
		}
		const agent = await own.start({ IMAGES: '1' });
		own.server.play(
			...Array.from({ length: 7 }, (_, index) => read(`${index}.png`)),
			call('run', { command: `printf '${url}'` }),
			DONE,
		);
		assert.equal(await agent.session.prompt('Look'), 'end_turn');
		const results = own.server.requests.at(-1)?.results ?? [];
		assert.match(results[6] ?? '', /has 6 images already/);
		assert.match(results[7] ?? '', /^ data:image\/png/);
		assert.equal(messages().filter(({ content }) => Array.isArray(content)).length, 6);
	});

	it('is shortened like any old result', async () => {
		put('a.png', PNG);
		put('long.txt', `${'some words '.repeat(9)}\n`.repeat(250));
		const agent = await own.start({ IMAGES: '1', CONTEXT_LENGTH: '20000' });
		own.server.play(read('a.png'), read('long.txt'), call('read', { path: 'long.txt', from_line: 2 }), DONE);
		assert.equal(await agent.session.prompt('Look'), 'end_turn');
		assert.match(JSON.stringify(own.server.requests.at(-1)?.body), /an image, no longer shown/);
	});
});

describe('an image of a message, for Errand’s own agent', () => {
	const own = useOwnAgent();
	const image = { mimeType: 'image/png', data: PNG.toString('base64') };
	const url = `data:${image.mimeType};base64,${image.data}`;
	const part = { type: 'image_url', image_url: { url } };
	const messages = () =>
		((own.server.requests.at(-1)?.body['messages'] ?? []) as Message[])
			.slice(1)
			.map(({ role, content }) => [role, content]);

	for (const api of ['chat', 'responses', undefined]) {
		it(`reaches a model that takes images, in this turn and the next, with ${api ?? 'no'} endpoint named`, async () => {
			const agent = await own.start({ IMAGES: '1', ...(api !== undefined && { API: api }) });
			assert.equal(agent.session.takesImages, true);
			own.server.play(DONE, DONE);
			await agent.session.prompt('Look at both', [], [image, image]);
			const first = ['user', [{ type: 'text', text: 'Look at both' }, part, part]];
			assert.deepEqual(messages(), [first]);
			await agent.session.prompt(url);
			// What only looks like an image is a text.
			assert.deepEqual(messages(), [first, ['assistant', 'Done.'], ['user', ` ${url}`]]);
		});
	}

	it('stays when a summary replaces the conversation', async () => {
		const agent = await own.start({ IMAGES: '1', CONTEXT_LENGTH: '12000' });
		const thoughts = 'some words '.repeat(900);
		own.server.play(
			...['a', 'b'].map(path => ({ text: thoughts, calls: [{ name: 'list', input: { path } }] })),
			{ text: 'A summary.' },
			DONE,
		);
		await agent.session.prompt('Look', [], [image]);
		const sent = JSON.stringify(messages());
		assert.match(sent, /A summary\./);
		assert.ok(sent.includes(url));
	});

	it('is not taken for a model that is not known to take images', async () => {
		assert.equal((await own.start()).session.takesImages, false);
	});
});
