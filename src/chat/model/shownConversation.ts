// The entry in the state of a window's workspace about the conversation that the window shows.
import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { Conversation } from './conversation.ts';
import { type Encryption, encryptionSchema } from './encryption.ts';
import { conversationSettingsSchema } from './settings.ts';

/** The conversation that a window shows: enough to show the same one after a reload, even without a message. */
export interface ShownConversation {
	readonly id: string;
	/** Absent if the conversation is not encrypted. */
	readonly encryption?: Encryption;
}

const stateSchema = z.union([
	z.string().transform(id => ({ id })),
	z.object({ unkept: z.literal(true) }).transform(() => ({ id: '', encryption: { isUnkept: true as const } })),
	z.object({ id: z.string(), encryption: encryptionSchema }),
]);

/** Returns the state to store. For a conversation that is not kept, it says only that there was one. */
export function shownState({ id, encryption }: ShownConversation): unknown {
	if (encryption?.isUnkept) {
		return { unkept: true };
	}
	return encryption ? { id, encryption } : id;
}

/** The editor's state of one window: that of its workspace, if it has one. */
export interface WindowState {
	get(key: string): unknown;
	update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = 'errand.shownConversation';

/** Stores which conversation a window last showed. */
export function lastShown(state: WindowState) {
	return {
		read: () => parseShownState(state.get(KEY)),
		write: (shown: ShownConversation) => void state.update(KEY, shownState(shown)),
	};
}

export function parseShownState(state: unknown): ShownConversation | undefined {
	return stateSchema.safeParse(state).data;
}

/** The choices for a conversation before its first message. */
type UnsentChoice = Pick<Conversation, 'mode' | 'settings'>;

/** The choices of a conversation that has no file yet. Only the last one's are stored, because there is one draft. */
export interface UnsentChoices {
	read(conversation: string): UnsentChoice;
	write(conversation: string, choice: UnsentChoice): void;
}

const UNSENT_KEY = 'errand.unsentChoice';

const unsentSchema = z.object({
	conversation: z.string(),
	mode: z.enum(['search', 'image', 'agent']).optional().catch(undefined),
	settings: conversationSettingsSchema,
});

export function unsentChoices(state: WindowState): UnsentChoices {
	return {
		read(conversation) {
			const kept = unsentSchema.safeParse(state.get(UNSENT_KEY)).data;
			if (kept?.conversation !== conversation) {
				return {};
			}
			const { mode, settings } = kept;
			return defined({ mode, settings });
		},
		write(conversation, choice) {
			const isNone = choice.mode === undefined && choice.settings === undefined;
			void state.update(UNSENT_KEY, isNone ? undefined : { conversation, ...choice });
		},
	};
}
