import * as vscode from 'vscode';
import type { Message, MessagePart } from './model/message.ts';

/** The role that the editor's own chat gives to its instructions. The stable interface has no name for it. */
const SYSTEM_ROLE = 3;

export function readMessage({ role, content }: vscode.LanguageModelChatRequestMessage): Message {
	const parts = readParts(content);
	if (role === vscode.LanguageModelChatMessageRole.Assistant) {
		return { role: 'assistant', parts };
	}
	return { role: Number(role) === SYSTEM_ROLE ? 'system' : 'user', parts };
}

export function readParts(content: readonly unknown[]): MessagePart[] {
	return content.map(readPart);
}

function readPart(part: unknown): MessagePart {
	if (part instanceof vscode.LanguageModelTextPart) {
		return { kind: 'text', text: part.value };
	}
	if (part instanceof vscode.LanguageModelToolCallPart) {
		return { kind: 'call', id: part.callId, name: part.name, input: part.input };
	}
	if (part instanceof vscode.LanguageModelToolResultPart) {
		return { kind: 'result', id: part.callId, parts: readParts(part.content) };
	}
	if (part instanceof vscode.LanguageModelDataPart) {
		return { kind: 'data', type: part.mimeType, bytes: part.data };
	}
	if (part instanceof vscode.LanguageModelPromptTsxPart) {
		return { kind: 'text', text: JSON.stringify(part.value) ?? '' };
	}
	// The stable interface has no class for what a model has thought, but a reply of another model may have brought some.
	const isThinking = typeof part === 'object' && part !== null && 'value' in part && 'metadata' in part;
	return { kind: isThinking ? 'thinking' : 'other' };
}
