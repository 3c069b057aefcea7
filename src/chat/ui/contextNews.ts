import type { ChipView, ContextView, PageStrings } from '../protocol/protocol.ts';
import { fill } from './format.ts';

/** What a screen reader is told when the context has become another. */
export function contextNews(
	before: ContextView,
	after: ContextView,
	strings: Pick<PageStrings, 'chipAdded' | 'chipRemoved'>,
): string[] {
	const missing = (from: readonly ChipView[], others: readonly ChipView[]) =>
		from.filter(({ id }) => others.every(other => other.id !== id));
	return [
		...missing(after.chips, before.chips).map(({ label }) => fill(strings.chipAdded, label)),
		...missing(before.chips, after.chips).map(({ label }) => fill(strings.chipRemoved, label)),
	];
}
