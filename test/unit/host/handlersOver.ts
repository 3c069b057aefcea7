import assert from 'node:assert/strict';
import {
	type AgentHandlers,
	type AgentHandlersDependencies,
	agentHandlers,
} from '../../../src/chat/agent/agentHandlers.ts';
import type { Chat } from '../../../src/chat/conversation/chat.ts';
import type { AgentWork } from '../../../src/chat/model/agentWork.ts';

type Ranges = ReturnType<AgentHandlersDependencies['ranges']>;

/** The handlers of the turn `t`, with its work. They do what they are given with states, and nothing else. */
export function handlersOver(work: AgentWork, ranges: Partial<Ranges>, conversation = 'c'): AgentHandlers {
	const reply = { state: 'done', startedAt: 0, text: '', work };
	const turns = [{ id: 't', askedAt: 0, question: '', replies: [reply] }];
	const chat = { conversation: { id: conversation, turns } };
	const fail = () => assert.fail();
	return agentHandlers({
		agents: { runs: fail, pick: fail, chooseApprovals: fail },
		withTurn: async (_, run) => void (await run(chat as unknown as Chat)),
		ranges: () => ({ list: fail, showFiles: fail, compare: fail, take: fail, takeBack: fail, ...ranges }),
		diffs: { open: fail },
		goOn: fail,
		label: () => '',
		page: { say: fail, fill: fail, focusComposer: async () => {} },
	});
}
