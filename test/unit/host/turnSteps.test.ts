import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import type { ToolCall } from '../../../src/agents/session/events.ts';
import { StepStates } from '../../../src/chat/agent/stepStates.ts';
import type { TurnFiles } from '../../../src/chat/agent/turnFiles.ts';
import { TurnSteps } from '../../../src/chat/agent/turnSteps.ts';
import { type AgentStep, type AgentWork, withStepState } from '../../../src/chat/model/agentWork.ts';
import { useTurnFiles } from './useTurnFiles.ts';

describe('the steps of a turn in the chat', () => {
	const { at, begin, commit, git, id, inCopy, own, tell, workAt, write } = useTurnFiles();
	const call = (name: string): ToolCall => ({
		...{ id: name, title: `Step ${name}`, kind: 'execute', status: 'completed' },
		...{ locations: [], diffs: [], output: '' },
	});
	const stepOf = ({ id: name, title }: ToolCall): AgentStep => ({
		...{ id: name, title, offset: 0, kind: 'execute', state: 'done', startedAt: 0 },
	});

	/** Makes steps one after another, each of which does what it is given, and returns the work with their states. */
	async function steps(files: TurnFiles, ...acts: (() => unknown)[]): Promise<AgentWork> {
		const calls = acts.map((_, index) => call(`${index + 1}`));
		let work: AgentWork = {
			...{ agent: 'errand', label: 'Errand', isSandboxed: true, checkpoints: files.checkpoints },
			steps: [...calls.map(stepOf), stepOf(call('after'))],
		};
		const recorded = await TurnSteps.begin(files, files.copy, {
			onState: (name, state) => {
				work = withStepState(work, name ?? 'after', state);
			},
			onFailure: sentence => assert.fail(sentence),
		});
		for (const [index, act] of acts.entries()) {
			await act();
			recorded.add(calls[index] ?? assert.fail());
			await recorded.settled();
		}
		await recorded.end();
		return work;
	}

	const statesOf = (work: AgentWork) => new StepStates(own(), id(), work);
	const changes = (name: string, from: string, to: string) =>
		git(name, 'diff-tree', '-r', '--name-status', from, to).trim().split('\n').filter(Boolean);

	it('are kept as git would store them, whatever it changes in the files of a folder', async () => {
		write(at('client', '.gitattributes'), '*.txt text eol=crlf\n');
		commit('client');
		const files = await begin('client');
		const work = await steps(
			files,
			() => write(inCopy('client.txt'), 'client\r\nmore\r\n'),
			() => {
				mkdirSync(inCopy('bin'));
				write(inCopy('bin', 'run'), 'run\n');
				chmodSync(inCopy('bin', 'run'), 0o755);
				symlinkSync('run', inCopy('bin', 'link'));
			},
			() => {
				rmSync(inCopy('bin'), { recursive: true });
				write(inCopy('bin'), 'a file\n');
			},
		);
		const before = files.checkpoints[0]?.before ?? '';
		const states = statesOf(work);
		assert.deepEqual(
			work.steps.map(step => step.states?.map(({ fileCount, linesAdded }) => [fileCount, linesAdded])),
			[[[1, 1]], [[2, 2]], [[3, 1]], undefined],
		);
		const [first] = await states.around('1');
		assert.deepEqual(changes('client', first?.before ?? '', first?.after ?? ''), ['M\tclient.txt']);
		assert.equal(git('client', 'show', `${first?.after}:client.txt`), 'client\nmore\n');
		const [second] = await states.asOf('2');
		assert.deepEqual(changes('client', before, second?.commit ?? ''), ['A\tbin/link', 'A\tbin/run', 'M\tclient.txt']);
		assert.match(git('client', 'ls-tree', '-r', second?.commit ?? '', 'bin'), /^120000 .*link\n100755 .*run\n$/s);
		const [third] = await states.around('3');
		assert.deepEqual(changes('client', third?.before ?? '', third?.after ?? ''), [
			'A\tbin',
			'D\tbin/link',
			'D\tbin/run',
		]);
	});

	it('are those of all repositories, and have neither what the user had refused nor what the agent does to git', async () => {
		const files = await begin('client', 'server');
		const refused = { path: 'client.txt', before: 'client\n', after: 'client\nrefused\n' };
		const work = await steps(
			files,
			() => {
				write(inCopy('client', 'client.txt'), 'client\nrefused\n');
				write(inCopy('client', 'new.txt'), 'new\n');
				write(inCopy('client', '.git', 'config'), `[core]\n\tfsmonitor = touch ${at('ran')}\n`);
			},
			() => write(inCopy('server', 'server.txt'), 'server\nmore\n'),
		);
		const [state = assert.fail()] = work.steps[0]?.states ?? [];
		const marked = { ...work.steps[0], states: [{ ...state, refused: [refused] }] } as AgentStep;
		const states = statesOf({ ...work, steps: work.steps.with(0, marked) });
		const [start, other] = files.checkpoints.map(({ before }) => before);
		const [first, untouched] = await states.asOf('1');
		assert.deepEqual(changes('client', start ?? '', first?.commit ?? ''), ['A\tnew.txt']);
		assert.deepEqual(changes('server', other ?? '', untouched?.commit ?? ''), []);
		const [, server] = await states.asOf('2');
		assert.deepEqual(changes('server', other ?? '', server?.commit ?? ''), ['M\tserver.txt']);
		assert.deepEqual(
			(await states.around('2')).map(({ kept }) => kept.at),
			['server'],
		);
		assert.equal(existsSync(at('ran')), false);
	});

	it('are gone with the copy, also from what the conversation says of it', async () => {
		const files = await begin('client');
		const work = await steps(files, () => write(inCopy('client.txt'), 'client\nmore\n'));
		await files.keepEnd();
		tell(files, { steps: work.steps });
		await begin('client');
		assert.ok(workAt(0).steps.every(step => step.states === undefined));
		await assert.rejects(statesOf(work).around('1'), /The files of this step are gone/);
	});
});
