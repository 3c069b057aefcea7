import type { Tampering } from '../support/contractServer/contractServer.ts';
import { requirements } from './requirements.ts';

/** A check that something holds. */
export interface Proof {
	/** What is checked: the client against a reference server, or our own local service. */
	by: 'client' | 'service';
	/** Says what holds, and for whom. */
	what: string;
	/** Runs the proof while requests or replies are falsified. */
	runUnder: (tampering: Tampering) => Promise<void>;
}

const proofs = new Map<string, Proof[]>(requirements.map(({ id }) => [id, []]));

/** Adds a proof to each of these requirements. Throws for an id that the list of requirements does not have. */
export function addProof(ids: readonly string[], proof: Proof): void {
	for (const id of ids) {
		proofsOf(id).push(proof);
	}
}

/** Forgets all proofs, because those that this process has loaded so far may be only a part of them. */
export function forgetProofs(): void {
	for (const list of proofs.values()) {
		list.length = 0;
	}
}

export function proofsOf(id: string): Proof[] {
	const known = proofs.get(id);
	if (!known) {
		throw new Error(`There is no requirement ${id}.`);
	}
	return known;
}
