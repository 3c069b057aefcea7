import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { agentLaunch } from '../../../src/agents/agentLaunch.ts';
import { startAgentRun } from '../../../src/agents/agentRun.ts';
import { knownAgents } from '../../../src/agents/catalogue.ts';
import type { FoundAgent } from '../../../src/agents/entry.ts';
import { nullLogger } from '../../../src/base/logger.ts';

/** The words of a program for a newer Node under an older one, and its exit. */
const OLD_NODE = 'echo "SyntaxError: Invalid regular expression flags" >&2; exit 1';

describe('the start of an agent that ends at once', () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-agent-run-'));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	/** Starts an agent of the catalogue, whose program is a script of shell. */
	async function failure(id: string): Promise<string> {
		const definition = knownAgents.find(known => known.id === id) ?? assert.fail();
		const program = path.join(folder, definition.command);
		writeFileSync(program, `#!/bin/sh\n${OLD_NODE}\n`, { mode: 0o755 });
		const found: FoundAgent = {
			definition,
			source: 'path',
			programs: { [definition.command]: program, pi: program },
			location: program,
			version: undefined,
		};
		const [tree, home] = [path.join(folder, 'tree'), path.join(folder, 'home')];
		mkdirSync(tree);
		mkdirSync(home);
		const run = startAgentRun({
			place: {
				tree,
				home,
				name: 'sample',
				isSandboxed: false,
				relay: undefined,
				privateFolders: [],
				toolchains: { path: '', readOnly: [], variables: {} },
				insideProgram: '',
				marker: folder,
				onUnsandboxed: () => {},
			},
			launch: async seen => agentLaunch(found, seen),
			model: 'small',
			earlier: undefined,
			signal: new AbortController().signal,
			onLimit: () => {},
			onEvent: () => {},
			logger: nullLogger,
		});
		return run.then(
			() => assert.fail('it has started'),
			(error: Error) => error.message,
		);
	}

	it('names the Node that it needs, where it is known to need one', async () => {
		assert.match(
			await failure('pi'),
			/exit code 1[\s\S]*Invalid regular[\s\S]* pi needs Node 22\.19 or newer, and runs with the "node" that PATH names first\.$/,
		);
	});

	it('says nothing of Node for any other', async () => {
		const message = await failure('opencode');
		assert.match(message, /exit code 1/);
		assert.doesNotMatch(message, /Node/);
	});
});
