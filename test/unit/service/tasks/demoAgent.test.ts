import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { AgentSession } from '../../../../src/agents/session/agentSession.ts';
import type { AgentEvent } from '../../../../src/agents/session/events.ts';
import { openAgentSession } from '../../../../src/agents/session/openAgentSession.ts';
import { permissionInside } from '../../../../src/agents/session/permissionInside.ts';
import { type RunningChild, startChild } from '../../../../src/base/childProcess.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import { demoAgent } from '../../../../src/service/tasks/agent.ts';
import { waitFor } from '../../../support/waitFor.ts';

describe('the demo agent', () => {
	let folder: string;
	let child: RunningChild;
	let events: AgentEvent[];

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-demo-'));
		events = [];
		const { signal } = new AbortController();
		// It works in the session's folder, wherever it was started.
		const place = { home: folder, path: '', relayUrl: '', token: '', model: 'demo' };
		const launch = await demoAgent('demo', 'Demo', path.resolve('src/service/entry.ts')).launch(place, folder);
		child = startChild({ ...launch, cwd: '/', signal });
	});
	afterEach(async () => {
		await child.end();
		await rm(folder, { recursive: true, force: true });
	});

	const open = (): Promise<AgentSession> =>
		openAgentSession({
			child,
			folder,
			decide: permissionInside(folder),
			onEvent: event => void events.push(event),
			signal: new AbortController().signal,
			logger: nullLogger,
		});

	const lines = () => events.flatMap(event => (event.type === 'message' ? [event.text] : []));
	const plans = () =>
		events.flatMap(event => (event.type === 'plan' ? [event.entries.map(({ status }) => status).join(', ')] : []));
	const states = () => events.flatMap(event => (event.type === 'tool' ? [event.call.status] : []));

	it('writes one file about the prompt, and tells of each step in lines, a plan and a tool call', async () => {
		const session = await open();
		assert.equal(session.info.name, 'Errand demo agent');
		assert.equal(await session.prompt('Look around\nplease'), 'end_turn');
		assert.deepEqual(lines(), [
			'Errand demo agent\n',
			'This is a demonstration: no language model takes part.\n',
			'Asked for: Look around\n',
			'Writing one new file at the top of the repository…\n',
			'✓ Wrote errand-demo.md\n',
			'Done.\n',
		]);
		assert.deepEqual(plans(), ['in_progress, pending', 'completed, in_progress', 'completed, completed']);
		assert.deepEqual(states(), ['in_progress', 'completed']);
		const file = path.join(folder, 'errand-demo.md');
		const text = await readFile(file, 'utf8');
		assert.match(text, /The prompt was:\n\n {4}Look around\n {4}please\n/);
		const call = events.flatMap(event => (event.type === 'tool' ? [event.call] : [])).at(-1);
		assert.equal(call?.kind, 'edit');
		assert.equal(call.title, 'Write errand-demo.md');
		assert.deepEqual(call.locations, [{ path: file }]);
		assert.deepEqual(call.diffs, [{ path: file, newText: text }]);
	});

	it('takes another prompt, and follows no link when it writes', async () => {
		await symlink('/etc/passwd', path.join(folder, 'errand-demo.md'));
		await mkdir(path.join(folder, 'errand-demo-2.md'));
		const session = await open();
		await session.prompt('One');
		await session.prompt('Two');
		assert.deepEqual(
			lines().filter(line => line.startsWith('✓')),
			['✓ Wrote errand-demo-3.md\n', '✓ Wrote errand-demo-4.md\n'],
		);
	});

	it('fails when it is told to', async () => {
		const session = await open();
		await assert.rejects(session.prompt('Please /demo fail'), {
			code: 'refused',
			message:
				'The agent answered with an error ("The demo agent was told to fail (/demo fail)"). Try again, or choose another agent.',
		});
		assert.equal(lines().at(-1), 'Asked to fail, so it does.\n');
	});

	it('works slowly when it is told to, and stops at once when it is cancelled', async () => {
		const session = await open();
		const running = session.prompt('/demo slow');
		await waitFor('the second slow line', () => lines().includes('Working slowly, line 2 of 100\n'));
		await session.cancel();
		assert.equal(await running, 'cancelled');
		assert.ok(lines().length < 100);
		assert.deepEqual(await readdir(folder), []);
	});

	it('ends when its input ends', async () => {
		await open();
		child.stdin.end();
		assert.deepEqual(await child.ended, { exitCode: 0 });
	});

	it('tells what the system said when it cannot write to the folder', async () => {
		const session = await open();
		await rm(folder, { recursive: true });
		await assert.rejects(session.prompt('Look around'), /ENOENT: no such file or directory/);
	});
});
