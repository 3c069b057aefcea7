import type { Reply } from '../model/conversation.ts';

export type ChatChange =
	/** A reply has begun. */
	| { kind: 'conversation' }
	| { kind: 'turn'; turnId: string }
	| { kind: 'text' | 'reasoning'; turnId: string; text: string }
	/** Other turns are shown: another version of a message. */
	| { kind: 'path' }
	/** It has another title, or another id. */
	| { kind: 'name' }
	/** Its messages ask for something else from now on. */
	| { kind: 'mode' }
	/** It has chosen another model, policy or parameters. */
	| { kind: 'settings' }
	/** The way of its messages stands differently. */
	| { kind: 'encryption' }
	| { kind: 'notice' };

/** Text that was appended goes out as what was appended; anything else as the whole turn. */
export function describeChange(
	turnId: string,
	before: Reply | undefined,
	reply: Reply,
	waitingChanged: boolean,
): ChatChange {
	if (before && reply.state === 'streaming' && !waitingChanged) {
		// The first text may take the place of an earlier reply's, so it is no append.
		if (before.text !== '' && reply.text.length > before.text.length) {
			return { kind: 'text', turnId, text: reply.text.slice(before.text.length) };
		}
		const { reasoning = '' } = reply;
		if (before.reasoning && reasoning.length > before.reasoning.length) {
			return { kind: 'reasoning', turnId, text: reasoning.slice(before.reasoning.length) };
		}
	}
	return { kind: 'turn', turnId };
}
