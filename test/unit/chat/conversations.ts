import type { Conversation, Reply, Turn } from '../../../src/chat/model/conversation.ts';

export const TURN_IDS = [1, 2, 3, 4].map(number => `00000000-0000-4000-8000-00000000000${number}`) as [
	string,
	string,
	string,
	string,
];

export function reply(others: Partial<Reply> = {}): Reply {
	return { state: 'done', startedAt: 1_000, endedAt: 2_000, text: 'An answer.', model: 'demo', ...others };
}

export function turn(id: string, question: string, ...replies: [Reply, ...Reply[]]): Turn {
	return { id, askedAt: 1_000, question, replies };
}

export function conversation(...turns: Turn[]): Conversation {
	return {
		id: 'c0000000-0000-4000-8000-000000000001',
		createdAt: 500,
		workspace: { name: 'widgets', folders: ['file:///work/widgets'], remote: 'https://example.com/acme/widgets.git' },
		turns,
	};
}
