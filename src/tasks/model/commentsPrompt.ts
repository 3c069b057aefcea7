import * as l10n from '@vscode/l10n';
import { showHidden } from '../../base/invisible.ts';
import { fenced, placeOf } from './promptText.ts';
import type { CommentPlace, ReviewThread } from './reviewComment.ts';

/**
 * Returns one prompt with all unsent comments, in the order of their places. Its first line is empty, for a sentence by
 * the user. Invisible characters of the quoted code are written out, so that the reader sees the whole prompt.
 */
export function commentsPrompt(threads: readonly ReviewThread[], isEarlier: (place: CommentPlace) => boolean): string {
	const parts = [...threads]
		.sort((a, b) => order(a.place, b.place))
		.flatMap(({ place, comments }) => {
			const texts = comments.filter(({ isSent }) => !isSent).map(({ text }) => text.trim());
			return texts.length === 0
				? []
				: [`${headOf(place, isEarlier(place))}\n\n${quoted(place)}\n\n${texts.join('\n\n')}`];
		});
	const intro = l10n.t('These are my comments on your changes. Please deal with each of them.');
	return `\n\n${intro}\n\n${parts.join('\n\n')}\n`;
}

function headOf(place: CommentPlace, isEarlier: boolean): string {
	const before = place.side === 'before' ? ` (${l10n.t('as it was before your change')})` : '';
	const earlier = isEarlier ? ` (${l10n.t('in an earlier version of your change')})` : '';
	return `${placeOf(sourceOf(place))}${before}${earlier}`;
}

function quoted(place: CommentPlace): string {
	const missing = place.lastLine - place.firstLine + 1 - place.quote.length;
	const lines = missing > 0 ? [...place.quote, '…'] : place.quote;
	return fenced({ ...sourceOf(place), text: `${lines.map(showHidden).join('\n')}\n` });
}

function sourceOf({ path, firstLine, lastLine }: CommentPlace) {
	const extension = /\.([A-Za-z0-9]{1,12})$/.exec(path)?.[1] ?? '';
	return { file: path, firstLine: firstLine + 1, lastLine: lastLine + 1, language: extension.toLowerCase(), text: '' };
}

function order(a: CommentPlace, b: CommentPlace): number {
	if (a.path !== b.path) {
		return a.path < b.path ? -1 : 1;
	}
	return a.firstLine - b.firstLine || a.lastLine - b.lastLine;
}
