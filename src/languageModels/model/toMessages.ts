import { append } from '../../base/append.ts';
import { dataUrl } from '../../base/dataUrl.ts';
import { imageTypeOf } from '../../base/imageHeader.ts';
import { assistantMessage } from '../../client/toolCalls.ts';
import { type ChatMessage, MAXIMUM_REQUEST_IMAGE_BYTES, type ToolCall } from '../../contract/chatRequest.ts';
import { OMITTED_PART } from '../../contract/foreignNames.ts';

/** A part of a message of the editor's interface for language models, without the editor's own classes. */
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

/** Why messages cannot be sent. */
export type MessageProblem =
	/** Data that is named an image but is not of a type that models accept. */
	| { kind: 'no-image'; type: string }
	| { kind: 'images-too-large' }
	/** There is nothing left to ask. */
	| { kind: 'empty' };

export class MessageRefusal extends Error {
	override readonly name = 'MessageRefusal';
	readonly problem: MessageProblem;

	constructor(problem: MessageProblem) {
		super(`The messages were refused before they were sent: ${problem.kind}`);
		this.problem = problem;
	}
}

/**
 * Writes messages of the editor in the form of the contract. The contract has no place for a model's thoughts, and none
 * for data that is neither an image nor a text, such as the marks by which others control their caches. Throws a
 * MessageRefusal.
 */
export function toMessages(messages: readonly Message[]): ChatMessage[] {
	const sent = new Messages();
	for (const message of messages) {
		sent.add(message);
	}
	if (sent.list.length === 0) {
		throw new MessageRefusal({ kind: 'empty' });
	}
	return sent.list;
}

class Messages {
	readonly list: ChatMessage[] = [];
	private imageBytes = 0;

	add({ role, parts }: Message): void {
		if (role === 'assistant') {
			this.addAssistant(parts);
			return;
		}
		if (role === 'system') {
			const text = textOf(parts);
			if (text !== '') {
				this.list.push({ role, content: text });
			}
			return;
		}
		const images: string[] = [];
		// The results of calls come right after the calls, before any text of the user.
		for (const part of parts) {
			if (part.kind === 'result') {
				this.list.push({ role: 'tool', tool_call_id: part.id, content: textOf(part.parts) });
				// Every service accepts an image in a user's message, but not in a tool's.
				append(images, this.imagesOf(part.parts));
			}
		}
		this.addUser(textOf(parts), [...images, ...this.imagesOf(parts)]);
	}

	private addAssistant(parts: readonly MessagePart[]): void {
		const text = textOf(parts);
		const calls = parts.flatMap((part): ToolCall[] =>
			part.kind === 'call'
				? [
						{
							id: part.id,
							type: 'function',
							function: { name: part.name, arguments: JSON.stringify(part.input ?? {}) },
						},
					]
				: [],
		);
		if (text !== '' || calls.length > 0) {
			this.list.push(assistantMessage(text, calls));
		}
	}

	/** Joins the user's text with their text right before it, as many models refuse two such messages in a row. */
	private addUser(text: string, images: readonly string[]): void {
		if (text === '' && images.length === 0) {
			return;
		}
		const content: ChatMessage['content'] =
			images.length === 0
				? text
				: [
						...(text === '' ? [] : [{ type: 'text' as const, text }]),
						...images.map(url => ({ type: 'image_url' as const, image_url: { url } })),
					];
		const last = this.list.at(-1);
		if (last?.role === 'user') {
			last.content = joined(last.content, content);
		} else {
			this.list.push({ role: 'user', content });
		}
	}

	private imagesOf(parts: readonly MessagePart[]): string[] {
		return parts.flatMap(part => (part.kind === 'data' && isImage(part.type) ? [this.imageUrl(part)] : []));
	}

	/** The type of an image is determined by its bytes, whatever its sender says. */
	private imageUrl({ type: named, bytes }: { type: string; bytes: Uint8Array }): string {
		const type = imageTypeOf(bytes);
		if (type === undefined) {
			throw new MessageRefusal({ kind: 'no-image', type: named });
		}
		this.imageBytes += bytes.byteLength;
		if (this.imageBytes > MAXIMUM_REQUEST_IMAGE_BYTES) {
			throw new MessageRefusal({ kind: 'images-too-large' });
		}
		return dataUrl(type, bytes);
	}
}

function joined(before: ChatMessage['content'], after: ChatMessage['content']): ChatMessage['content'] {
	if (typeof before === 'string' && typeof after === 'string') {
		return `${before}\n\n${after}`;
	}
	return [...contentParts(before), ...contentParts(after)];
}

const contentParts = (content: ChatMessage['content']) =>
	typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;

const isImage = (type: string) => type.startsWith('image/');

/** Returns the text of the parts, without images, calls and results. */
export function textOf(parts: readonly MessagePart[]): string {
	return parts
		.map(part => {
			switch (part.kind) {
				case 'text':
					return part.text;
				case 'data':
					return isText(part.type) ? new TextDecoder().decode(part.bytes) : '';
				case 'other':
					return OMITTED_PART;
				default:
					return '';
			}
		})
		.join('');
}

function isText(type: string): boolean {
	return type.startsWith('text/') || /^application\/(?:[\w.-]+\+)?json\b/.test(type);
}
