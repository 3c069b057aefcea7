import * as l10n from '@vscode/l10n';
import type { ChipView, ContextView } from '../protocol/protocol.ts';

/** Returns the announcements for a screen reader after a change of the context. */
export function contextNews(before: ContextView, after: ContextView): string[] {
	const missing = (from: readonly ChipView[], others: readonly ChipView[]) =>
		from.filter(({ id }) => others.every(other => other.id !== id));
	return [
		...missing(after.chips, before.chips).map(({ label }) => l10n.t('{0} was added to the context.', label)),
		...missing(before.chips, after.chips).map(({ label }) => l10n.t('{0} was removed from the context.', label)),
	];
}
