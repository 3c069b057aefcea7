// Messages of the editor's interface for language models, without the editor's own classes.

export type MessagePart =
	| { kind: 'text'; text: string }
	/** `type` is the MIME type that the sender names. */
	| { kind: 'data'; type: string; bytes: Uint8Array }
	/** The model has called a tool. */
	| { kind: 'call'; id: string; name: string; input: unknown }
	/** What a tool has answered. */
	| { kind: 'result'; id: string; parts: readonly MessagePart[] }
	/** What a model has thought, for which the contract has no place. */
	| { kind: 'thinking' }
	/** Something that is not known here. */
	| { kind: 'other' };

export interface Message {
	role: 'system' | 'user' | 'assistant';
	parts: readonly MessagePart[];
}
