/** Whether lists and objects of a JSON value lie in each other more often than `levels`. Works at any depth itself. */
export function isDeeperThan(value: unknown, levels: number): boolean {
	let level = [value];
	for (let depth = 0; depth <= levels; depth++) {
		level = level.flatMap(entry => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []));
	}
	return level.length > 0;
}
