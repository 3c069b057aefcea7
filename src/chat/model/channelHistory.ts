import type { ChannelMessage } from '../../contract/channel.ts';
import type { ChatMessage } from '../../contract/chatRequest.ts';

/**
 * Converts the messages of a request for the channel, which takes only texts, with the user's instructions before them.
 */
export function channelHistory(messages: readonly ChatMessage[], instructions: string): ChannelMessage[] {
	const texts = messages.map(({ role, content }): ChannelMessage => {
		if (role === 'tool' || typeof content !== 'string') {
			throw new TypeError('The encrypted channel takes texts alone.');
		}
		return { role, content };
	});
	return instructions.trim() === '' ? texts : [{ role: 'system', content: instructions }, ...texts];
}
