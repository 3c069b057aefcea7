import assert from 'node:assert/strict';
import { EventQueue } from '../../../../src/chat/agent/eventQueue.ts';
import type { ReplyEvent } from '../../../../src/chat/model/applyEvent.ts';
import { AGENT_WORK } from '../conversations.ts';

async function read(queue: EventQueue): Promise<ReplyEvent[]> {
	const events: ReplyEvent[] = [];
	for await (const event of queue.events()) {
		events.push(event);
	}
	return events;
}

const text = (words: string) => ({ type: 'text', text: words }) as const;
const work = (session: string) => ({ type: 'work', work: { ...AGENT_WORK, session } }) as const;

describe('the events of an agent', () => {
	it('come in their order, joined if they have not been read yet', async () => {
		const queue = new EventQueue();
		for (const event of [
			text('a'),
			text('b'),
			work('1'),
			work('2'),
			text('c'),
			{ type: 'reasoning', text: 'd' } as const,
		]) {
			queue.push(event);
		}
		queue.close();
		assert.deepEqual(await read(queue), [text('ab'), work('2'), text('c'), { type: 'reasoning', text: 'd' }]);
	});

	it('come as they are told while they are read', async () => {
		const queue = new EventQueue();
		const reading = read(queue);
		for (const words of ['a', 'b']) {
			queue.push(text(words));
			await new Promise(resolve => setImmediate(resolve));
		}
		queue.close();
		assert.deepEqual(await reading, [text('a'), text('b')]);
	});

	it('end with an error after all that was told before it', async () => {
		const queue = new EventQueue();
		queue.push(text('a'));
		queue.close({ error: new Error('gone') });
		queue.close();
		const events = queue.events();
		assert.deepEqual((await events.next()).value, text('a'));
		await assert.rejects(events.next(), /gone/);
	});
});
