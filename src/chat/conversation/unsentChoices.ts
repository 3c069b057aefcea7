import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { Conversation } from '../model/conversation.ts';
import { conversationSettingsSchema } from '../model/settings.ts';
import type { WindowState } from '../model/shownConversation.ts';

/** The choices for a conversation before its first message. */
type UnsentChoice = Pick<Conversation, 'mode' | 'settings'>;

/** The choices of a conversation that has no file yet. Only the last one's are stored, because there is one draft. */
export interface UnsentChoices {
	read(conversation: string): UnsentChoice;
	write(conversation: string, choice: UnsentChoice): void;
}

const KEY = 'errand.unsentChoice';

const keptSchema = z.object({
	conversation: z.string(),
	mode: z.enum(['search', 'image', 'agent']).optional().catch(undefined),
	settings: conversationSettingsSchema,
});

export function unsentChoices(state: WindowState): UnsentChoices {
	return {
		read(conversation) {
			const kept = keptSchema.safeParse(state.get(KEY)).data;
			if (kept?.conversation !== conversation) {
				return {};
			}
			const { mode, settings } = kept;
			return defined({ mode, settings });
		},
		write(conversation, choice) {
			const isNone = choice.mode === undefined && choice.settings === undefined;
			void state.update(KEY, isNone ? undefined : { conversation, ...choice });
		},
	};
}
