import * as z from 'zod';
import { type Encryption, encryptionSchema } from './encryption.ts';

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
