import { nullLogger } from '../../../src/base/logger.ts';
import type { EncryptedChannels } from '../../../src/channel/api.ts';
import type { AgentTurns } from '../../../src/chat/conversation/replyRequest.ts';
import { ImageStore } from '../../../src/chat/storage/imageStore.ts';

const none = async () => {
	throw new Error('No encrypted channel is asked for here.');
};

/** The channels of a connection that has none. */
export const noChannels: EncryptedChannels = { offer: none, open: none, explain: none };

/** No agent works for these conversations. */
export const noAgents: AgentTurns = {
	refusal: async () => ({ message: 'No agent works here.' }),
	adopt: async () => {},
	forget: async () => {},
	run: () => ({ [Symbol.asyncIterator]: () => ({ next: none }) }),
};

/** A store for conversations whose replies bring no images. */
export function noImages(folder: string): ImageStore {
	const refuse = async () => {
		throw new Error('No image is asked for here.');
	};
	return new ImageStore(folder, refuse, nullLogger);
}
