import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeBase64 } from '../../../src/base/base64.ts';

describe('decodeBase64', () => {
	it('gives the bytes of what was encoded', () => {
		fc.assert(
			fc.property(fc.uint8Array(), bytes => {
				const decoded = decodeBase64(Buffer.from(bytes).toString('base64'));
				assert.deepEqual(decoded && [...decoded], [...bytes]);
			}),
		);
	});

	for (const [what, text] of [
		['missing padding', 'AQ'],
		['too much padding', 'AQI=='],
		['blanks', 'AQ ID'],
		['a line end', 'AQID\n'],
		['the alphabet of addresses', '-_-_'],
		['bits that are not used but set', 'AR=='],
		['letters after the end', 'AQ==AQ=='],
		['other letters', 'AQ*D'],
	] as const) {
		it(`refuses ${what}`, () => {
			assert.equal(decodeBase64(text), undefined);
		});
	}
});
