import { nullLogger } from '../../../../src/base/logger.ts';
import type { ChatOptions } from '../../../../src/chat/conversation/chatOptions.ts';
import { PictureStore } from '../../../../src/chat/storage/pictureStore.ts';

/** For chats whose connection has a chat model alone. */
export function noModes(folder: string): Pick<ChatOptions, 'modes' | 'pictures' | 'channels'> {
	const pictures = new PictureStore(
		folder,
		async () => {
			throw new Error('No picture is asked for here.');
		},
		nullLogger,
	);
	const none = async () => {
		throw new Error('No encrypted channel is asked for here.');
	};
	return { modes: async () => ({}), pictures, channels: { offer: none, open: none, explain: none } };
}
