import assert from 'node:assert/strict';
import type { Attachment } from '../../../../src/chat/model/attachment.ts';
import type { Reply } from '../../../../src/chat/model/conversation.ts';
import { type Addressee, excessOf, measureOf } from '../../../../src/chat/model/measure.ts';
import { toUseView } from '../../../../src/chat/protocol/toView.ts';
import { AGENT_WORK, conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const [first, second, third] = TURN_IDS;

/** A text of that many tokens, as they are estimated. */
const tokens = (count: number) => 'word.. '.repeat(count / 2);

const addressee = (others: Partial<Addressee> = {}): Addressee => ({
	model: 'large',
	takesImages: undefined,
	limits: { contextLength: 1_000, maxOutputTokens: 200 },
	instructions: tokens(20),
	agentOf: () => 'errand',
	...others,
});

const attachment: Attachment = { kind: 'text', label: 'a.txt', text: tokens(100) };

describe('what goes with the next message', () => {
	const chat = conversation(turn(first, tokens(100), reply({ text: tokens(200) })));

	it('is the instructions and the earlier messages, of what the model takes without its reply', () => {
		const use = toUseView(chat, [], measureOf(chat, addressee()));
		assert.deepEqual([use.instructions, use.history, use.attached, use.limit, use.reply], [20, 300, 0, 800, 200]);
	});

	it('is too long by what is shown as more than fits', () => {
		const measure = { ...measureOf(chat, addressee()), question: 460 };
		const { instructions, history, attached, limit = 0 } = toUseView(chat, [attachment], measure);
		assert.equal(excessOf([attachment], measure), instructions + history + attached + 460 - limit);
		assert.ok(attached >= 100);
		assert.equal(excessOf([], measure), 0);
	});

	it('has no limit where that of the model is not known, and is never too long then', () => {
		const measure = { ...measureOf(chat, addressee({ limits: {} })), question: 9_000_000 };
		assert.equal(toUseView(chat, [], measure).limit, undefined);
		assert.equal(excessOf([attachment], measure), 0);
	});

	it('leaves out generated images and their prompts, and an image model gets nothing else', () => {
		const image = { ...turn(second, tokens(50), reply({ text: tokens(50) })), mode: 'image' as const };
		const both = conversation(turn(first, tokens(100), reply({ text: tokens(200) })), image);
		assert.equal(measureOf(both, addressee()).history, 300);
		const { instructions, history } = measureOf({ ...both, mode: 'image' }, addressee());
		assert.deepEqual([instructions, history], [0, 0]);
	});

	it('is measured in an encrypted conversation too', () => {
		const { instructions, history } = measureOf({ ...chat, encryption: { model: 'large' } }, addressee());
		assert.deepEqual([instructions, history], [20, 300]);
	});

	it('is nothing before there is a conversation', () => {
		const { instructions, history, contextLength } = measureOf(undefined, addressee());
		assert.deepEqual([instructions, history, contextLength], [0, 0, 1_000]);
	});

	describe('to an agent', () => {
		const worked = (work: Partial<NonNullable<Reply['work']>>) => reply({ work: { ...AGENT_WORK, ...work } });
		const context = { used: 4_000, size: 10_000 };
		const useAfter = (...replies: Reply[]) => {
			const turns = replies.map((one, index) => turn(TURN_IDS[index] ?? '', tokens(100), one));
			const value = { ...conversation(...turns), mode: 'agent' as const };
			return toUseView(value, [], measureOf(value, addressee()));
		};

		it('adds to what the agent says that it has, of what it says that fits', () => {
			const { instructions, history, agent, limit, reply: left } = useAfter(worked({ context }));
			assert.deepEqual([instructions, history, agent, limit, left], [0, 0, { used: 4_000 }, 10_000, undefined]);
		});

		it('goes by what it said last, also while it has said nothing in a turn that goes on', () => {
			const later = { used: 5_000, size: 10_000 };
			assert.deepEqual(useAfter(worked({ context }), worked({ context: later })).agent, { used: 5_000 });
			assert.deepEqual(useAfter(worked({ context }), worked({ how: 'resumed' })).agent, { used: 4_000 });
		});

		it('says that it is not known where the agent has not said it, has begun anew, or is another one', () => {
			for (const replies of [
				[worked({})],
				[worked({ context }), worked({ how: 'new' })],
				[worked({ agent: 'pi', context })],
			]) {
				const { agent, limit } = useAfter(...replies);
				assert.deepEqual([agent, limit], [{}, undefined]);
			}
		});

		it('is too long only by what is sent, because agents make room by themselves', () => {
			const value = {
				...conversation(turn(third, 'Go', worked({ context: { used: 10_000, size: 10_000 } }))),
				mode: 'agent' as const,
			};
			const measure = measureOf(value, addressee());
			assert.equal(excessOf([attachment], measure), 0);
			assert.ok(excessOf([attachment], { ...measure, question: 800 }) >= 100);
		});
	});
});
