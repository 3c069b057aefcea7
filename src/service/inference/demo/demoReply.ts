import type { Annotation } from '../../../contract/chatReply.ts';
import type { ChatMessage, ChatTool } from '../../../contract/chatRequest.ts';
import type { ProviderFailureCode, ProviderRequest } from '../provider.ts';
import { type DemoPiece, piecesOf } from './demoPiece.ts';

/** Every reply of the demo begins with this text, unless a format is enforced. */
export const INTRODUCTION =
	"This is Errand's built-in demo, not a language model. It repeats what it was given and shows what a reply can look like.";

/** The pause between two pieces in milliseconds. */
export const PAUSE_MS = 15;

export interface DemoCall {
	name: string;
	/** The arguments as a JSON text. */
	arguments: string;
}

/** The content of a reply, in the order in which it is sent. */
export interface DemoReply {
	reasoning: readonly DemoPiece[];
	pieces: readonly DemoPiece[];
	/** The annotations' positions refer to the text of the reply. */
	annotations: readonly Annotation[];
	calls: readonly DemoCall[];
	/** The pause between two pieces in milliseconds. */
	pauseMs: number;
	/** The way in which the reply fails in the middle, if it does. */
	breaksWith?: 'cut' | 'error';
	/** The failure before the first byte. If it is set, none of the above is sent. */
	fails?: { code: ProviderFailureCode; message: string };
}

export function textReply(text: string, rest: Partial<DemoReply> = {}): DemoReply {
	return { reasoning: [], pieces: piecesOf(text), annotations: [], calls: [], pauseMs: PAUSE_MS, ...rest };
}

/** Returns the text of a message without its other parts. */
export function textOf(message: ChatMessage | undefined): string {
	const content = message?.content ?? '';
	if (typeof content === 'string') {
		return content;
	}
	return content.map(part => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the text that the demo replies to: the user's last message. */
export function promptOf({ messages }: Pick<ProviderRequest, 'messages'>): string {
	return textOf(messages.findLast(message => message.role === 'user'));
}

export function toolNames(tools: readonly ChatTool[]): string {
	return tools.map(tool => `\`${tool.function.name}\``).join(', ');
}

/** Returns a fence that is longer than any run of backticks in the text, so that a prompt cannot end the code block. */
export function fence(text: string): string {
	let longest = 2;
	for (const [run] of text.matchAll(/`+/g)) {
		longest = Math.max(longest, run.length);
	}
	return '`'.repeat(longest + 1);
}

const SHOWN_PROMPT_LENGTH = 200;

/** Returns the beginning of the prompt as a single line. */
export function shownPrompt(request: Pick<ProviderRequest, 'messages'>): string {
	return shorten(promptOf(request).replace(/\s+/g, ' ').trim(), SHOWN_PROMPT_LENGTH);
}

export function shorten(text: string, length: number): string {
	const characters = [...text];
	return characters.length <= length ? text : `${characters.slice(0, length).join('')}…`;
}
