import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AgentWork } from '../../../../src/chat/model/agentWork.ts';
import { type Conversation, shownTurns } from '../../../../src/chat/model/conversation.ts';
import {
	DamagedFileError,
	formatConversationFile,
	NewerFileError,
	parseConversationFile,
	rescueConversationFile,
} from '../../../../src/chat/model/conversationFile.ts';
import { commands } from '../../../../src/platform/ids.ts';
import { processorLaps } from '../../../support/processorTime.ts';
import { AGENT_WORK, conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const [first, second] = TURN_IDS;

const WORK: AgentWork = {
	...AGENT_WORK,
	session: 'session-1',
	how: 'new',
	summary: 'User: Hi',
	steps: [
		{
			id: 'call 1',
			offset: 3,
			kind: 'edit',
			state: 'done',
			title: 'Edit a.ts',
			locations: [{ path: 'a.ts', line: 3 }, { path: 'b.ts' }],
			diffs: [
				{ path: 'a.ts', before: 'x', after: 'y' },
				{ path: 'b.ts', after: 'new' },
			],
			startedAt: 1_000,
			endedAt: 1_100,
			approval: { state: 'once', isOnlyOnce: true },
		},
		{
			id: 'call 2',
			offset: 3,
			kind: 'execute',
			state: 'failed',
			title: 'npm test',
			command: 'npm test',
			input: '{}',
			output: 'no\n',
			startedAt: 1_200,
			approval: { state: 'refused', reason: 'it lists more than can be shown' },
		},
	],
	further: 2,
	plan: [{ content: 'Look', status: 'completed' }],
	checkpoints: [
		{ repository: '/home/me/widgets', at: 'widgets', before: 'a'.repeat(40), after: 'b'.repeat(64) },
		{ repository: '/home/me/gadgets', at: 'gadgets', before: 'a'.repeat(40), taken: 'c'.repeat(40) },
	],
	leftOut: [{ folder: '/home/me/notes' }, { folder: '/home/me/big', reason: 'It is too large.' }],
	files: [
		{ path: 'a.ts', status: 'M', added: 1, removed: 2, isTaken: true },
		{ path: 'c.png', status: 'A' },
	],
	fileCount: 2,
};

const full: Conversation = {
	...conversation(
		turn(
			first,
			'Line one\nline two\u2028\r\n😀 "quoted" \\ \u0000',
			reply({ state: 'cutOff', text: 'Half\n' }),
			reply({
				text: 'Whole',
				reasoning: 'Hm',
				provider: 'provider-a',
				usage: { prompt: 1, cached: 0, completion: 2 },
				problem: 'length',
				continuations: [{ offset: 2, after: 'cutOff', pausedAt: 1_500, resumedAt: 1_600, usage: { completion: 1 } }],
				explanation: { message: 'No key.', action: { label: 'Manage Keys', command: commands.manageKeys } },
			}),
		),
		{
			...turn(second, 'Again?', reply({ state: 'streaming', text: '' })),
			attachments: [
				{ kind: 'terminal', label: 'npm test', text: 'a\nb', omitted: 3 },
				{
					kind: 'selection',
					label: 'a.ts:1-2',
					text: 'x',
					uri: 'file:///a.ts',
					path: 'a.ts',
					lines: { first: 1, last: 2 },
					language: 'typescript',
				},
			],
		},
	),
	title: 'A title',
	branchedFrom: 'c0000000-0000-4000-8000-000000000009',
};

const write = async (value: Conversation, revision = 1) =>
	(await formatConversationFile(value, revision, 123)).join('');

describe('a conversation file', () => {
	it('gives back every field of what was written', async () => {
		const { conversation: read, revision } = await parseConversationFile(await write(full, 7));
		assert.deepEqual(read, full);
		assert.equal(revision, 7);
	});

	it('gives back every field of what an agent has done', async () => {
		const worked = {
			...conversation({ ...turn(first, 'Do it', reply({ work: WORK })), mode: 'agent' }),
			mode: 'agent' as const,
		};
		assert.deepEqual((await parseConversationFile(await write(worked))).conversation, worked);
	});

	it('has a header line that says whose it is, without the turns', async () => {
		const header = JSON.parse((await formatConversationFile(full, 7, 123))[0] ?? '');
		assert.equal(header.version, 3);
		assert.deepEqual(header.workspace, full.workspace);
		assert.ok(!JSON.stringify(header).includes('Whole'));
	});

	it('is damaged when anything of it is missing or other', async () => {
		const text = await write(full);
		const damaged = {
			empty: '',
			'cut anywhere in its last line': text.slice(0, -20),
			'cut before its last line break': text.slice(0, -1),
			'cut after its first turn': `${text.split('\n').slice(0, 2).join('\n')}\n`,
			'longer than its header says': `${text}{}\n`,
			'zeros, as some file systems leave after a power cut': '\0'.repeat(100),
			'other JSON': '{"version":1}\n',
			'a turn without replies': text.replace(/"replies":\[.*\]/, '"replies":[]'),
			'a turn that follows none of them': text.replace(`"previous":"${first}"`, `"previous":"${TURN_IDS[3]}"`),
			'a turn that follows itself': text.replace(`"previous":"${first}"`, `"previous":"${second}"`),
			'a turn that comes twice': text.replace(`"id":"${second}"`, `"id":"${first}"`),
			'an end that is none of the turns': text.replace(`"head":"${second}"`, `"head":"${TURN_IDS[3]}"`),
		};
		for (const [name, content] of Object.entries(damaged)) {
			assert.notEqual(content, text, name);
			await assert.rejects(parseConversationFile(content), DamagedFileError, name);
		}
	});

	it('is not damaged when a later version wrote it', async () => {
		const text = await write(full);
		const later = {
			'a version': '{"version":5,"something":"else"}\n',
			'a mode': text.replace('"turnCount"', '"mode":"video","turnCount"'),
			'a state': text.replace('"streaming"', '"dreaming"'),
			'a kind of context': text.replace('"terminal"', '"dream"'),
			'a problem, before a damaged end': text.replace('"problem":"length"', '"problem":"dream"').slice(0, -20),
		};
		for (const [name, content] of Object.entries(later)) {
			assert.notEqual(content, text, name);
			await assert.rejects(parseConversationFile(content), NewerFileError, name);
			await assert.rejects(rescueConversationFile(content, full), NewerFileError, name);
		}
	});

	it('keeps what only a later version knows of a turn that has not changed', async () => {
		const text = (await write(full)).replace('"question":"Again?"', '"question":"Again?","later":{"a":[1]}');
		const { conversation: read } = await parseConversationFile(text);
		const further = turn(TURN_IDS[2], 'More?', reply());
		const lines = (await write({ ...read, turns: [...read.turns, further] })).split('\n');
		assert.deepEqual(lines.slice(1, 3), text.split('\n').slice(1, 3));
	});

	it('loses a command that does not exist, and keeps the sentence', async () => {
		const text = (await write(full)).replace(commands.manageKeys, 'workbench.action.quit');
		const { explanation } = (await parseConversationFile(text)).conversation.turns[0]?.replies[1] ?? {};
		assert.deepEqual(explanation, { message: 'No key.' });
	});

	it('has times that a date can have, whatever was written', async () => {
		const text = (await write(full)).replaceAll('"askedAt":1000', '"askedAt":1e300');
		const { turns } = (await parseConversationFile(text)).conversation;
		assert.doesNotThrow(() => turns.map(({ askedAt }) => new Date(askedAt).toISOString()));
	});

	it('gives way to others while a long one is read and written', async () => {
		const long = conversation(
			...Array.from({ length: 2_000 }, () => turn(randomUUID(), 'Why?', reply({ text: 'Because. '.repeat(300) }))),
		);
		let longest = 0;
		const lap = processorLaps();
		const timer = setInterval(() => {
			longest = Math.max(longest, lap());
		}, 1);
		const text = await write(long);
		const { conversation: read } = await parseConversationFile(text);
		clearInterval(timer);
		assert.equal(read.turns.length, 2_000);
		assert.ok(longest > 0 && longest < 200, `${longest} ms`);
	});

	describe('that is damaged', () => {
		const base = { id: full.id, createdAt: 5 };

		it('gives up its whole turns', async () => {
			const text = (await write(full)).slice(0, -20);
			const rescue = await rescueConversationFile(text, base);
			assert.deepEqual(rescue?.conversation.turns, full.turns.slice(0, 1));
			assert.equal(rescue?.conversation.head, first);
			assert.equal(rescue?.conversation.title, 'A title');
			assert.equal(rescue?.expected, 2);
		});

		it('gives up its turns without its header, and those after a damaged one', async () => {
			const three = conversation(
				turn(first, 'One?', reply()),
				turn(second, 'Two?', reply()),
				turn(TURN_IDS[2], 'Three?', reply()),
			);
			const lines = (await write(three)).split('\n');
			const rescue = await rescueConversationFile(['{"vers', lines[1], lines[2]?.slice(5), lines[3]].join('\n'), base);
			assert.deepEqual(rescue && shownTurns(rescue.conversation).map(({ question }) => question), ['One?', 'Three?']);
			assert.equal(rescue?.expected, undefined);
			assert.deepEqual(await parseConversationFile(await write(rescue?.conversation as Conversation)), {
				conversation: rescue?.conversation,
				revision: 1,
			});
		});

		it('gives up nothing where there is no whole turn', async () => {
			for (const text of ['', '\0'.repeat(100), (await write(full)).slice(0, 300), 'not ours\n']) {
				assert.equal(await rescueConversationFile(text, base), undefined);
			}
		});
	});
});
