import assert from 'node:assert/strict';
import { objectsOf } from '../../src/base/fields.ts';
import { skipWithoutSandbox, TestSandbox } from '../support/sandbox.ts';
import { withServerInSandbox } from '../support/serverInSandbox.ts';

const WANTED = '@modelcontextprotocol/server-everything@2026.8.31';

describe('an MCP server of others that is a package', () => {
	let sandbox: TestSandbox;

	before(async function () {
		await skipWithoutSandbox(this);
		sandbox = await TestSandbox.create();
	});
	after(() => sandbox?.remove());

	it('is installed from the registry with the user’s own npm, once, and is used in its sandbox', async () => {
		const server = { command: 'npx', args: ['-y', WANTED, 'stdio'] };
		// The second run cannot reach a registry.
		for (const environment of [process.env, { ...process.env, npm_config_registry: 'http://127.0.0.1:9/' }]) {
			const content = await withServerInSandbox(sandbox, server, environment, async ask => {
				const clientInfo = { name: 'test', version: '1' };
				await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
				const { tools } = await ask('tools/list');
				assert.ok(objectsOf(tools).some(({ name }) => name === 'echo'));
				return (await ask('tools/call', { name: 'echo', arguments: { message: 'from the sandbox' } }))['content'];
			});
			assert.deepEqual(content, [{ type: 'text', text: 'Echo: from the sandbox' }]);
		}
	});
});
