import type { AgentWork } from '../../../src/chat/model/agentWork.ts';
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

export const AGENT_WORK: AgentWork = {
	agent: 'errand',
	label: 'Errand',
	isSandboxed: true,
	steps: [],
	checkpoints: [{ repository: '/home/me/widgets', before: 'a'.repeat(40) }],
};

/** Each turn follows the one before it and the last is shown, unless a turn says which one it follows. */
export function conversation(...turns: Turn[]): Conversation {
	const linked = turns.map((value, index) => {
		const before = turns[index - 1];
		return before && value.previous === undefined ? { ...value, previous: before.id } : value;
	});
	const head = linked.at(-1)?.id;
	return {
		id: 'c0000000-0000-4000-8000-000000000001',
		createdAt: 500,
		workspace: {
			name: 'widgets',
			folders: ['file:///home/me/widgets'],
			remote: 'https://example.com/acme/widgets.git',
		},
		...(head === undefined ? {} : { head }),
		turns: linked,
	};
}
