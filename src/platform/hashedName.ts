import { createHash } from 'node:crypto';

/**
 * Returns a file name for a text that must not be used as one. It is short, always the same for the same text, and
 * reveals nothing about it.
 */
export function hashedName(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
