import assert from 'node:assert/strict';
import { madeTitle, normalisedTitle, titleOf } from '../../../../src/chat/model/title.ts';
import { AGENT_WORK, conversation, reply, TURN_IDS, turn } from '../conversations.ts';

describe('the title of a conversation', () => {
	const of = (question: string) => titleOf(conversation(turn(TURN_IDS[0], question, reply())));

	it('is the first line of the first message that says something, cut', () => {
		assert.equal(of('\n  \u200e\n  Why does\tlogin fail?\nMore.'), 'Why does login fail?');
		const long = of(`${'word '.repeat(100)}\nMore.`);
		assert.ok(long && [...long].length <= 60 && long.endsWith('…'), long);
	});

	it('is the one that the user gave, where there is one', () => {
		assert.equal(titleOf({ ...conversation(turn(TURN_IDS[0], 'Why?', reply())), title: 'Login' }), 'Login');
		assert.equal(titleOf(conversation()), undefined);
	});

	it('is that of the model, where there is one and the user has given none', () => {
		const asked = conversation(turn(TURN_IDS[0], 'Why?', reply()));
		assert.equal(titleOf({ ...asked, titleReply: reply({ text: 'Login fails' }) }), 'Login fails');
		assert.equal(titleOf({ ...asked, title: 'Mine', titleReply: reply({ text: 'Login fails' }) }), 'Mine');
		assert.equal(titleOf({ ...asked, titleReply: reply({ text: '', state: 'failed' }) }), 'Why?');
	});

	it('is the last one of an agent, where there is neither', () => {
		const work = (title: string) => reply({ work: { ...AGENT_WORK, title } });
		const turns = [turn(TURN_IDS[0], 'Why?', work('First')), turn(TURN_IDS[1], 'And?', work('Login fails'))];
		const worked = conversation(...turns);
		assert.equal(titleOf(worked), 'Login fails');
		assert.equal(titleOf({ ...worked, title: 'Mine' }), 'Mine');
	});

	it('is no more of what a model says than a short line without Markdown and what is not seen', () => {
		for (const [said, title] of [
			['Login fails after update', 'Login fails after update'],
			['\n\n# Title: **Login** fails.\nMore of it', 'Login fails'],
			['“Login fails”', 'Login fails'],
			['[Login](command:run) `fails` ![x](https://evil.example/x.png)', 'Login fails x'],
			['<b>Login</b> fails', 'bLogin/b fails'],
			['<think>It is about the login.</think>\nLogin fails', 'Login fails'],
			['<think>It is about', undefined],
			['Log\u202ein\u0007 \u001b[31mfails\u2066', 'Login fails'],
			['**', undefined],
			[' \u200b\n', undefined],
		] as const) {
			assert.equal(madeTitle(said), title, JSON.stringify(said));
		}
		const long = madeTitle('word '.repeat(1_000));
		assert.ok(long && [...long].length <= 60 && long.endsWith('…'), long);
	});

	it('is taken without what no line can show, and not at all when nothing is left', () => {
		assert.equal(normalisedTitle('  a\n\u202eb\u0000 👩‍👩‍👧  '), 'a b 👩‍👩‍👧');
		assert.equal(normalisedTitle(' \u2066\n'), undefined);
		assert.equal(normalisedTitle('\u00ad\u3164\u{e0041}'), undefined);
		assert.equal([...(normalisedTitle('😀'.repeat(500)) ?? '')].length, 200);
	});
});
