import { importJWK } from 'jose';
import * as z from 'zod';
import { type Clock, SerialQueue } from '../../../base/async.ts';
import { ClientError } from '../../../base/errors.ts';
import type { Caller } from '../../core/caller.ts';
import { abortedError, orAborted } from '../../core/exchange.ts';
import { readReply } from '../../core/replyData.ts';

/** The maker rotates its keys about daily, so unknown keys are requested, but not more often than this. */
export const COOLDOWN_MS = 60_000;
/** Older keys are requested again, since the maker may have withdrawn them. */
export const MAXIMUM_AGE_MS = 24 * 60 * 60 * 1000;
const MAXIMUM_BYTES = 512 * 1024;
const MAXIMUM_KEYS = 100;

const keySetSchema = z.looseObject({ keys: z.array(z.unknown()).max(MAXIMUM_KEYS) });
const keySchema = z.looseObject({
	kty: z.literal('EC'),
	crv: z.literal('P-384'),
	kid: z.string().min(1).max(256),
	x: z.string(),
	y: z.string(),
	use: z.literal('sig').optional(),
	alg: z.literal('ES384').optional(),
});

export type TokenKey = Awaited<ReturnType<typeof importJWK>>;

/** The reason why there is no key. */
export type MakerKeyProblem = 'declined' | 'unreachable' | 'not-there';

/**
 * The GPU maker's keys for signing tokens, from the maker's only address. Keys that tokens themselves name are ignored.
 */
export class MakerKeys {
	private readonly caller: Caller;
	private readonly address: URL;
	private readonly clock: Clock;
	/** Look-ups during a request to the maker wait for its answer, so nothing is requested twice. */
	private readonly queue = new SerialQueue();
	private keys = new Map<string, TokenKey>();
	private answeredAt = Number.NEGATIVE_INFINITY;
	private asked: { at: number; isAnswered: boolean } | undefined;

	constructor(caller: Caller, address: string) {
		this.caller = caller;
		this.address = new URL(address);
		this.clock = caller.clock;
	}

	/** `mayAsk` returns whether a request may be sent to the maker, who then learns that somebody verifies a token. */
	find(
		id: string,
		mayAsk: () => Promise<boolean>,
		signal: AbortSignal | undefined,
	): Promise<TokenKey | MakerKeyProblem> {
		const found = this.queue.run(async () => {
			if (signal?.aborted) {
				throw abortedError();
			}
			const known = this.keys.get(id);
			if (known && this.clock.now() - this.answeredAt < MAXIMUM_AGE_MS) {
				return known;
			}
			const { asked } = this;
			if (!asked || this.clock.now() - asked.at >= COOLDOWN_MS) {
				if (!(await mayAsk())) {
					return 'declined';
				}
				await this.fetch(signal);
			}
			return this.asked?.isAnswered ? (this.keys.get(id) ?? 'not-there') : 'unreachable';
		});
		return orAborted(found, signal);
	}

	private async fetch(signal: AbortSignal | undefined): Promise<void> {
		const at = this.clock.now();
		const before = this.asked;
		this.asked = { at, isAnswered: false };
		try {
			this.keys = await importKeys(await this.request(signal));
			this.asked = { at, isAnswered: true };
			this.answeredAt = at;
		} catch (error) {
			if (signal?.aborted || !ClientError.is(error)) {
				// Such a failure says nothing about the maker, so the next request need not wait.
				this.asked = before;
				throw error;
			}
		}
	}

	private request(signal: AbortSignal | undefined): Promise<unknown> {
		return this.caller.elsewhere(this.address.origin).json({
			route: { method: 'GET', host: 'inference', key: undefined, path: this.address.pathname },
			firstByteMs: this.caller.limits.lookUpFirstByteMs,
			redirects: 'refuse',
			jsonBytes: MAXIMUM_BYTES,
			retry: 'idempotent',
			signal,
		});
	}
}

/** Imports the keys. Keys of other kinds and keys that share an id are left out. Throws `bad-response`. */
async function importKeys(value: unknown): Promise<Map<string, TokenKey>> {
	const set = readReply(keySetSchema, value, 'the reply is no set of keys');
	const keys = new Map<string, TokenKey>();
	const twice = new Set<string>();
	for (const entry of set.keys) {
		const { kid, x, y } = keySchema.safeParse(entry).data ?? {};
		if (kid === undefined || x === undefined || y === undefined) {
			continue;
		}
		if (keys.has(kid)) {
			twice.add(kid);
		}
		try {
			keys.set(kid, await importJWK({ kty: 'EC', crv: 'P-384', x, y }, 'ES384'));
		} catch {
			// The key is not a point on the curve, so it is left out.
		}
	}
	for (const kid of twice) {
		keys.delete(kid);
	}
	return keys;
}
