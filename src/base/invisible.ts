// Characters that nobody sees: they hide a text from its reader, make one name look like another, or turn what is read.

/** Controls and format characters, and what fonts draw as nothing; without the format characters that have a sign. */
const INVISIBLE = String.raw`[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`;

/**
 * Runs of them in a running text. Tab and line ends belong to one; joiners and the choice between text and emoji to some
 * scripts, one or two at a time; and three flags are made of characters that are invisible elsewhere.
 */
const RUNS = String.raw`\p{RGI_Emoji_Tag_Sequence}|[${INVISIBLE}--[\t\n\r]]+`;
/** Made when it is first needed: a class of this size takes a millisecond, which no start should wait for. */
let runs: RegExp | undefined;

const IN_USE = /^(?:\u{1f3f4}.+|(?:\u200c|\u200d|\ufe0e|\ufe0f){1,2})$/u;

/** A variant of the character before it: of an ideograph, as in many names, or of a Mongolian letter. */
const VARIANT = /^[\p{Unified_Ideograph}\p{Script=Mongolian}]$/u;
const VARIATION_SELECTOR = /^(?:[\u{e0100}-\u{e01ef}]|[\u180b-\u180d\u180f])$/u;

/** Has a unit of each of the above, and of little else: most texts are looked at no further. */
const MAY_HIDE =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
	// biome-ignore lint/suspicious/noMisleadingCharacterClass: each unit is looked for by itself.
	/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud80d\ud82f\ud834\udb40-\udb43]/;

/** Whether a name has an invisible character. There is no use for any in the name of a branch, an agent or a model. */
export function hasInvisible(name: string): boolean {
	return new RegExp(INVISIBLE, 'v').test(name);
}

/** False for a text with nothing hidden in it; true is only a reason to look closer. Carriage returns count. */
export function mayHide(text: string): boolean {
	return MAY_HIDE.test(text);
}

/** Whether a running text has invisible characters that have no use there. */
export function hasHidden(text: string): boolean {
	return replaceHidden(text, () => '') !== text;
}

/** Puts something in place of each invisible character that has no use in a running text. */
export function replaceHidden(text: string, by: (character: string) => string): string {
	if (!mayHide(text)) {
		return text;
	}
	runs ??= new RegExp(RUNS, 'gv');
	return text.replace(runs, (run, at: number) =>
		IN_USE.test(run) || (VARIATION_SELECTOR.test(run) && VARIANT.test(characterBefore(text, at)))
			? run
			: Array.from(run, by).join(''),
	);
}

function characterBefore(text: string, at: number): string {
	const isPair = at > 1 && /^[\udc00-\udfff]$/.test(text.charAt(at - 1));
	return text.slice(at - (isPair ? 2 : 1), at);
}

/** `U+202E` */
export function codePointName(character: string): string {
	return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The text with the code points of its hidden characters in place of them. */
export function showHidden(text: string): string {
	return replaceHidden(text, character => `⟨${codePointName(character)}⟩`);
}
