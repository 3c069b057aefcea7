import assert from 'node:assert/strict';
import { loadProofs } from './loadProofs.ts';
import { proofsOf } from './proofs.ts';
import { contractRows } from './requirements/contractRows.ts';
import { requirements } from './requirements.ts';

await loadProofs();

describe('the list of requirements', () => {
	it('names each requirement once', () => {
		assert.equal(new Set(requirements.map(({ id }) => id)).size, requirements.length);
	});

	it('has each row, rule and list item of the contract', function () {
		const rows = contractRows() ?? this.skip();
		const listed = new Map<string, number>();
		for (const { id } of requirements) {
			const section = id.slice(0, id.lastIndexOf('/'));
			listed.set(section, (listed.get(section) ?? 0) + 1);
		}
		assert.deepEqual(listed, rows);
	});
});

describe('the requirement', () => {
	for (const { id, behaviour } of requirements) {
		const proofs = proofsOf(id);
		it(`${id} (${behaviour}) is proved: ${proofs.map(({ what }) => what).join('; ')}`, () => {
			assert.notDeepEqual(proofs, []);
		});
	}
});
