import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FoundAgent } from '../../../../src/agents/catalogue/entry.ts';
import { knownAgents } from '../../../../src/agents/catalogue/knownAgents.ts';
import { agentLaunch } from '../../../../src/agents/run/agentLaunch.ts';
import { type RunPlace, seenFrom, startAgentRun } from '../../../../src/agents/run/agentRun.ts';
import { nullLogger } from '../../../../src/base/logger.ts';

/** A place without a sandbox, with its folders in `folder`. */
function placeIn(folder: string): RunPlace {
	return {
		tree: path.join(folder, 'tree'),
		home: path.join(folder, 'home'),
		name: 'sample',
		isSandboxed: false,
		relay: undefined,
		privateFolders: [],
		toolchains: { path: '/opt/tools/bin', readOnly: [], variables: {} },
		insideProgram: '',
		marker: folder,
		onUnsandboxed: () => {},
	};
}

/** What every start of an agent needs beside its place and its program. */
const OPTIONS = {
	model: 'small',
	decide: () => () => ({ option: undefined }),
	earlier: undefined,
	signal: new AbortController().signal,
	onLimit: () => {},
	onEvent: () => {},
	logger: nullLogger,
};

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
		const place = placeIn(folder);
		mkdirSync(place.tree);
		mkdirSync(place.home);
		const run = startAgentRun({ ...OPTIONS, place, launch: async seen => agentLaunch(found, seen) });
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

describe('the description of its place for an agent', () => {
	const place = placeIn('/srv/run');
	const sandboxed: RunPlace = { ...place, isSandboxed: true };

	it('is the host’s without a sandbox, with the PATH of this process', () => {
		const seen = seenFrom(place);
		assert.deepEqual([seen.tree, seen.home, seen.relayUrl], ['/srv/run/tree', '/srv/run/home', '']);
		assert.notEqual(seen.path, '');
	});

	it('is nothing of the host in a sandbox', () => {
		assert.deepEqual(seenFrom(sandboxed), {
			tree: '/workspace/sample',
			home: '/home/agent',
			path: '/opt/tools/bin',
			relayUrl: '',
		});
	});

	it('says whether a user is there to answer, if that is known', async () => {
		for (const isAttended of [true, false, undefined]) {
			const told: unknown[] = [];
			const launch = async (seen: object) => {
				told.push('isAttended' in seen ? seen.isAttended : 'not told');
				throw new Error('enough');
			};
			const run = startAgentRun({ ...OPTIONS, place, launch, ...(isAttended === undefined ? {} : { isAttended }) });
			await assert.rejects(run, /enough/);
			assert.deepEqual(told, [isAttended ?? 'not told']);
		}
	});
});
