import type { Attachment } from '../model/attachment.ts';
import type { TurnMode } from '../model/mode.ts';
import { MAXIMUM_MESSAGE_LENGTH } from '../protocol/protocol.ts';
import type { SendRefusal } from './chatOptions.ts';

/** Returns why a message cannot be sent in a mode, whatever the connection is; undefined if it can. */
export function messageRefusal(
	text: string,
	mode: TurnMode,
	attachments: readonly Attachment[],
): SendRefusal | undefined {
	if (text.trim() === '') {
		return { reason: 'empty' };
	}
	if (text.length > MAXIMUM_MESSAGE_LENGTH) {
		return { reason: 'too-long' };
	}
	if (mode === 'image' && attachments.length > 0) {
		return { reason: 'image-context' };
	}
	if (mode === 'agent' && attachments.some(({ image }) => image !== undefined)) {
		return { reason: 'agent-images' };
	}
	return undefined;
}
