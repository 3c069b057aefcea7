import * as z from 'zod';
import { type AcceptedAttestation, CHECKS } from '../types.ts';

/** Older ones are forgotten, so that what is kept stays small. */
export const MAXIMUM_NONCES = 2000;
export const MAXIMUM_ADDRESSES = 100;

const verdictSchema = z.object({ check: z.enum(CHECKS), verdict: z.enum(['pass', 'fail', 'unknown']) });
const acceptedSchema = z.object({
	/** Another version may know of checks that this one does not make. */
	verdicts: listOf(verdictSchema),
	keyFingerprint: z.string(),
	devices: z.array(z.string()),
});
const stateSchema = z.object({
	/** By the address of the attestation, the one accepted last at the end. */
	addresses: listOf(z.tuple([z.string(), acceptedSchema])),
	/** A nonce and the fingerprint of the key with which it was seen, the newest at the end. */
	nonces: listOf(z.tuple([z.string(), z.string()])),
});
type MemoryState = z.output<typeof stateSchema>;

/** The entries that fit. One that does not must not take the memory of all others with it. */
function listOf<Entry extends z.ZodType>(entry: Entry) {
	return z.array(z.unknown()).transform(entries =>
		entries.flatMap(value => {
			const read = entry.safeParse(value);
			return read.success ? [read.data] : [];
		}),
	);
}

/** Where a memory is kept, as JSON. What does not fit is taken for nothing. */
export interface MemoryStore {
	read(): unknown;
	write(state: unknown): void;
}

/** What is remembered of the attestations that were accepted. Read anew each time: other windows write too. */
export class ChannelMemory {
	private readonly store: MemoryStore;

	constructor(store: MemoryStore = inMemory()) {
		this.store = store;
	}

	accepted(address: string): AcceptedAttestation | undefined {
		return this.read().addresses.find(([known]) => known === address)?.[1];
	}

	/** Whether the nonce came with a key other than this one. */
	hasSeenWithAnother(nonce: string, fingerprint: string): boolean {
		const key = this.read().nonces.find(([known]) => known === nonce)?.[1];
		return key !== undefined && key !== fingerprint;
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

/** With the entry in the place of the one of the same name, at the end. */
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
