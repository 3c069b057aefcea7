import assert from 'node:assert/strict';
import { useAgent } from './useAgent.ts';

const RESOURCES = [
	{ uri: 'instructions', text: 'Write tests.' },
	{ uri: 'file:///srv/clone/a%20b.txt', text: 'one\ntwo\n' },
];

describe('texts that go with a prompt', () => {
	const agent = useAgent();

	/** Prompts an agent that says what it can with `agentCapabilities`, and returns the blocks that it got. */
	async function blocksFor(
		agentCapabilities: unknown,
		text: string,
		resources?: readonly { uri: string; text: string }[],
		images?: readonly { mimeType: string; data: string }[],
	): Promise<unknown[]> {
		const child = agent.start([
			'-e',
			`const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
			require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
				const { id, method, params } = JSON.parse(line);
				if (method === 'session/new') {
					const availableCommands = [{ name: 'review', description: '' }];
					const update = { sessionUpdate: 'available_commands_update', availableCommands };
					say({ method: 'session/update', params: { sessionId: 'one', update } });
				}
				if (method === 'session/prompt') {
					const content = { type: 'text', text: JSON.stringify(params.prompt) };
					const update = { sessionUpdate: 'agent_message_chunk', content };
					say({ method: 'session/update', params: { sessionId: params.sessionId, update } });
				}
				const agentCapabilities = ${JSON.stringify(agentCapabilities)};
				say({ id, result: { protocolVersion: 1, sessionId: 'one', agentCapabilities, stopReason: 'end_turn' } });
			});`,
		]);
		const session = await agent.open({}, { child });
		assert.equal(await (resources ? session.prompt(text, resources, images) : session.prompt(text)), 'end_turn');
		return agent.told().at(-1);
	}

	it('come with images for an agent that takes them', async () => {
		const images = [{ mimeType: 'image/png', data: 'AAAA' }];
		const image = { type: 'image', ...images[0] };
		assert.deepEqual(await blocksFor({ promptCapabilities: { image: true } }, 'Go', [], images), [
			image,
			{ type: 'text', text: 'Go' },
		]);
		assert.deepEqual(await blocksFor({}, 'Go', [], images), [{ type: 'text', text: 'Go' }]);
	});

	it('come after a command of the agent’s own, which it would not find elsewhere', async () => {
		const embedded = { promptCapabilities: { embeddedContext: true } };
		const [resource] = RESOURCES;
		assert.deepEqual(await blocksFor(embedded, '/review main', RESOURCES.slice(0, 1)), [
			{ type: 'text', text: '/review main' },
			{ type: 'resource', resource },
		]);
		assert.deepEqual(await blocksFor({}, '/review', RESOURCES.slice(0, 1)), [
			{ type: 'text', text: '/review\n\ninstructions:\nWrite tests.' },
		]);
		assert.deepEqual(await blocksFor(embedded, '/reviewer', RESOURCES.slice(0, 1)), [
			{ type: 'resource', resource },
			{ type: 'text', text: '/reviewer' },
		]);
	});

	it('are resources before the text, for an agent that takes them', async () => {
		assert.deepEqual(await blocksFor({ promptCapabilities: { embeddedContext: true } }, 'Go', RESOURCES), [
			{ type: 'resource', resource: RESOURCES[0] },
			{ type: 'resource', resource: RESOURCES[1] },
			{ type: 'text', text: 'Go' },
		]);
	});

	it('are a part of the text, each behind its name, for any other', async () => {
		const text = 'instructions:\nWrite tests.\n\nfile:///srv/clone/a%20b.txt:\none\ntwo\n\n\nGo';
		for (const capabilities of [
			undefined,
			{},
			{ promptCapabilities: {} },
			{ promptCapabilities: { embeddedContext: false, image: true } },
			{ promptCapabilities: { embeddedContext: 'yes' } },
			{ promptCapabilities: [true] },
			{ promptCapabilities: null },
		]) {
			assert.deepEqual(await blocksFor(capabilities, 'Go', RESOURCES), [{ type: 'text', text }]);
		}
	});

	it('leave the text alone where there are none', async () => {
		for (const embeddedContext of [true, false]) {
			for (const resources of [undefined, []]) {
				assert.deepEqual(await blocksFor({ promptCapabilities: { embeddedContext } }, '\n Go ', resources), [
					{ type: 'text', text: '\n Go ' },
				]);
			}
		}
	});
});
