// highlight.js with the languages that occur in replies. It runs in a worker, because some of its grammars take
// quadratic time for hostile text.
import core from 'highlight.js/lib/common';
import dart from 'highlight.js/lib/languages/dart';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import powershell from 'highlight.js/lib/languages/powershell';
import type { LanguageName } from './languageNames.ts';

export interface HighlightRequest {
	language: LanguageName;
	/** Slices of one block, each highlighted on its own. */
	slices: string[];
}

/** Undefined if the block stays plain, because it would have more spans than a page can lay out. */
export type HighlightAnswer = CodeSpans[] | undefined;

/**
 * A slice of highlighted code: its texts, and between them the starts of spans, as the number of their class, and their
 * ends, as -1.
 */
export interface CodeSpans {
	classes: string[];
	parts: (string | number)[];
}

// All other languages of `LANGUAGE_NAMES` are among the package's common ones.
core.registerLanguage('dart', dart);
core.registerLanguage('dockerfile', dockerfile);
core.registerLanguage('powershell', powershell);

/** A block with more spans, or with deeper nested ones, would take the page too long to lay out. */
const MAXIMUM_SPANS = 10_000;
/** A whole line is laid out again for each of its spans. */
const MAXIMUM_SPANS_OF_LINE = 2_000;
const MAXIMUM_DEPTH = 30;

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" };

/** Highlights the slices of a block. Returns undefined if the block stays plain. */
export function highlight({ language, slices }: HighlightRequest): HighlightAnswer {
	let spans = 0;
	let spansOfLine = 0;
	const highlighted: CodeSpans[] = [];
	for (const slice of slices) {
		const found = spansIn(core.highlight(slice, { language, ignoreIllegals: true }).value);
		let depth = 0;
		for (const part of found.parts) {
			if (typeof part === 'string') {
				spansOfLine = part.includes('\n') ? 0 : spansOfLine;
				continue;
			}
			depth += part < 0 ? -1 : 1;
			const opened = part < 0 ? 0 : 1;
			spans += opened;
			spansOfLine += opened;
			if (depth > MAXIMUM_DEPTH || spans > MAXIMUM_SPANS || spansOfLine > MAXIMUM_SPANS_OF_LINE) {
				return undefined;
			}
		}
		highlighted.push(found);
	}
	return highlighted;
}

/** Splits the HTML of highlight.js, which consists of text and `<span class="…">` only. */
function spansIn(html: string): CodeSpans {
	const parts: CodeSpans['parts'] = [];
	const classes = new Map<string, number>();
	for (const [, name, close, text] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
		if (name !== undefined) {
			const index = classes.get(name) ?? classes.size;
			classes.set(name, index);
			parts.push(index);
		} else if (close !== undefined) {
			parts.push(-1);
		} else {
			parts.push((text ?? '').replace(/&(?:amp|lt|gt|quot|#x27);/g, entity => ENTITIES[entity] ?? entity));
		}
	}
	return { classes: [...classes.keys()], parts };
}
