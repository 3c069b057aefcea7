import assert from 'node:assert/strict';
import { loadProofs } from './loadProofs.ts';
import { proofsOf } from './proofs.ts';
import { contractRows, contractSentences } from './requirements/contractText.ts';
import { slug } from './requirements/section.ts';
import { prose, requirements } from './requirements.ts';

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
			if (!section.endsWith('/prose')) {
				listed.set(section, (listed.get(section) ?? 0) + 1);
			}
		}
		assert.deepEqual(listed, rows);
	});

	it('has each sentence of the contract, word for word', function () {
		const sentences = contractSentences() ?? this.skip();
		const listed = prose.map(section => [
			`${section.document}/${slug(section.heading)}`,
			section.sentences.map(({ text }) => text),
		]);
		assert.deepEqual(Object.fromEntries(listed), Object.fromEntries(sentences));
	});

	for (const { document, heading, sentences } of prose) {
		it(`says of each sentence of ${document}.md, ${heading}, what it demands or why it demands nothing`, () => {
			const known = new Set(requirements.map(({ id }) => id));
			for (const sentence of sentences) {
				const said =
					'demands' in sentence
						? sentence.demands
						: 'repeats' in sentence
							? sentence.repeats
							: [sentence.obligesNobody];
				assert.ok(said.length > 0 && said.every(text => text !== ''), sentence.text);
				if ('repeats' in sentence) {
					assert.deepEqual(
						sentence.repeats.filter(id => !known.has(id)),
						[],
						sentence.text,
					);
				}
			}
		});
	}
});

describe('the requirement', () => {
	for (const { id, behaviour } of requirements) {
		const proofs = proofsOf(id);
		it(`${id} (${behaviour}) is proved: ${proofs.map(({ what }) => what).join('; ')}`, () => {
			assert.notDeepEqual(proofs, []);
		});
	}
});
