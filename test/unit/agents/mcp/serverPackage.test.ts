import assert from 'node:assert/strict';
import { packageOf } from '../../../../src/agents/mcp/serverPackage.ts';

describe('the package of an MCP server', () => {
	const of = (command: string, ...args: string[]) => packageOf({ command, args });

	it('is what npx is told, with the arguments of its program', () => {
		assert.deepEqual(of('npx', '-y', '@scope/server@1.2.3', '--root', '.'), {
			wanted: '@scope/server@1.2.3',
			args: ['--root', '.'],
		});
		assert.deepEqual(of('npx', 'server'), { wanted: 'server', args: [] });
	});

	it('is none for another command, and for what would be something else each time', () => {
		assert.equal(of('node', 'server.js'), undefined);
		for (const wanted of [
			'https://example.com/x.tgz',
			'github:a/b',
			'a/b',
			'./folder',
			'../x',
			'--package=x',
			'@scope',
			'',
		]) {
			assert.equal(of('npx', '-y', wanted), undefined, wanted);
		}
	});
});
