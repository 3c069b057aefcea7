/**
 * Adds items to the end of a list. `list.push(...items)` would put each of them on the stack, which holds about 125,000
 * arguments.
 */
export function append<T>(list: T[], items: Iterable<T>): void {
	for (const item of items) {
		list.push(item);
	}
}
