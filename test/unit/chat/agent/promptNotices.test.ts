import assert from 'node:assert/strict';
import { imageNotice, instructionNotice } from '../../../../src/chat/agent/promptNotices.ts';
import type { AgentTurn } from '../../../../src/chat/conversation/replyRequest.ts';
import type { Attachment } from '../../../../src/chat/model/attachment.ts';
import { AGENT_WORK, conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const [first, second] = TURN_IDS;

const file = (path: string, text: string): Attachment => ({
	kind: 'file',
	label: path,
	text,
	path,
	uri: `file:///w/${path}`,
});
const ROOT = file('AGENTS.md', 'Use tabs.');
const NESTED = file('web/AGENTS.md', 'Use blanks.');

describe('the instructions that an agent is told', () => {
	const turnWith = (instructions: readonly Attachment[], before: readonly Attachment[] = []): AgentTurn => ({
		conversation: conversation(
			{ ...turn(first, 'One', reply({ work: { ...AGENT_WORK, session: 's1' } })), instructions: before },
			{ ...turn(second, 'Two', reply({ text: '' })), instructions },
		),
		turnId: second,
		model: 'm',
		provider: undefined,
		instructions: 'Be brief.',
		images: [],
		keepWork: async () => {},
	});
	const told = (agentTurn: AgentTurn, how: string, ...reads: string[]) =>
		instructionNotice(agentTurn, {
			session: { id: 's1', how },
			reads,
			pathOf: uri => uri.replace('file:///w/', ''),
		}).map(({ uri, text }) => [uri, text.match(/Use \w+|Be brief/g)?.join(', ')]);

	it('are the files and the user’s own, without the file that it reads itself', () => {
		assert.deepEqual(told(turnWith([ROOT, NESTED]), 'new'), [['instructions', 'Use tabs, Use blanks, Be brief']]);
		assert.deepEqual(told(turnWith([ROOT, NESTED]), 'new', 'AGENTS.md'), [['instructions', 'Use blanks, Be brief']]);
		assert.deepEqual(told(turnWith([ROOT]), 'new', 'AGENTS.md'), [['instructions', 'Be brief']]);
		assert.deepEqual(told(turnWith([ROOT, NESTED]), 'new', 'AGENTS.md', 'web/AGENTS.md'), [
			['instructions', 'Be brief'],
		]);
	});

	it('are only what it has not been told, where it remembers the conversation', () => {
		assert.deepEqual(told(turnWith([ROOT, NESTED], [ROOT]), 'loaded'), [['instructions', 'Use blanks']]);
		assert.deepEqual(told(turnWith([ROOT], [ROOT]), 'loaded'), []);
		assert.deepEqual(told(turnWith([{ ...ROOT, text: 'Use four.' }], [ROOT]), 'loaded'), [
			['instructions', 'Use four'],
		]);
	});
});

describe('the images that an agent is told of', () => {
	it('are those that it does not get', () => {
		assert.deepEqual(imageNotice(0, { takesImages: false }), []);
		assert.deepEqual(imageNotice(2, { takesImages: true }), []);
		assert.match(imageNotice(1, { takesImages: false })[0]?.text ?? '', /has an image, which you are not given/);
		assert.match(imageNotice(2, { takesImages: false })[0]?.text ?? '', /has 2 images/);
	});
});
