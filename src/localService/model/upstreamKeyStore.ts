import * as z from 'zod';
import { SerialQueue } from '../../base/async.ts';
import { mayCarryKey } from '../../contract/upstreams.ts';

/**
 * The prefix of the names of all upstream key secrets. It must not change, as other windows and later versions read
 * them.
 */
const UPSTREAM_SECRET_PREFIX = 'errand.upstream.';

const storedKeySchema = z.object({
	key: z.string().min(1),
	/** The origin for which the key was saved. */
	origin: z.string(),
	/** Milliseconds since the epoch. */
	savedAt: z.number(),
});
type StoredKey = z.output<typeof storedKeySchema>;

/** The part of the editor's secret storage that is used here. */
export interface Secrets {
	get(name: string): PromiseLike<string | undefined>;
	store(name: string, value: string): PromiseLike<void>;
	delete(name: string): PromiseLike<void>;
}

/** `unconfirmed`: the key was saved for another origin and is not sent to this one. */
export type UpstreamKeyState =
	| { state: 'missing' }
	| { state: 'unconfirmed'; origin: string }
	| { state: 'set'; ending: string; savedAt: number };

/** Stores keys of upstreams in the editor's secret storage, each bound to the origin for which it was saved. */
export class UpstreamKeyStore {
	private readonly secrets: Secrets;
	private readonly now: () => number;
	private readonly writes = new SerialQueue();

	constructor(secrets: Secrets, now: () => number = Date.now) {
		this.secrets = secrets;
		this.now = now;
	}

	/**
	 * Returns the key for an upstream at this address, or undefined if there is none, none for this origin, or no key may
	 * be sent there.
	 */
	async usable(slug: string, url: string): Promise<string | undefined> {
		const stored = await this.read(slug);
		return stored?.origin === originOf(url) && mayCarryKey(url) ? stored.key : undefined;
	}

	async state(slug: string, url: string): Promise<UpstreamKeyState> {
		const stored = await this.read(slug);
		if (stored === undefined) {
			return { state: 'missing' };
		}
		if (stored.origin !== originOf(url)) {
			return { state: 'unconfirmed', origin: stored.origin };
		}
		// The last characters of a short key would reveal too much of it.
		return { state: 'set', ending: stored.key.length >= 12 ? stored.key.slice(-4) : '', savedAt: stored.savedAt };
	}

	/**
	 * Replaces the stored key.
	 * @throws RangeError for an address that no key may be sent to.
	 */
	async save(slug: string, url: string, key: string): Promise<void> {
		if (!mayCarryKey(url)) {
			throw new RangeError('a key goes to https and loopback addresses only');
		}
		const stored: StoredKey = { key, origin: originOf(url), savedAt: this.now() };
		await this.writes.run(async () => this.secrets.store(UPSTREAM_SECRET_PREFIX + slug, JSON.stringify(stored)));
	}

	async remove(slug: string): Promise<void> {
		await this.writes.run(async () => this.secrets.delete(UPSTREAM_SECRET_PREFIX + slug));
	}

	/** A damaged value counts as none. */
	private async read(slug: string): Promise<StoredKey | undefined> {
		const text = await this.secrets.get(UPSTREAM_SECRET_PREFIX + slug);
		try {
			return text === undefined ? undefined : storedKeySchema.parse(JSON.parse(text));
		} catch {
			return undefined;
		}
	}
}

function originOf(url: string): string {
	return new URL(url).origin;
}
