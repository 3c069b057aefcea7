import type { Conversation } from '../model/conversation.ts';
import { fileVersionOf } from '../model/conversationFile.ts';

/**
 * The whole conversation as JSON, with all versions of its messages and all replies. `format` and `version` name the
 * form: version 3, or 4 for an encrypted conversation, is `Conversation` of `model/conversation.ts`, field by field, times in milliseconds since the epoch.
 * A field is added without a new version; one that changes its meaning gets one.
 */
export function exportJson(conversation: Conversation, exportedAt: number): string {
	return `${JSON.stringify({ format: 'errand.conversation', version: fileVersionOf(conversation), exportedAt, conversation }, undefined, '\t')}\n`;
}
