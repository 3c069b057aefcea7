import { nullLogger } from '../../../../src/base/logger.ts';
import type { ChatOptions } from '../../../../src/chat/chatOptions.ts';
import { PictureStore } from '../../../../src/chat/modes/pictureStore.ts';

/** For chats whose connection has a chat model alone. */
export function noModes(folder: string): Pick<ChatOptions, 'modes' | 'pictures'> {
	const pictures = new PictureStore(
		folder,
		async () => {
			throw new Error('No picture is asked for here.');
		},
		nullLogger,
	);
	return { modes: async () => ({}), pictures };
}
