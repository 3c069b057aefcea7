import assert from 'node:assert/strict';
import type { ChannelMessage } from '../../src/contract/channel.ts';
import type { ContractServer } from '../support/contractServer/contractServer.ts';
import { channelReply, encryptedModel } from '../support/contractServer/fixtures.ts';
import type { SentMessage } from './enclaveStandIn.ts';

export const { id: model, channelProvider: provider = '' } = encryptedModel;

/** The text that the reference server answers by default. */
export const whole = channelReply.pieces.join('');

export const asking = (content: string): ChannelMessage[] => [
	{ role: 'system', content: 'Be brief.' },
	{ role: 'user', content },
];
export const history = asking('When does the tide turn? ⚓');

export const messagesTo = (server: ContractServer): SentMessage[] =>
	server.received.filter(({ path }) => /\/message(_stream)?$/.test(path)).map(({ json }) => json as SentMessage);

export const attestationsOf = (server: ContractServer) =>
	server.received.filter(({ path }) => path.endsWith('/attestation'));

export const bytesOf = (text: string): Buffer => {
	const bytes = Buffer.from(text, 'base64');
	assert.equal(bytes.toString('base64'), text);
	return bytes;
};

export async function read(stream: AsyncIterable<{ type: 'text'; text: string }>): Promise<string[]> {
	const texts: string[] = [];
	for await (const { type, text } of stream) {
		assert.equal(type, 'text');
		texts.push(text);
	}
	return texts;
}
