import assert from 'node:assert/strict';
import { normalisedTitle, titleOf } from '../../../../src/chat/model/title.ts';
import { conversation, reply, TURN_IDS, turn } from '../conversations.ts';

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

	it('is taken without what no line can show, and not at all when nothing is left', () => {
		assert.equal(normalisedTitle('  a\n\u202eb\u0000 👩‍👩‍👧  '), 'a b 👩‍👩‍👧');
		assert.equal(normalisedTitle(' \u2066\n'), undefined);
		assert.equal(normalisedTitle('\u00ad\u3164\u{e0041}'), undefined);
		assert.equal([...(normalisedTitle('😀'.repeat(500)) ?? '')].length, 200);
	});
});
