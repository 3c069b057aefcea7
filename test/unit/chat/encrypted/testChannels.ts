import { ClientError } from '../../../../src/base/errors.ts';
import { Emitter } from '../../../../src/base/event.ts';
import type { EncryptedChannels, EncryptedSession } from '../../../../src/channel/api.ts';
import { RefusedAttestation } from '../../../../src/client/channel/verdicts.ts';
import type { Client } from '../../../../src/client/types.ts';
import { internalCommands } from '../../../../src/platform/ids.ts';

const ASK_FOR_WHOLE = { label: 'Request Whole Replies', command: internalCommands.askForWholeReplies };

/** The channels of a real client. What only the editor could ask is answered as the test says. */
export class TestChannels implements EncryptedChannels {
	/** The name of the active connection. */
	name = 'test';
	/** What the user says to a change. */
	agrees = false;
	/** How often a session was opened and closed. */
	opened = 0;
	closed = 0;
	/** The key that each opening was to know. */
	readonly knownKeys: (string | undefined)[] = [];
	private readonly client: Client;

	constructor(client: Client) {
		this.client = client;
	}

	offer: EncryptedChannels['offer'] = async () => ({ connection: this.name, label: 'Test', channels: [] });

	open: EncryptedChannels['open'] = async (address, { expected, knownKey, signal }): Promise<EncryptedSession> => {
		if (expected !== this.name) {
			throw new Error('another connection');
		}
		this.knownKeys.push(knownKey);
		const session = await this.client.channel.open({
			...address,
			signal,
			confirm: async () => this.agrees,
			...(knownKey === undefined ? {} : { knownKey }),
		});
		this.opened++;
		let hasEnded = false;
		const close = async () => {
			this.closed++;
			await session.close();
		};
		return {
			badge: { label: 'Encrypted', details: [] },
			onDidChangeBadge: new Emitter<void>().event,
			get keyFingerprint() {
				return session.keyFingerprint;
			},
			get hasEnded() {
				return hasEnded;
			},
			close,
			async *stream(history, { isWhole, ...options } = {}) {
				try {
					if (isWhole) {
						yield { type: 'text', ...(await session.send(history, options)) };
					} else {
						yield* session.stream(history, options);
					}
				} catch (error) {
					hasEnded ||= ClientError.is(error, 'tampered') && !(error.cause instanceof RefusedAttestation);
					throw error;
				}
			},
		};
	};

	explain: EncryptedChannels['explain'] = async (error, _connection, asked) => ({
		message: ClientError.is(error) ? `explained: ${error.code}` : 'explained',
		...(asked === 'streamed' && ClientError.is(error, 'bad-response') ? { action: ASK_FOR_WHOLE } : {}),
	});
}
