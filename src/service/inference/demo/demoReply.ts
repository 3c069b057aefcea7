import type { Annotation } from '../../../contract/chatReply.ts';
import type { ChatMessage, ChatTool } from '../../../contract/chatRequest.ts';
import type { ProviderFailureCode, ProviderRequest } from '../provider.ts';
import { type DemoPiece, piecesOf } from './demoPiece.ts';

/** Stands in every reply of the demo that is not held to a format. */
export const INTRODUCTION =
	"This is Errand's built-in demo, not a language model. It repeats what it was given and shows what a reply can look like.";

/** Milliseconds between two pieces. */
export const PAUSE_MS = 15;

export interface DemoCall {
	name: string;
	/** JSON text. */
	arguments: string;
}

/** What the demo answers, in the order in which it is sent. */
export interface DemoReply {
	reasoning: readonly DemoPiece[];
	pieces: readonly DemoPiece[];
	/** Positions within the text. */
	annotations: readonly Annotation[];
	calls: readonly DemoCall[];
	/** Milliseconds between two pieces. */
	pauseMs: number;
	/** What happens in the middle instead of an end. */
	breaksWith?: 'cut' | 'error';
	/** Nothing of the above is sent: it fails before the first byte. */
	fails?: { code: ProviderFailureCode; message: string };
}

export function textReply(text: string, rest: Partial<DemoReply> = {}): DemoReply {
	return { reasoning: [], pieces: piecesOf(text), annotations: [], calls: [], pauseMs: PAUSE_MS, ...rest };
}

/** The text of a message; parts that are no text count as none. */
export function textOf(message: ChatMessage | undefined): string {
	const content = message?.content ?? '';
	if (typeof content === 'string') {
		return content;
	}
	return content.map(part => (part.type === 'text' ? part.text : '')).join('');
}

/** What the demo answers to: the last message of the user. */
export function promptOf({ messages }: Pick<ProviderRequest, 'messages'>): string {
	return textOf(messages.findLast(message => message.role === 'user'));
}

export function toolNames(tools: readonly ChatTool[]): string {
	return tools.map(tool => `\`${tool.function.name}\``).join(', ');
}

/** Longer than any run of backticks in what it encloses, so that a prompt cannot end the block. */
export function fence(text: string): string {
	let longest = 2;
	for (const [run] of text.matchAll(/`+/g)) {
		longest = Math.max(longest, run.length);
	}
	return '`'.repeat(longest + 1);
}

const SHOWN_PROMPT_LENGTH = 200;

/** In one line. */
export function shownPrompt(request: Pick<ProviderRequest, 'messages'>): string {
	return shorten(promptOf(request).replace(/\s+/g, ' ').trim(), SHOWN_PROMPT_LENGTH);
}

export function shorten(text: string, length: number): string {
	const characters = [...text];
	return characters.length <= length ? text : `${characters.slice(0, length).join('')}…`;
}
