import type { Conversation } from '../model/conversation.ts';
import { fileVersionOf } from '../model/conversationFile.ts';

/**
 * The whole conversation as JSON, with all versions of its messages and all replies. `format` and `version` name the
 * format: version 3, or 4 for an encrypted conversation, is `Conversation` of `model/conversation.ts`, field by field,
 * with times in milliseconds since the epoch. Adding a field does not change the version; changing the meaning of a
 * field does.
 */
export function exportJson(conversation: Conversation, exportedAt: number): string {
	return `${JSON.stringify({ format: 'errand.conversation', version: fileVersionOf(conversation), exportedAt, conversation }, undefined, '\t')}\n`;
}
