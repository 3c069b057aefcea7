import assert from 'node:assert/strict';
import { ClientError } from '../../../../src/base/errors.ts';
import type { ChannelSession } from '../../../../src/client/types.ts';
import { ChannelFront, type FrontMessage, handOut } from '../../../support/channelFront.ts';
import type { Sealed } from '../../../support/contractServer/channelCryptography.ts';
import { Enclave } from '../../../support/enclave.ts';
import { sendEvents, sendJson, sseEvent } from '../../../support/faultServer.ts';
import { collect, type TestClient, testClient } from '../testClient.ts';

const PIECES = 3;

/** What the front does with a message. */
const DEEDS = ['pass on', 'hold back', 'repeat', 'swap', 'cross endpoints'] as const;
type Deed = (typeof DEEDS)[number];

/** Every row of three deeds that begins with this one: 25 of them, 125 for all five. */
const rowsFrom = (first: Deed): Deed[][] => DEEDS.flatMap(second => DEEDS.map(third => [first, second, third]));

/** The frames that the front has, and those of the message at hand. */
class Loot {
	/** What came to the front and was not handed out. */
	readonly held: Sealed[] = [];
	/** What was handed out last. */
	last: Sealed[] = [];
	/** The IVs of all frames that answer the message at hand. */
	own = new Set<string>();

	/** Returns the frames to hand out in place of the reply. The first one looks like the reply to the message. */
	async framesFor(deed: Deed, { path, nonce, forward }: FrontMessage): Promise<Sealed[]> {
		const [asked, other] = path.endsWith('_stream')
			? (['message_stream', 'message'] as const)
			: (['message', 'message_stream'] as const);
		const fetch = async (endpoint: typeof asked | typeof other) => {
			const frames = await forward(endpoint);
			for (const { iv } of frames) {
				this.own.add(iv);
			}
			return frames;
		};
		switch (deed) {
			case 'pass on':
				return fetch(asked);
			case 'hold back': {
				const [first, ...rest] = await fetch('message_stream');
				this.held.push(...rest);
				return first ? [first] : [];
			}
			case 'repeat': {
				const frames = await fetch(asked);
				return [...(this.last.length > 0 ? this.last : frames), ...frames];
			}
			case 'swap': {
				const frames = [...this.held.splice(0), ...(await fetch('message_stream'))];
				const first = frames.findIndex(frame => frame.nonce === nonce + 2000);
				const [fitting] = frames.splice(Math.max(first, 0), 1);
				return fitting ? [fitting, ...frames.reverse()] : [];
			}
			case 'cross endpoints': {
				this.held.push(...(await fetch(asked)));
				return fetch(other);
			}
		}
	}
}

/** The enclave answers every message as often as it is asked to: nothing but the client stands against the front. */
describe('a front that hands out what it likes', () => {
	let enclave: Enclave;
	let front: ChannelFront;
	let client: TestClient;

	beforeEach(async () => {
		enclave = await Enclave.start();
		enclave.answer = (response, { path, nonce, history, seal }) => {
			const question = (history as { content: string }[]).at(-1)?.content;
			if (path.endsWith('_stream')) {
				const frames = Array.from({ length: PIECES }, (_, index) =>
					seal(`${question}: ${index}; `, nonce + 2000 + index),
				);
				sendEvents(response, ...frames.map(frame => sseEvent(frame)), sseEvent('[DONE]'));
			} else {
				sendJson(response, 200, seal(`${question}: whole; `));
			}
		};
		front = await ChannelFront.start(enclave.server.origin);
		client = testClient('https://api.example', { fields: { encryptUrl: front.server.origin } });
	});
	afterEach(async () => {
		await front.stop();
		await enclave.stop();
	});

	async function ask(session: ChannelSession, question: string, isStreamed: boolean) {
		const history = [{ role: 'user', content: question }] as const;
		if (isStreamed) {
			const { events, error } = await collect(session.stream(history));
			return { text: events.map(({ text }) => text).join(''), error };
		}
		return session.send(history).then(
			({ text }) => ({ text, error: undefined }),
			(error: unknown) => ({ text: '', error }),
		);
	}

	for (const endpoint of ['message', 'message_stream'] as const) {
		for (const first of DEEDS) {
			it(`shows nothing of another message, in 25 rows from “${first}” at /${endpoint} on`, async () => {
				/** The deeds that ended the session of an earlier row. All rows that begin with them end there. */
				let ended: readonly Deed[] = [];
				for (const row of rowsFrom(first)) {
					if (ended.length > 0 && ended.every((deed, index) => deed === row[index])) {
						continue;
					}
					const loot = new Loot();
					const session = await client.channel.open();
					for (const [index, deed] of row.entries()) {
						const question = `${row.join(', ')}, question ${index}`;
						let handed: Sealed[] = [];
						front.answer = async (response, message) => {
							loot.own.clear();
							handed = await loot.framesFor(deed, message);
							loot.last = handed;
							handOut(response, message, handed);
						};
						const isStreamed = (endpoint === 'message_stream') === (index % 2 === 0);
						const { text, error } = await ask(session, question, isStreamed);
						const pieces = text.split('; ').filter(Boolean);
						assert.ok(
							pieces.every(piece => piece.startsWith(`${question}: `)),
							`“${question}” was answered with “${text}”`,
						);
						const foreign = handed.findIndex(({ iv }) => !loot.own.has(iv));
						if (foreign !== -1 && (isStreamed || foreign === 0)) {
							assert.ok(ClientError.is(error, 'tampered'), `“${question}” ended with ${error}`);
							assert.ok(pieces.length <= foreign);
						}
						if (error !== undefined) {
							assert.ok(ClientError.is(error, 'tampered'), `“${question}” ended with ${error}`);
							ended = row.slice(0, index + 1);
							break;
						}
					}
				}
				const seen = [...front.server.received, ...enclave.server.received];
				assert.ok(seen.every(({ body, path, query }) => !`${path}?${query}${body}`.includes('question')));
				const places = enclave.messages.map(({ sessionId, nonce }) => `${sessionId} ${nonce}`);
				const keys = enclave.messages.map(({ peerPublicKey }) => peerPublicKey);
				assert.equal(new Set(keys).size, new Set(places).size, 'no two messages share a key');
			});
		}
	}

	it('shows nothing of another message where an attestation comes again, with the same session and nonce', async () => {
		let record: Parameters<Enclave['alter']>[0] | undefined;
		enclave.alter = made => {
			record ??= made;
			return record;
		};
		let held: Sealed[] = [];
		front.answer = async (response, message) => {
			const frames = await message.forward('message');
			held = held.length === 0 ? frames : held;
			handOut(response, message, held);
		};
		const first = await ask(await client.channel.open(), 'question one', false);
		assert.equal(first.text, 'question one: whole; ');
		const { text, error } = await ask(await client.channel.open(), 'question two', false);
		assert.equal(text, '');
		assert.ok(ClientError.is(error, 'tampered'));
		const [one, other] = enclave.messages;
		assert.deepEqual([one?.sessionId, one?.nonce], [other?.sessionId, other?.nonce]);
		assert.notEqual(one?.peerPublicKey, other?.peerPublicKey);
	});
});
