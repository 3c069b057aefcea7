import fc from 'fast-check';

/** The bytes with one bit changed, whichever. */
export function flippedBit(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
	return fc.nat({ max: 8 * bytes.length - 1 }).map(position => {
		const changed = Uint8Array.from(bytes);
		const index = position >> 3;
		changed[index] = (changed[index] ?? 0) ^ (1 << (position & 7));
		return changed;
	});
}
