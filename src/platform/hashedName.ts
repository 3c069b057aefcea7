import { createHash } from 'node:crypto';

/** A file's name for a text that must not be one itself: short, the same for the same text, and nothing of it can be read from it. */
export function hashedName(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
