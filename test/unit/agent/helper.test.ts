import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { MAXIMUM_UNUSABLE } from '../../../src/agent/calls.ts';
import type { OwnAgent } from '../../support/ownAgent.ts';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const ask = call('task', { prompt: 'Where is b defined?' });

describe('a helper of Errand’s own agent', () => {
	const own = useOwnAgent();
	beforeEach(() => writeFileSync(path.join(own.folder, 'a.ts'), 'export const b = 1;\n'));

	const helpers = ({ events }: OwnAgent) =>
		events.flatMap(event => (event.type === 'tool' && event.call.title.startsWith('Helper: ') ? [event.call] : []));
	const toolNames = (request: number) =>
		((own.server.requests[request]?.body['tools'] ?? []) as { name: string }[]).map(({ name }) => name);

	it('has a conversation of its own, of which the model gets the answer alone', async () => {
		const agent = await own.start();
		own.server.play(
			ask,
			call('read', { path: 'a.ts' }),
			{ text: 'In a.ts, line 1.' },
			call('edit', { path: 'a.ts', old: 'b = 1', new: 'b = 2' }),
			{ text: 'Done.' },
		);
		assert.equal(await agent.session.prompt('Make b two'), 'end_turn');
		const [, first, second, after] = own.server.requests;
		assert.deepEqual(first?.results, []);
		assert.match(JSON.stringify(first?.body['input']), /Where is b defined\?/);
		assert.doesNotMatch(JSON.stringify(first?.body['input']), /Make b two/);
		assert.deepEqual(second?.results, ['    1\texport const b = 1;\n']);
		assert.deepEqual(after?.results, ['In a.ts, line 1.']);
	});

	it('can only read and search, and has no helper itself', async () => {
		const agent = await own.start();
		own.server.play(
			ask,
			{
				calls: ['write', 'run', 'task'].map(name => ({ name, input: { path: 'c.ts', content: '', command: 'true' } })),
			},
			{ text: 'I cannot write.' },
			{ text: 'Done.' },
		);
		await agent.session.prompt('Go');
		assert.deepEqual(toolNames(1), ['read', 'list', 'glob', 'search']);
		assert.deepEqual(
			own.server.requests[2]?.results.map(result => /^There is no tool/.test(result)),
			[true, true, true],
		);
	});

	it('is one step, which shows what it did and what it answered', async () => {
		const agent = await own.start();
		own.server.play(
			ask,
			call('search', { pattern: 'b' }),
			call('read', { path: 'a.ts' }),
			{ text: 'In a.ts.' },
			{ text: 'Done.' },
		);
		await agent.session.prompt('Go');
		const shown = helpers(agent);
		assert.equal(new Set(shown.map(({ id }) => id)).size, 1);
		assert.ok(shown.some(({ output }) => output === '- Search "b"'));
		assert.equal(shown.at(-1)?.status, 'completed');
		assert.equal(shown.at(-1)?.output, '- Search "b"\n- Read a.ts\n\nIn a.ts.');
		const titles = agent.events.flatMap(event => (event.type === 'tool' ? [event.call.title] : []));
		assert.ok(!titles.includes('Read a.ts'));
	});

	it('that fails is told to the model, which goes on', async () => {
		const agent = await own.start();
		const useless = Array.from({ length: MAXIMUM_UNUSABLE }, () => call('fly', {}));
		own.server.play(ask, ...useless, { text: 'I looked myself.' });
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
		assert.match(
			own.server.requests.at(-1)?.results.at(-1) ?? '',
			/^The helper failed\. The model scripted called tools/,
		);
		assert.equal(helpers(agent).at(-1)?.status, 'failed');
	});

	it('is stopped with the turn', async () => {
		const agent = await own.start();
		own.server.play(ask, { text: 'I am', hangs: true });
		const prompt = agent.session.prompt('Go');
		await own.server.requested(2);
		await agent.session.cancel();
		assert.equal(await prompt, 'cancelled');
		assert.equal(own.server.requests.length, 2);
	});
});
