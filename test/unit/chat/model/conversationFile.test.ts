import assert from 'node:assert/strict';
import type { Conversation } from '../../../../src/chat/model/conversation.ts';
import {
	DamagedFileError,
	formatConversationFile,
	NewerFileError,
	parseConversationFile,
} from '../../../../src/chat/model/conversationFile.ts';
import { commands } from '../../../../src/platform/ids.ts';
import { conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const [first, second] = TURN_IDS;

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
				explanation: { message: 'No key.', action: { label: 'Manage Keys', command: commands.manageKeys } },
			}),
		),
		turn(second, 'Again?', reply({ state: 'streaming', text: '' })),
	),
	branchedFrom: 'c0000000-0000-4000-8000-000000000009',
};

describe('a conversation file', () => {
	it('gives back every field of what was written', () => {
		const { conversation: read, revision } = parseConversationFile(formatConversationFile(full, 7, 123));
		assert.deepEqual(read, full);
		assert.equal(revision, 7);
	});

	it('has a header line that says whose it is, without the turns', () => {
		const header = JSON.parse(formatConversationFile(full, 7, 123).split('\n')[0] ?? '');
		assert.equal(header.version, 1);
		assert.deepEqual(header.workspace, full.workspace);
		assert.ok(!JSON.stringify(header).includes('Whole'));
	});

	it('is damaged when anything of it is missing or other', () => {
		const text = formatConversationFile(full, 1, 1);
		const damaged = {
			empty: '',
			'cut anywhere in its last line': text.slice(0, -20),
			'cut before its last line break': text.slice(0, -1),
			'cut after its first turn': `${text.split('\n').slice(0, 2).join('\n')}\n`,
			'longer than its header says': `${text}{}\n`,
			'zeros, as some file systems leave after a power cut': '\0'.repeat(100),
			'other JSON': '{"version":1}\n',
			'a turn without replies': text.replace(/"replies":\[.*\]/, '"replies":[]'),
			'a state that does not exist': text.replace('"streaming"', '"dreaming"'),
		};
		for (const [name, content] of Object.entries(damaged)) {
			assert.throws(() => parseConversationFile(content), DamagedFileError, name);
		}
	});

	it('is not damaged when a later version wrote it', () => {
		assert.throws(
			() => parseConversationFile('{"version":2,"something":"else"}\n'),
			error => error instanceof NewerFileError,
		);
	});

	it('loses a command that does not exist, and keeps the sentence', () => {
		const text = formatConversationFile(full, 1, 1).replace(commands.manageKeys, 'workbench.action.quit');
		const { explanation } = parseConversationFile(text).conversation.turns[0]?.replies[1] ?? {};
		assert.deepEqual(explanation, { message: 'No key.' });
	});
});
