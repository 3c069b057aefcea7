import assert from 'node:assert/strict';
import path from 'node:path';
import { agentsLine } from '../../../../scripts/start/agentsLine.ts';
import { useFolder } from '../../agents/useFolder.ts';

describe('agentsLine', () => {
	const folder = useFolder();

	it('names the agents on PATH that can run, with version and place', async () => {
		await folder.file('lib/node_modules/qwen/package.json', '{"version":"3.2.1"}');
		const qwen = await folder.program('lib/node_modules/qwen/qwen');
		const kilo = await folder.program('bin/kilo');
		await folder.program('bin/gemini');
		const folders = [folder.at('bin'), path.dirname(qwen), 'relative', ''].join(path.delimiter);
		assert.equal(
			await agentsLine(folders, folder.at('state')),
			`Agents: Qwen Code 3.2.1 (${qwen}), Kilo (${kilo}); Errand's own, once there is a model, and a demo.`,
		);
	});

	it('names the command that sets one up where there is none', async () => {
		assert.equal(
			await agentsLine('', folder.at('state')),
			'Agents: Errand\'s own, once there is a model, and a demo. The command "Errand: Set Up Agents…" sets up others.',
		);
	});
});
