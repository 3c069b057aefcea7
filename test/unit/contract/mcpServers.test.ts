import assert from 'node:assert/strict';
import {
	mcpServerSchema,
	placeholdersOf,
	readServerFile,
	SERVER_FILES,
	withValues,
} from '../../../src/contract/mcpServers.ts';

const [editorFile, sharedFile] = SERVER_FILES;

/** A placeholder as declarations write it. */
const input = (name: string) => `\${input:${name}}`;
const FOLDER = `\${workspaceFolder}`;
const variable = (name: string) => `\${env:${name}}`;

describe('a file that declares MCP servers', () => {
	const server = { command: 'npx', args: ['-y', 'server@1.0.0'], env: { TOKEN: input('token') } };

	it('is read by its own member, and its servers reach nothing and can only read', () => {
		const expected = { ...server, name: 'one', hosts: [], files: 'read' };
		assert.deepEqual(readServerFile({ servers: { one: server } }, editorFile).servers, [
			{ ...expected, file: '.vscode/mcp.json' },
		]);
		assert.deepEqual(readServerFile({ mcpServers: { one: server } }, sharedFile).servers, [
			{ ...expected, file: '.mcp.json' },
		]);
		assert.deepEqual(readServerFile({ servers: { one: server } }, sharedFile).servers, []);
	});

	it('cannot give its servers hosts, or files to write', () => {
		const [read] = readServerFile(
			{ servers: { one: { ...server, hosts: ['evil.example'], files: 'write' } } },
			editorFile,
		).servers;
		assert.deepEqual([read?.hosts, read?.files], [[], 'read']);
	});

	it('names servers that cannot be used, and why', () => {
		const { servers, unusable } = readServerFile(
			{
				servers: {
					remote: { type: 'http', url: 'https://mcp.example' },
					broken: { command: 5 },
					loader: { command: 'x', env: { LD_PRELOAD: '/tmp/x.so' } },
					'a/b': server,
				},
			},
			editorFile,
		);
		assert.deepEqual(servers, []);
		assert.deepEqual(unusable, [
			{ name: 'remote', reason: 'address' },
			...['broken', 'loader', 'a/b'].map(name => ({ name, reason: 'form' })),
		]);
	});

	it('cannot declare more of a server than a question can show', () => {
		const long = { command: 'x', args: ['y'.repeat(1_000)], env: { A: 'z'.repeat(1_000) } };
		assert.deepEqual(readServerFile({ servers: { long } }, editorFile), {
			servers: [],
			unusable: [{ name: 'long', reason: 'length' }],
		});
	});

	it('that is something else declares nothing', () => {
		for (const value of [undefined, null, [], 'servers', { servers: [server] }, { servers: 5 }]) {
			assert.deepEqual(readServerFile(value, editorFile).servers, []);
		}
	});
});

describe('the placeholders of an MCP server', () => {
	const server = mcpServerSchema.parse({
		command: 'server',
		args: ['--folder', FOLDER, input('token')],
		env: { A: `${variable('HOME')}/${input('token')}`, B: input('other.key') },
	});

	it('are listed once each, by their kind', () => {
		assert.deepEqual(placeholdersOf(server), { inputs: ['token', 'other.key'], variables: ['HOME'] });
	});

	it('become values, which are not read for placeholders again', () => {
		const values = { folder: '/workspace/a', input: () => variable('SECRET'), variable: (name: string) => `<${name}>` };
		assert.equal(
			withValues(`${input('token')} ${variable('A')} \${workspaceFolder}`, values),
			`${variable('SECRET')} <A> /workspace/a`,
		);
		const others = `$input:x \${input:} \${command:x}`;
		assert.equal(withValues(others, values), others);
	});
});
