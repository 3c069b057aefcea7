import assert from 'node:assert/strict';
import type { Tampering } from '../../support/contractServer/contractServer.ts';
import { loadProofs } from '../loadProofs.ts';
import { proofsOf } from '../proofs.ts';
import { channelFaults } from './channelFaults.ts';
import type { Fault } from './fault.ts';
import { inferenceFaults } from './inferenceFaults.ts';
import { taskFaults } from './taskFaults.ts';

await loadProofs();

const faults: readonly Fault[] = [...inferenceFaults, ...taskFaults, ...channelFaults];

/** Tells whether the tampering changed anything. */
function watched(tampering: Tampering): { tampering: Tampering; hasChanged(): boolean } {
	let changed = false;
	const watch = <T extends unknown[]>(tamper: ((...args: T) => void) | undefined) =>
		tamper &&
		((...args: T) => {
			const before = JSON.stringify(args[0]);
			tamper(...args);
			changed ||= JSON.stringify(args[0]) !== before;
		});
	const { request, reply } = { request: watch(tampering.request), reply: watch(tampering.reply) };
	return { tampering: { ...(request && { request }), ...(reply && { reply }) }, hasChanged: () => changed };
}

describe('a fault is noticed', () => {
	it('of at least sixty kinds', () => {
		assert.ok(faults.length >= 60, String(faults.length));
	});

	for (const { what, breaks, tampering } of faults) {
		it(`${what} (${breaks})`, async () => {
			const { tampering: own, hasChanged } = watched(tampering);
			const runs = proofsOf(breaks).flatMap(({ runUnder }) => (runUnder ? [runUnder(own)] : []));
			const outcomes = await Promise.allSettled(runs);
			assert.ok(hasChanged(), 'nothing was falsified');
			assert.ok(
				outcomes.some(({ status }) => status === 'rejected'),
				'every proof held all the same',
			);
		});
	}
});
