import * as z from 'zod';
import { lenientArray } from '../../contract/lenient.ts';
import { type AcceptedAttestation, CHECKS } from '../types.ts';

/** The oldest entries are forgotten first, so that the stored state stays small. */
export const MAXIMUM_NONCES = 2000;
export const MAXIMUM_ADDRESSES = 100;

const verdictSchema = z.object({ check: z.enum(CHECKS), verdict: z.enum(['pass', 'fail', 'unknown']) });
const acceptedSchema = z.object({
	/** Verdicts of checks that only another version knows are left out. */
	verdicts: lenientArray(verdictSchema),
	keyFingerprint: z.string(),
	devices: z.array(z.string()),
});
const stateSchema = z.object({
	/** The accepted attestation of each attestation address, the latest at the end. */
	addresses: lenientArray(z.tuple([z.string(), acceptedSchema])),
	/** Each nonce with the fingerprint of the key that it was seen with, the newest at the end. */
	nonces: lenientArray(z.tuple([z.string(), z.string()])),
});
type MemoryState = z.output<typeof stateSchema>;

/** The place where a memory is stored as JSON. A value that does not fit counts as an empty memory. */
export interface MemoryStore {
	read(): unknown;
	write(state: unknown): void;
}

/** Remembers the accepted attestations. The state is read anew each time, because other windows write to it too. */
export class ChannelMemory {
	private readonly store: MemoryStore;
	/** The nonces of all records that this process has fetched, accepted or not, the newest at the end. */
	private readonly fetched = new Set<string>();
	/** The addresses that need a session per message. They are not stored, so that a changed service is tried again. */
	private readonly sessionPerMessage = new Set<string>();

	constructor(store: MemoryStore = inMemory()) {
		this.store = store;
	}

	accepted(address: string): AcceptedAttestation | undefined {
		return this.read().addresses.find(([known]) => known === address)?.[1];
	}

	/** Returns whether the nonce was seen with a key other than this one. */
	hasSeenWithAnother(nonce: string, fingerprint: string): boolean {
		const key = this.read().nonces.find(([known]) => known === nonce)?.[1];
		return key !== undefined && key !== fingerprint;
	}

	/** Returns whether a record with this nonce came before, and records that it came now. */
	isRepeated(nonce: string): boolean {
		const isKnown = this.fetched.delete(nonce) || this.read().nonces.some(([known]) => known === nonce);
		this.fetched.add(nonce);
		const [oldest] = this.fetched;
		if (this.fetched.size > MAXIMUM_NONCES && oldest !== undefined) {
			this.fetched.delete(oldest);
		}
		return isKnown;
	}

	/** Returns whether the service has refused a second message in a session, so that each message needs its own. */
	needsSessionPerMessage(address: string): boolean {
		return this.sessionPerMessage.has(address);
	}

	noteSessionPerMessage(address: string): void {
		this.sessionPerMessage.add(address);
	}

	accept(address: string, { verdicts, keyFingerprint, devices }: AcceptedAttestation, nonce: string): void {
		const { addresses, nonces } = this.read();
		const accepted: MemoryState['addresses'][number][1] = {
			verdicts: verdicts.map(({ check, verdict }) => ({ check, verdict })),
			keyFingerprint,
			devices: [...devices],
		};
		this.store.write({
			addresses: latest(addresses, [address, accepted], MAXIMUM_ADDRESSES),
			nonces: latest(nonces, [nonce, keyFingerprint], MAXIMUM_NONCES),
		});
	}

	private read(): MemoryState {
		return stateSchema.safeParse(this.store.read()).data ?? { addresses: [], nonces: [] };
	}
}

/** Appends the entry and removes an older one of the same name. Only the last `maximum` entries are kept. */
function latest<Entry extends [string, unknown]>(entries: readonly Entry[], entry: Entry, maximum: number): Entry[] {
	return [...entries.filter(([name]) => name !== entry[0]), entry].slice(-maximum);
}

function inMemory(): MemoryStore {
	let state: unknown;
	return {
		read: () => state,
		write: written => {
			state = written;
		},
	};
}
