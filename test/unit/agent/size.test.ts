import assert from 'node:assert/strict';
import { mcpServerOf } from '../../support/ownAgent.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';

/** The usual average of tokenizers. */
const CHARACTERS_PER_TOKEN = 4;

describe('a task of one call', () => {
	const own = useOwnAgent();

	it('takes at most 1,150 of the 1,200 tokens in that it may take, also with a server of 40 tools and with the web', async () => {
		for (const [api, head] of [
			['responses', ['instructions', 'tools', 'input']],
			['chat', ['messages', 'tools']],
		] as const) {
			const agent = await own.start({ API: api, WEB: 'fetch,search' }, { mcpServers: [mcpServerOf('many')] });
			own.server.play({ text: 'Hello.' });
			await agent.session.prompt('Say hello');
			const { body = {} } = own.server.requests.at(-1) ?? {};
			const tokensOf = (part: unknown) => Math.ceil(JSON.stringify(part).length / CHARACTERS_PER_TOKEN);
			const tokens = head.reduce((sum, name) => sum + tokensOf(body[name]), 0);
			const each = (body['tools'] as { name?: string; function?: { name: string } }[])
				.map(tool => `${tool.name ?? tool.function?.name} ${tokensOf(tool)}`)
				.join(', ');
			assert.ok(
				tokens > 500 && tokens <= 1_150,
				`${tokens} tokens by ${api}, of which the tools take: ${each}. Every request has them, so shorten some.`,
			);
		}
	});
});
