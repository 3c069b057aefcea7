// The sources that a search answer cites.

import { defined } from '../../base/defined.ts';
import { oneLine } from '../../base/plainText.ts';
import type { Annotation } from '../../contract/chatReply.ts';
import { placeCitations } from '../../contract/citations.ts';

/** A source as the service gave it. Positions are in UTF-16 code units and may lie outside the text. */
export interface Source {
	readonly url?: string;
	readonly title?: string;
	readonly excerpt?: string;
	readonly start?: number;
	readonly end?: number;
}

/** A source as it is shown: sanitised, and listed once however often it is cited. `number` counts from 1. */
export interface ShownSource {
	number: number;
	title: string;
	/** Absent if the address must not be opened. */
	url?: string;
	/** The host in its ASCII form, so that letters of other scripts that look like Latin ones are recognisable. */
	host?: string;
	excerpt?: string;
}

export interface Citations {
	sources: ShownSource[];
	/**
	 * Sorted by position: the mark of source `number` belongs after the character before `position`, in UTF-16 code
	 * units. The cited text begins at `start`.
	 */
	marks: { position: number; number: number; start: number }[];
	/** Set if the service gave more sources than are shown. */
	isCut?: true;
}

/**
 * The maximum number of citations of a reply that are stored and shown. Nobody reads more, and a hostile service could
 * send them without end. One more is stored if there are more, so that the page can say so.
 */
export const MAXIMUM_SOURCES = 200;
const MAXIMUM_TITLE = 300;
const MAXIMUM_EXCERPT = 2_000;
const MAXIMUM_URL = 8_192;
/** The shown lengths of a title and an excerpt. */
const SHOWN_TITLE = 160;
const SHOWN_EXCERPT = 400;

/** A position inside a word is moved to the end of the word, unless that is further away than this many characters. */
const WORD_REACH = 32;

/** Adds citations from the stream. Their positions count from `offset` in the text. */
export function addSources(
	sources: readonly Source[],
	annotations: readonly Annotation[],
	offset: number,
): readonly Source[] {
	const added = annotations.flatMap(({ url_citation: source }) => {
		if (!source || (source.url === undefined && source.title === undefined)) {
			return [];
		}
		const { url, title, content, start_index: start, end_index: end } = source;
		return [
			defined({
				url: url === undefined || url.length > MAXIMUM_URL ? undefined : url,
				title: title?.slice(0, MAXIMUM_TITLE).toWellFormed(),
				excerpt: content?.slice(0, MAXIMUM_EXCERPT).toWellFormed(),
				start: start === undefined ? undefined : start + offset,
				end: end === undefined ? undefined : end + offset,
			}),
		];
	});
	// Some services repeat all citations with each chunk.
	const known = new Map([...sources, ...added].map(source => [JSON.stringify(source), source]));
	return known.size === sources.length ? sources : [...known.values()].slice(0, MAXIMUM_SOURCES + 1);
}

/** Numbers the sources in the order in which the text cites them. Sources without a position in the text come last. */
export function citationsOf(text: string, sources: readonly Source[]): Citations {
	const kept = sources.slice(0, MAXIMUM_SOURCES);
	const places = placeCitations(
		text,
		kept.map(({ url, title, excerpt, start, end }) => ({
			type: 'url_citation',
			url_citation: { url, title, content: excerpt, start_index: start, end_index: end },
		})),
	).map(({ range }, index) => ({ index, start: range?.start ?? 0, position: range && endOfWord(text, range.end) }));
	const order = places.toSorted(
		(one, other) => (one.position ?? Number.POSITIVE_INFINITY) - (other.position ?? Number.POSITIVE_INFINITY) || 0,
	);
	const shown = new Map<string, ShownSource>();
	const marks = new Map<string, Citations['marks'][number]>();
	for (const { index, position, start } of order) {
		const source = kept[index] as Source;
		const key = source.url ?? `\n${source.title}`;
		const known = shown.get(key);
		const entry = known ?? toShown(source, shown.size + 1);
		shown.set(key, entry);
		const excerpt = excerptOf(source);
		if (entry.excerpt === undefined && excerpt !== '') {
			entry.excerpt = excerpt;
		}
		if (position !== undefined) {
			const place = `${position} ${entry.number}`;
			marks.set(place, marks.get(place) ?? { position, number: entry.number, start });
		}
	}
	return {
		sources: [...shown.values()],
		marks: [...marks.values()].sort((one, other) => one.position - other.position || one.number - other.number),
		...defined({ isCut: kept.length < sources.length || undefined }),
	};
}

function toShown(source: Source, number: number): ShownSource {
	const address = webAddress(source.url);
	const host = address?.host;
	const title = oneLine(source.title ?? '', SHOWN_TITLE);
	return {
		number,
		title: title === '' ? (host ?? oneLine(source.url ?? '', SHOWN_TITLE)) : title,
		...(address === undefined ? {} : { url: address.href, host: address.host }),
	};
}

function excerptOf({ excerpt = '' }: Source): string {
	return oneLine(excerpt, SHOWN_EXCERPT);
}

/** Only web addresses may be opened. */
function webAddress(url: string | undefined): URL | undefined {
	const address = url === undefined ? null : URL.parse(url);
	return address?.protocol === 'https:' || address?.protocol === 'http:' ? address : undefined;
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Words are separated by spaces, except in the scripts of `UNSPACED`. */
const LETTER = /^[\p{L}\p{N}\p{M}]$/u;
const UNSPACED =
	/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]$/u;

/**
 * Returns the end of the word that contains the position. Otherwise returns the position, moved to the end of a
 * character that it splits.
 */
function endOfWord(text: string, position: number): number {
	const begin = Math.max(0, position - WORD_REACH);
	// A character as the user sees it may consist of many code points: emoji with joiners, letters with marks.
	const nearby = [...characters.segment(text.slice(begin, position + 2 * WORD_REACH))];
	const after = nearby.findIndex(({ index }) => begin + index >= position);
	if (after < 0) {
		// The position lies inside or after the last character, which ends with the text, unless it is longer than what was
		// segmented.
		return text.length <= position + 2 * WORD_REACH ? text.length : begin + (nearby.at(-1)?.index ?? 0);
	}
	if (after === 0) {
		return position;
	}
	const boundary = begin + (nearby[after]?.index ?? 0);
	const isInWord = (index: number) => {
		const first = String.fromCodePoint(nearby[index]?.segment.codePointAt(0) ?? 0);
		return LETTER.test(first) && !UNSPACED.test(first);
	};
	if (!isInWord(after - 1)) {
		return boundary;
	}
	const rest = nearby.slice(after);
	const end = rest.findIndex((_, index) => !isInWord(after + index));
	if (end >= 0) {
		return end > WORD_REACH ? boundary : begin + (rest[end]?.index ?? 0);
	}
	return text.length <= position + 2 * WORD_REACH && rest.length <= WORD_REACH ? text.length : boundary;
}

export interface SourceWords {
	sources: string;
	/** The note for a service that gave more sources than are listed. */
	sourcesCut: string;
}

/** Returns a numbered list with a heading. Titles are escaped, so that nothing in them acts as markup. */
export function sourcesAsMarkdown({ sources, isCut }: Citations, words: SourceWords): string {
	const lines = sources.map(({ number, title, url }) => {
		const name = title.replace(/[\\`*_[\]<>#!&~|]/g, '\\$&');
		// A parsed URL contains neither white space nor angle brackets, so the brackets keep it whole.
		return `${number}. ${url === undefined ? name : `[${name}](<${url}>)`}`;
	});
	return `**${words.sources}**\n\n${lines.join('\n')}${isCut ? `\n\n${words.sourcesCut}` : ''}`;
}
