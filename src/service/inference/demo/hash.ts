/** Returns the 32-bit FNV-1a hash of a text. It is for variety, never for secrets. */
export function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	}
	// The last step of a multiplicative hash leaves its low bits poorly mixed.
	hash ^= hash >>> 15;
	return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
