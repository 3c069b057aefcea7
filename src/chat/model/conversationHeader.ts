import type { Encryption } from '../encrypted/encryption.ts';
import type { TurnMode } from '../modes/model/mode.ts';
import type { ConversationSettings } from '../policy/model/conversationSettings.ts';
import type { Conversation } from './conversation.ts';

/** What its messages ask for from now on. */
export function withMode({ mode: _, ...conversation }: Conversation, mode: TurnMode): Conversation {
	return mode === 'chat' ? conversation : { ...conversation, mode };
}

/** What it has chosen; undefined is nothing. */
export function withSettings(
	{ settings: _, ...conversation }: Conversation,
	settings: ConversationSettings | undefined,
): Conversation {
	return settings === undefined ? conversation : { ...conversation, settings };
}

/** What is known of its way; undefined is a conversation that is not encrypted, and stays so. */
export function withEncryption(conversation: Conversation, encryption: Encryption | undefined): Conversation {
	return encryption === undefined ? conversation : { ...conversation, encryption };
}

/** Its id, title and origin; what is undefined is absent. */
export function named(
	{ title: _, branchedFrom: __, ...conversation }: Conversation,
	{ id, title, branchedFrom }: { id: string; title: string | undefined; branchedFrom: string | undefined },
): Conversation {
	return {
		...conversation,
		id,
		...(title === undefined ? {} : { title }),
		...(branchedFrom === undefined ? {} : { branchedFrom }),
	};
}
