// Messages of the editor's interface for language models, without the editor's own classes.

export type MessagePart =
	| { kind: 'text'; text: string }
	/** `type` is the sender's MIME type. */
	| { kind: 'data'; type: string; bytes: Uint8Array }
	/** The model has called a tool. */
	| { kind: 'call'; id: string; name: string; input: unknown }
	/** The result of a tool. */
	| { kind: 'result'; id: string; parts: readonly MessagePart[] }
	/** A model's thoughts, for which the contract has no place. */
	| { kind: 'thinking' }
	/** A part of an unknown kind. */
	| { kind: 'other' };

export interface Message {
	role: 'system' | 'user' | 'assistant';
	parts: readonly MessagePart[];
}
