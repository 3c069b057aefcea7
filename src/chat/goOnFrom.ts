import { randomUUID } from 'node:crypto';
import type { ChatContext } from './context/chatContext.ts';
import type { Chat } from './conversation/chat.ts';
import { explainMissingKey, explainRefusal } from './messages/refusals.ts';
import type { TurnStart } from './model/conversation.ts';
import type { TurnConnection, TurnDependencies } from './turnHandlers.ts';

/**
 * Returns what sends a message to an agent that goes on from a step, with the instruction files of the repository. A
 * message that is refused is put into the composer, and the page says why.
 */
export function goOnFrom(
	{ instructions }: Pick<ChatContext, 'instructions'>,
	{ label, ensureKey }: Pick<TurnConnection, 'label' | 'ensureKey'>,
	page: TurnDependencies['page'],
): (chat: Chat, text: string, from: TurnStart) => Promise<void> {
	const send = async (chat: Chat, text: string, from: TurnStart): Promise<string | undefined> => {
		if (!(await ensureKey(() => {}))) {
			return explainMissingKey(label()).message;
		}
		const files = await instructions.take(chat.conversation, () => {});
		if ('message' in files) {
			return files.message;
		}
		const refusal = await chat.continueFrom(randomUUID(), text, { instructions: files, from });
		return refusal && explainRefusal(refusal, label()).message;
	};
	return async (chat, text, from) => {
		const problem = await send(chat, text, from);
		if (problem !== undefined) {
			page.post({ kind: 'composer-fill', text, isAdded: true });
			page.focusComposer();
			page.say(problem);
		}
	};
}
