import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Tampering } from '../../support/contractServer/contractServer.ts';
import { stopShared } from '../localService/harness.ts';
import { type Proof, proofsOf } from '../proofs.ts';
import type { Fault } from './fault.ts';

/** A proof that still waits this long after something was falsified waits in vain, and so has noticed it. */
const PATIENCE_MS = 20_000;

/** No proof is waited for longer than this. */
const LONGEST_MS = 120_000;

/** Most of a proof's time is spent in waiting for what its fault has taken away. */
const FAULTS_AT_ONCE = 4;

type Outcome = 'untouched' | 'noticed' | 'unnoticed';

interface ProofOutcome {
	proof: Proof;
	outcome: Outcome;
}

/** Adds a test for each fault: every proof of its requirement that the fault reaches must fail. */
export function noticeFaults(area: string, faults: readonly Fault[]): void {
	describe(`a fault of ${area} is noticed`, () => {
		let running: Promise<ProofOutcome[]>[] = [];
		before(() => {
			running = outcomesOfEach(faults);
		});
		after(stopShared);
		for (const [index, fault] of faults.entries()) {
			it(`${fault.what} (${fault.breaks})`, async () => {
				const outcomes = (await running[index]) ?? [];
				const named = (wanted: Outcome) =>
					outcomes.filter(({ outcome }) => outcome === wanted).map(({ proof }) => proof.what);
				assert.notDeepEqual(named('noticed'), [], 'no proof noticed it');
				assert.deepEqual(
					named('unnoticed').filter(what => !isExcused(what, fault)),
					[],
					'these proofs held all the same',
				);
				const { unseenBy = [] } = fault;
				const idle = unseenBy.filter(beginning => !named('unnoticed').some(what => what.startsWith(beginning)));
				assert.deepEqual(idle, [], 'these proofs need no excuse');
			});
		}
	});
}

function isExcused(what: string, { unseenBy = [] }: Fault): boolean {
	return unseenBy.some(beginning => what.startsWith(beginning));
}

/** Runs the proofs of several faults at a time, and returns the outcomes of each fault in their order. */
function outcomesOfEach(faults: readonly Fault[]): Promise<ProofOutcome[]>[] {
	const all: Promise<ProofOutcome[]>[] = [];
	for (const fault of faults) {
		const before = all.at(-FAULTS_AT_ONCE);
		all.push(
			(async () => {
				await before?.catch(() => {});
				return outcomesOf(fault);
			})(),
		);
	}
	return all;
}

async function outcomesOf(fault: Fault): Promise<ProofOutcome[]> {
	const outcomes: ProofOutcome[] = [];
	for (const proof of proofsOf(fault.breaks)) {
		outcomes.push({ proof, outcome: await knownOutcomeOf(proof, fault) });
	}
	return outcomes;
}

/** The outcomes of proofs by the tampering under which they ran, where that is one object for several requirements. */
const known = new Map<Proof, Map<Fault['tampering'], Promise<Outcome>>>();

function knownOutcomeOf(proof: Proof, fault: Fault): Promise<Outcome> {
	const ofProof = known.get(proof) ?? new Map<Fault['tampering'], Promise<Outcome>>();
	known.set(proof, ofProof);
	const outcome = ofProof.get(fault.tampering) ?? outcomeOf(proof, fault);
	ofProof.set(fault.tampering, outcome);
	return outcome;
}

async function outcomeOf(proof: Proof, fault: Fault): Promise<Outcome> {
	const { tampering } = fault;
	const own = watched(typeof tampering === 'function' ? tampering() : tampering, proof);
	const ended = proof.runUnder(own.tampering).then(
		() => 'unnoticed' as const,
		() => 'noticed' as const,
	);
	const waiting = new AbortController();
	const after = (milliseconds: number) =>
		delay(milliseconds, 'noticed' as const, { signal: waiting.signal }).catch(() => 'noticed' as const);
	// A proof that is expected to hold is not waiting in vain.
	const late = isExcused(proof.what, fault) ? [] : [own.changed.then(() => after(PATIENCE_MS))];
	const outcome = await Promise.race([ended, after(LONGEST_MS), ...late]);
	waiting.abort();
	return own.hasChanged() ? outcome : 'untouched';
}

/** Tells whether, and as soon as, the tampering changes anything in the run of a proof. */
function watched(
	{ request, reply, deviation }: Tampering,
	{ by }: Proof,
): { tampering: Tampering; changed: Promise<void>; hasChanged(): boolean } {
	const { promise: changed, resolve } = Promise.withResolvers<void>();
	let hasChanged = false;
	const change = () => {
		hasChanged = true;
		resolve();
	};
	const watch =
		<Message, Rest extends unknown[]>(tamper: (message: Message, ...rest: Rest) => void) =>
		(message: Message, ...rest: Rest) => {
			const before = JSON.stringify(message);
			tamper(message, ...rest);
			if (JSON.stringify(message) !== before) {
				change();
			}
		};
	const tampering: Tampering = {
		...(reply && { reply: watch(reply) }),
		// What a client sends, and the enclave that it meets in its proofs, are no fault of the service.
		...(request && by === 'client' && { request: watch(request) }),
	};
	if (deviation && by === 'client') {
		Object.defineProperty(tampering, 'deviation', {
			get() {
				change();
				return deviation;
			},
		});
	}
	return { tampering, changed, hasChanged: () => hasChanged };
}
