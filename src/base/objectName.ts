/** Matches the full name of a commit or of another object of git. */
export const OBJECT_NAME = /^(?:[\da-f]{40}|[\da-f]{64})$/;

/** Returns whether this is a name of git's own, and not one that somebody has chosen. */
export function isObjectName(name: unknown): name is string {
	return typeof name === 'string' && OBJECT_NAME.test(name);
}
