import { nullLogger } from '../../../../src/base/logger.ts';
import type { ChatOptions } from '../../../../src/chat/conversation/chatOptions.ts';
import { ImageStore } from '../../../../src/chat/storage/imageStore.ts';

/** For chats whose connection has a chat model alone. */
export function noModes(folder: string): Pick<ChatOptions, 'modes' | 'images' | 'channels'> {
	const images = new ImageStore(
		folder,
		async () => {
			throw new Error('No image is asked for here.');
		},
		nullLogger,
	);
	const none = async () => {
		throw new Error('No encrypted channel is asked for here.');
	};
	return { modes: async () => ({}), images, channels: { offer: none, open: none, explain: none } };
}
