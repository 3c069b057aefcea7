import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { type AgentWork, markFiles, waitingStep } from '../../../src/chat/model/agentWork.ts';
import { currentReply, replaceReply } from '../../../src/chat/model/conversation.ts';
import type { Step } from '../../support/scriptedModel.ts';
import { useAgentRuns } from './useAgentRuns.ts';

const FIX = 'Make the readme shorter';
const ASK_BOTH = 'Run a command and write a file';
const AGAIN = 'Say what you did';

const MORE = 'Make it shorter, then run something';
const RENAME = 'Name it in another way';
const USE = 'Use the dependency';
const PARTS = 'Change three parts of it';
const ENCODE = 'Say that texts are encoded in another way';

const SCRIPTS: Record<string, Step[]> = {
	[FIX]: [
		{ do: 'read', path: 'README.md' },
		{ do: 'write', path: 'README.md', content: '# Short\n' },
		{ do: 'say', text: 'The readme is short now.' },
	],
	[ASK_BOTH]: [
		{ do: 'run', command: 'echo hello > made.txt' },
		{ do: 'write', path: 'new.md', content: 'new\n' },
		{ do: 'say', text: 'Both were tried.' },
	],
	[MORE]: [
		{ do: 'write', path: 'README.md', content: '# Short\n' },
		{ do: 'run', command: 'echo more >> README.md; echo made > made.txt' },
		{ do: 'say', text: 'Both were done.' },
	],
	[RENAME]: [
		{ do: 'edit', path: 'README.md', from: '# ', to: '# The ' },
		{ do: 'say', text: 'It has another name.' },
	],
	[PARTS]: [
		{ do: 'write', path: 'README.md', content: '1\r\ntwo\nthree\n4\nfive\nsix\nseven\n8' },
		// Its file still has what was refused.
		{ do: 'edit', path: 'README.md', from: 'two', to: '2' },
		{ do: 'say', text: 'Four lines were changed.' },
	],
	'The user refused these parts of your edits': [{ do: 'say', text: 'The fourth line stays as it was.' }],
	[USE]: [
		{ do: 'run', command: 'node -p "require(\'dep\')"' },
		{ do: 'run', command: 'echo x > node_modules/dep/new.js' },
		{ do: 'run', command: 'cat .env.local' },
		{ do: 'say', text: 'It was used.' },
	],
	[ENCODE]: [
		{ do: 'run', command: "echo made > made.txt; echo '*.txt working-tree-encoding=UTF-16' > .gitattributes" },
		{ do: 'say', text: 'Texts are encoded in another way.' },
	],
	[AGAIN]: [{ do: 'say', text: 'I made it shorter.' }],
};

describe('a turn of an agent', () => {
	const agent = useAgentRuns(SCRIPTS);
	const { ask, fresh, work, inRoot, root } = agent;
	let readme: string;

	beforeEach(async () => {
		readme = await readFile(inRoot('README.md'), 'utf8');
	});
	afterEach(async () => {
		await writeFile(inRoot('README.md'), readme);
		await Promise.all(['made.txt', 'new.md'].map(name => rm(inRoot(name), { force: true })));
	});

	it('reads, asks before it writes with the change in sight, and says what it has done', async () => {
		const seen: (string | undefined)[] = [];
		const {
			reply,
			work: done,
			error,
		} = await work(fresh(FIX), (now, turn) => {
			const waiting = waitingStep(now);
			if (waiting && seen.length === 0) {
				seen.push(waiting.title, waiting.diffs?.[0]?.path, waiting.diffs?.[0]?.before, waiting.diffs?.[0]?.after);
				agent.answer(turn, waiting, 'once');
			}
		});
		assert.equal(error, undefined);
		assert.deepEqual(seen, ['Write README.md', 'README.md', readme, '# Short\n']);
		assert.equal(reply.text, 'The readme is short now.');
		assert.equal(agent.asked(), 1);
		assert.deepEqual(
			done.steps.map(({ kind, state, approval }) => [kind, state, approval?.state]),
			[
				['read', 'done', undefined],
				['edit', 'done', 'once'],
			],
		);
		assert.deepEqual(
			done.files?.map(({ path: name, status, added, isTaken }) => [name, status, added, isTaken]),
			[['README.md', 'M', 1, true]],
		);
		assert.ok(done.checkpoints[0]?.after);
		assert.equal(done.steps[1]?.isTaken, true);
		assert.deepEqual(agent.options(), { errand: [] }, 'Errand sets the mode of its own agent');
		assert.equal(await readFile(inRoot('README.md'), 'utf8'), '# Short\n');
	});

	it('is told the instructions of the repository once, also those that it reads itself', async () => {
		const file = (name: string, text: string) => ({
			kind: 'file' as const,
			label: name,
			text,
			path: name,
			uri: vscode.Uri.file(inRoot(name)).toString(),
		});
		const instructions = [file('AGENTS.md', 'Use tabs here.'), file('web/AGENTS.md', 'Use blanks there.')];
		await writeFile(inRoot('AGENTS.md'), 'Use tabs here.\n');
		try {
			const told = () => JSON.stringify(agent.model.requests.at(-1)?.body).match(/Use (?:tabs here|blanks there)/g);
			const once = await work(fresh(AGAIN, { instructions }));
			assert.equal(once.error, undefined);
			assert.deepEqual(told()?.sort(), ['Use blanks there', 'Use tabs here']);
			await work(ask(once.conversation, AGAIN, { instructions }));
			assert.deepEqual(told()?.sort(), ['Use blanks there', 'Use tabs here'], 'it remembers them');
		} finally {
			await rm(inRoot('AGENTS.md'));
		}
	});

	/** Allows whatever is asked. `first` runs before the first answer. */
	const allowing = (first: () => unknown = () => {}) => {
		let isFirst = true;
		return (now: AgentWork, turn: string) => {
			const waiting = waitingStep(now);
			if (waiting) {
				if (isFirst) {
					first();
				}
				isFirst = false;
				agent.answer(turn, waiting, 'once');
			}
		};
	};

	it('writes into the user’s files what was shown and allowed, and leaves what a command does in the copy', async () => {
		const { work: done } = await work(fresh(MORE), allowing());
		assert.equal(await readFile(inRoot('README.md'), 'utf8'), '# Short\n');
		assert.equal(existsSync(inRoot('made.txt')), false);
		assert.deepEqual(
			done.files?.map(({ path: name, isTaken, isLeft }) => [name, isTaken, isLeft]),
			[
				['README.md', true, true],
				['made.txt', undefined, undefined],
			],
		);
		const { before, taken, after } = done.checkpoints[0] ?? assert.fail();
		const git = (...args: string[]) => execFileSync('git', ['-C', root(), ...args], { encoding: 'utf8' });
		assert.equal(git('diff', '--name-only', before, taken ?? ''), 'README.md\n');
		assert.equal(git('show', `${after}:README.md`), '# Short\nmore\n');
	});

	it('merges what was allowed with what the user writes meanwhile', async () => {
		const { work: done } = await work(
			fresh(RENAME),
			allowing(() => appendFileSync(inRoot('README.md'), 'Mine.\n')),
		);
		assert.equal(done.steps[0]?.isTaken, true);
		assert.equal(await readFile(inRoot('README.md'), 'utf8'), `${readme.replace('# ', '# The ')}Mine.\n`);
	});

	it('leaves a file alone that the user has changed in the same lines, and keeps the agent’s', async () => {
		const { work: done } = await work(
			fresh(FIX),
			allowing(() => writeFileSync(inRoot('README.md'), 'Mine.\n')),
		);
		assert.equal(done.steps[1]?.isTaken, false);
		assert.equal(await readFile(inRoot('README.md'), 'utf8'), 'Mine.\n');
		assert.deepEqual(
			done.files?.map(({ path: name, isTaken }) => [name, isTaken]),
			[['README.md', undefined]],
		);
	});

	it('does not bring back what was taken once the user has changed it', async () => {
		const first = await work(fresh(FIX), allowing());
		await writeFile(inRoot('README.md'), readme);
		const second = await work(ask(first.conversation, AGAIN));
		assert.deepEqual(second.work.files, []);
	});

	it('does nothing that is not allowed, and tells its model so', async () => {
		const { reply, work: done } = await work(fresh(ASK_BOTH), (now, turn) => {
			const waiting = waitingStep(now);
			if (waiting) {
				agent.answer(turn, waiting, 'no');
			}
		});
		assert.equal(reply.text, 'Both were tried.');
		assert.deepEqual(
			done.steps.map(({ command, state, approval }) => [command, state, approval?.state]),
			[
				['echo hello > made.txt', 'failed', 'no'],
				[undefined, 'failed', 'no'],
			],
		);
		assert.equal(done.fileCount, 0);
		assert.match(agent.model.results.join('\n'), /was not allowed/);
	});

	it('writes exactly the hunks that were not refused, tells the agent of the others, and keeps nothing of them', async () => {
		await writeFile(inRoot('README.md'), 'one\r\ntwo\nthree\nfour\nfive\nsix\nseven\neight');
		const shown: (string | undefined)[] = [];
		const { reply, work: done } = await work(fresh(PARTS), (now, turn) => {
			const waiting = waitingStep(now);
			if (waiting) {
				const question = waiting.approval?.question ?? '';
				shown.push(waiting.diffs?.[0]?.after);
				if (shown.length === 1) {
					agent.runs.refuseHunk(turn, question, 0, 9);
					agent.runs.refuseHunk(turn, 'another', 0, 1);
					agent.runs.refuseHunk(turn, question, 0, 1);
					agent.runs.refuseHunk(turn, question, 0, 1);
				}
				agent.answer(turn, waiting, 'once');
			}
		});
		assert.deepEqual(shown, [
			'1\r\ntwo\nthree\n4\nfive\nsix\nseven\n8',
			'1\r\ntwo\nthree\nfour\nfive\nsix\nseven\n8',
			'1\r\n2\nthree\nfour\nfive\nsix\nseven\n8',
		]);
		assert.equal(await readFile(inRoot('README.md'), 'utf8'), shown[2]);
		assert.equal(reply.text, 'Four lines were changed.\n\nThe fourth line stays as it was.');
		const [told = ''] = JSON.stringify(agent.model.requests.at(-1)?.body).match(/The user refused these parts.*/) ?? [];
		assert.match(told, /README\.md\\n.*-four\\n\+4\\n/);
		assert.doesNotMatch(told, /\+1|\+8/);
		assert.deepEqual(
			done.files?.map(({ path: name, isTaken, isLeft }) => [name, isTaken, isLeft]),
			[['README.md', true, undefined]],
		);
		assert.ok(done.steps.every(({ isTaken }) => isTaken));
		assert.equal(agent.asked(), 2, 'the user is told once of what is asked anew');
	});

	it('asks for commands alone where the setting says so, and for nothing in a sandbox', async () => {
		agent.allow('ask-for-commands');
		const states: string[] = [];
		const first = await work(fresh(ASK_BOTH), (now, turn) => {
			const waiting = waitingStep(now);
			if (waiting) {
				states.push(waiting.kind);
				agent.answer(turn, waiting, 'once');
			}
		});
		assert.deepEqual([...new Set(states)], ['execute']);
		assert.deepEqual(
			first.work.files?.map(file => [file.path, file.isTaken]),
			[
				['made.txt', undefined],
				['new.md', true],
			],
		);
		assert.equal(await readFile(inRoot('new.md'), 'utf8'), 'new\n');
		await rm(inRoot('new.md'));
		agent.allow('allow-in-sandbox');
		const before = agent.asked();
		const second = await work(fresh(ASK_BOTH));
		assert.equal(agent.asked(), before);
		assert.deepEqual(
			second.work.steps.map(({ approval }) => approval?.state),
			['setting', 'setting'],
		);
		assert.equal(existsSync(inRoot('new.md')), false, 'what nobody has seen stays in the copy');
	});

	it('remembers its session in the next turn, and what it has left in its copy', async () => {
		agent.allow('allow-in-sandbox');
		const first = await work(fresh(FIX));
		const second = await work(ask(first.conversation, AGAIN));
		assert.equal(second.work.how, 'resumed');
		assert.equal(second.reply.text, 'I made it shorter.');
		const { body } = agent.model.requests.at(-1) ?? assert.fail();
		assert.match(JSON.stringify(body), /The readme is short now\./);
		assert.deepEqual(
			second.work.files?.map(file => file.path),
			['README.md'],
		);
	});

	it('can use installed dependencies, which git ignores, and changes nothing of them', async () => {
		agent.allow('allow-in-sandbox');
		const exclude = inRoot('.git/info/exclude');
		const before = await readFile(exclude, 'utf8').catch(() => '');
		await mkdir(inRoot('node_modules/dep'), { recursive: true });
		await writeFile(inRoot('node_modules/dep/index.js'), 'module.exports = "from the dependency";\n');
		await writeFile(inRoot('.env.local'), 'TOKEN=s3cret\n');
		await mkdir(inRoot('.git/info'), { recursive: true });
		await writeFile(exclude, `${before}\nnode_modules/\n.env.local\n`);
		try {
			const { work: done } = await work(fresh(USE));
			const [used, tried, secret] = agent.model.results;
			assert.match(String(used), /from the dependency/);
			assert.match(String(tried), /[Rr]ead-only/);
			assert.match(String(secret), /No such file/);
			assert.deepEqual(done.files, []);
			assert.equal(existsSync(inRoot('node_modules/dep/new.js')), false);
		} finally {
			await writeFile(exclude, before);
			await rm(inRoot('node_modules'), { recursive: true });
			await rm(inRoot('.env.local'));
		}
	});

	it('goes on with what a window that was closed in the middle has left in the copy', async () => {
		agent.allow('allow-in-sandbox');
		const { conversation, work: done } = await work(fresh(FIX));
		const [turn = assert.fail()] = conversation.turns;
		const checkpoints = done.checkpoints.map(({ after: _, ...others }) => others);
		const closed = replaceReply(conversation, turn.id, { ...currentReply(turn), work: { ...done, checkpoints } });
		const next = await work(ask(closed, AGAIN));
		assert.deepEqual(
			next.work.files?.map(file => file.path),
			['README.md'],
		);
	});

	it('does not bring back what the user has taken back, and still has the rest', async () => {
		agent.allow('allow-in-sandbox');
		const { conversation, work: done } = await work(fresh(MORE));
		const [turn = assert.fail()] = conversation.turns;
		const { repository, before } = done.checkpoints[0] ?? assert.fail();
		const undone = markFiles(done, { repository, taken: before, paths: ['README.md'], isTaken: false });
		const next = await work(ask(replaceReply(conversation, turn.id, { ...currentReply(turn), work: undone }), AGAIN));
		assert.deepEqual(
			next.work.files?.map(file => file.path),
			['made.txt'],
		);
	});

	it('begins with the user’s files alone where what was left does not fit them, and says so', async () => {
		agent.allow('allow-in-sandbox');
		const { conversation } = await work(fresh(FIX));
		await writeFile(inRoot('README.md'), 'Mine.\n');
		const next = await work(ask(conversation, AGAIN));
		assert.equal(next.work.isSetAside, true);
		assert.deepEqual(next.work.files, []);
	});

	it('says that what it has changed cannot be kept, and loses nothing of it', async () => {
		agent.allow('allow-in-sandbox');
		const first = await work(fresh(ENCODE));
		const sentence = /^Couldn’t save the agent’s changes: .*made\.txt.* They’re in (.*)\. Copy what you need/;
		const { message } = first.error as Error;
		const [, copy = assert.fail(message)] = sentence.exec(message) ?? [];
		assert.equal(await readFile(path.join(copy, 'made.txt'), 'utf8'), 'made\n');
		const second = await work(ask(first.conversation, AGAIN)).catch(error => error);
		assert.match(String(second), /Couldn’t save/);
		assert.equal(await readFile(path.join(copy, 'made.txt'), 'utf8'), 'made\n');
	});

	it('ends at once when it is stopped, and what waits is not allowed', async () => {
		const stop = new AbortController();
		const began = Date.now();
		const { work: done } = await work(
			fresh(ASK_BOTH),
			now => {
				if (waitingStep(now)) {
					stop.abort();
				}
			},
			stop.signal,
		);
		assert.ok(Date.now() - began < 60_000);
		assert.equal(done.steps[0]?.approval?.state, 'unanswered');
		assert.equal(done.fileCount, 0);
	});

	it('leaves nothing of a conversation that is deleted', async () => {
		agent.allow('allow-in-sandbox');
		const { conversation, work: done } = await work(fresh(FIX));
		const git = (...args: string[]) => execFileSync('git', ['-C', root(), ...args], { encoding: 'utf8' });
		assert.match(git('for-each-ref', 'refs/errand/turns'), new RegExp(done.checkpoints[0]?.before ?? '-'));
		await agent.runs.forget(conversation.id);
		assert.doesNotMatch(git('for-each-ref', 'refs/errand/turns'), new RegExp(conversation.id));
	});
});
