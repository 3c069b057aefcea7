export interface Totals {
	passed: number;
	failed: number;
}

export const none: Totals = { passed: 0, failed: 0 };

export function add(one: Totals, other: Totals): Totals {
	return { passed: one.passed + other.passed, failed: one.failed + other.failed };
}
