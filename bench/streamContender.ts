import process from 'node:process';
import { createParser } from 'eventsource-parser';
import { createClient } from '../src/client/client.ts';
import { createFetchTransport } from '../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../src/contract/connection.ts';
import { contend, linesOf, parameters } from './contender.ts';
import { type ChatBody, openPeer, type PeerName } from './peers.ts';

interface Chunk {
	choices?: { delta?: { content?: string } }[];
}

const { contender, address } = parameters<{ contender: keyof typeof contenders | PeerName; address: string }>();
const chat: ChatBody = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
const url = `${address}/chat/completions`;
const contentOf = (data: string) => (JSON.parse(data) as Chunk).choices?.[0]?.delta?.content?.length ?? 0;

/** Each contender counts the characters of the reply's text. */
const contenders = {
	async floor() {
		let count = 0;
		for await (const lines of linesOf(await fetch(url, { method: 'POST', body: '{}' }))) {
			for (const line of lines) {
				if (line.startsWith('data: ') && !line.startsWith('data: [DONE]')) {
					count += contentOf(line.slice(6));
				}
			}
		}
		return { count };
	},
	async parser() {
		let count = 0;
		const decoder = new TextDecoder();
		const parser = createParser({
			onEvent: ({ data }) => {
				count += data === '[DONE]' ? 0 : contentOf(data);
			},
		});
		for await (const bytes of (await fetch(url, { method: 'POST', body: '{}' })).body ?? []) {
			parser.feed(decoder.decode(bytes, { stream: true }));
		}
		return { count };
	},
	async ours() {
		const client = createClient({
			connection: { name: 'bench', ...connectionSchema.parse({ apiUrl: address, service: 'bench' }) },
			keys: () => Promise.resolve('sk-bench'),
			transport: createFetchTransport((input, init) => globalThis.fetch(input, init)),
		});
		let count = 0;
		for await (const event of client.chat.stream(chat)) {
			if (event.type === 'text') {
				count += event.text.length;
			}
		}
		return { count };
	},
};

async function peer(name: PeerName) {
	const read = await openPeer(name);
	return async () => {
		let count = 0;
		await read(address, chat, text => {
			count += text.length;
		});
		return { count };
	};
}

await contend(
	contender in contenders ? contenders[contender as keyof typeof contenders] : await peer(contender as PeerName),
);
process.disconnect();
