import assert from 'node:assert/strict';
import {
	mcpServerSchema,
	placeholdersOf,
	readServerFile,
	SERVER_FILES,
	taskServerSchema,
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

	it('cannot give its servers hosts or files to write, or take the sandbox from them', () => {
		const others = { hosts: ['evil.example'], files: 'write', clientId: 'x', sandbox: false };
		const { servers } = readServerFile(
			{ servers: { one: { ...server, ...others }, two: { url: 'https://mcp.example', ...others } } },
			editorFile,
		);
		assert.deepEqual(servers, [
			{ ...server, name: 'one', file: '.vscode/mcp.json', hosts: [], files: 'read' },
			{ url: 'https://mcp.example', headers: {}, hosts: [], name: 'two', file: '.vscode/mcp.json' },
		]);
	});

	it('may name an address with headers in place of a command', () => {
		const headers = { Authorization: `Bearer ${input('token')}` };
		for (const type of ['http', 'streamable-http', undefined]) {
			const { servers, unusable } = readServerFile(
				{ mcpServers: { remote: { type, url: 'https://mcp.example/mcp?set=all', headers } } },
				sharedFile,
			);
			assert.deepEqual(servers, [
				{ url: 'https://mcp.example/mcp?set=all', headers, hosts: [], name: 'remote', file: '.mcp.json' },
			]);
			assert.deepEqual(unusable, []);
			assert.deepEqual(placeholdersOf(servers[0] ?? assert.fail()), { inputs: ['token'], variables: [] });
		}
	});

	it('cannot name an address in the user’s own network', () => {
		for (const host of [
			'http://127.0.0.1:80',
			'https://localhost',
			'https://10.0.0.1',
			'https://[fe80::1]',
			'https://a.local',
		]) {
			const { servers, unusable } = readServerFile({ servers: { near: { url: `${host}/mcp` } } }, editorFile);
			assert.deepEqual([servers, unusable], [[], [{ name: 'near', reason: 'private' }]], host);
		}
	});

	it('names servers that cannot be used, and why', () => {
		const { servers, unusable } = readServerFile(
			{
				servers: {
					old: { type: 'sse', url: 'https://mcp.example' },
					both: { command: 'x', url: 'https://mcp.example' },
					plain: { url: 'http://mcp.example' },
					named: { url: 'https://me:secret@mcp.example' },
					filled: { url: `https://mcp.example/${input('key')}` },
					header: { url: 'https://mcp.example', headers: { Host: 'other.example' } },
					line: { url: 'https://mcp.example', headers: { A: 'a\r\nHost: b' } },
					broken: { command: 5 },
					loader: { command: 'x', env: { LD_PRELOAD: '/tmp/x.so' } },
					'a/b': server,
				},
			},
			editorFile,
		);
		assert.deepEqual(servers, []);
		assert.deepEqual(unusable, [
			...['old', 'both', 'plain', 'named', 'filled', 'header', 'line'].map(name => ({ name, reason: 'address' })),
			...['broken', 'loader', 'a/b'].map(name => ({ name, reason: 'form' })),
		]);
	});

	it('cannot declare more of a server than a question can show', () => {
		const long = { command: 'x', args: ['y'.repeat(1_000)], env: { A: 'z'.repeat(1_000) } };
		const far = { url: 'https://mcp.example', headers: { A: 'z'.repeat(2_000) } };
		assert.deepEqual(readServerFile({ servers: { long, far } }, editorFile), {
			servers: [],
			unusable: ['long', 'far'].map(name => ({ name, reason: 'length' })),
		});
	});

	it('that is something else declares nothing', () => {
		for (const value of [undefined, null, [], 'servers', { servers: [server] }, { servers: 5 }]) {
			assert.deepEqual(readServerFile(value, editorFile).servers, []);
		}
	});
});

describe('an MCP server of a task', () => {
	it('runs in a sandbox or at an address, as nobody is asked about its calls', () => {
		const handed = { name: 'one', inputs: {}, variables: {}, packages: '/packages' };
		const isTaken = (declaration: object) => taskServerSchema.safeParse({ ...handed, declaration }).success;
		assert.deepEqual(
			[isTaken({ command: 'x' }), isTaken({ url: 'https://mcp.example' }), isTaken({ command: 'x', sandbox: false })],
			[true, true, false],
		);
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
