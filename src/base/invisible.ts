// Invisible characters hide text from its reader, make one name look like another, or reverse the direction of text.

import { onFirstUse } from './async.ts';

/** Control and format characters and those that fonts do not draw, except the format characters that are visible. */
const INVISIBLE = String.raw`[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`;

/**
 * Matches runs of invisible characters in prose, without tabs and line ends. Some scripts need joiners and variation
 * selectors, one or two at a time, and three flags consist of characters that are invisible elsewhere.
 */
const RUNS = String.raw`\p{RGI_Emoji_Tag_Sequence}|[${INVISIBLE}--[\t\n\r]]+`;
/** Compiled on first use: a class of this size takes a millisecond, which would delay the start. */
const runs = onFirstUse(() => new RegExp(RUNS, 'gv'));
const invisible = onFirstUse(() => new RegExp(`[${INVISIBLE}--[\\t\\n]]`, 'gv'));

const IN_USE = /^(?:\u{1f3f4}.+|(?:\u200c|\u200d|\ufe0e|\ufe0f){1,2})$/u;

/** The characters that a variation selector may follow: ideographs, as in many names, and Mongolian letters. */
const VARIANT = /^[\p{Unified_Ideograph}\p{Script=Mongolian}]$/u;
const VARIATION_SELECTOR = /^(?:[\u{e0100}-\u{e01ef}]|[\u180b-\u180d\u180f])$/u;

/** Matches a code unit of each of the above and few others, so that most texts need no further check. */
const MAY_HIDE =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
	// biome-ignore lint/suspicious/noMisleadingCharacterClass: each unit is looked for by itself.
	/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud80d\ud82f\ud834\udb40-\udb43]/;

/** Returns whether a name has an invisible character. The name of a branch, an agent or a model never needs one. */
export function hasInvisible(name: string): boolean {
	return new RegExp(INVISIBLE, 'v').test(name);
}

/** Returns false for a text without hidden characters; true means that there may be some. Carriage returns count. */
export function mayHide(text: string): boolean {
	return MAY_HIDE.test(text);
}

/** Returns whether prose has invisible characters that it does not need. */
export function hasHidden(text: string): boolean {
	return replaceHidden(text, () => '') !== text;
}

/** Replaces each invisible character that prose does not need. */
export function replaceHidden(text: string, by: (character: string) => string): string {
	if (!mayHide(text)) {
		return text;
	}
	return text.replace(runs(), (run, at: number) =>
		IN_USE.test(run) || (VARIATION_SELECTOR.test(run) && VARIANT.test(characterBefore(text, at)))
			? run
			: Array.from(run, by).join(''),
	);
}

/** Replaces all invisible characters except tabs and line feeds, even those that prose needs. */
export function replaceInvisible(text: string, by: (character: string) => string): string {
	return mayHide(text) ? text.replace(invisible(), by) : text;
}

function characterBefore(text: string, at: number): string {
	const isPair = at > 1 && /^[\udc00-\udfff]$/.test(text.charAt(at - 1));
	return text.slice(at - (isPair ? 2 : 1), at);
}

/** Returns the name of a code point, such as `U+202E`. */
export function codePointName(character: string): string {
	return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Returns a text that shows every character, for someone who decides about exactly that text: invisible characters,
 * even those that prose needs, become their names, and tabs become marks. Line ends are line feeds.
 */
export function showExactly(text: string): string {
	return replaceInvisible(text.replaceAll('\r\n', '\n'), character => `⟨${codePointName(character)}⟩`).replaceAll(
		'\t',
		'⇥',
	);
}

export function showHidden(text: string): string {
	return replaceHidden(text, character => `⟨${codePointName(character)}⟩`);
}
