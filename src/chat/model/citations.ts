// Where a searched answer took what it says from.

import type { Annotation } from '../../contract/chatReply.ts';
import { placeCitations } from '../../contract/citations.ts';
import { cut, oneLine } from './title.ts';

/** A source as the service gave it. Positions are UTF-16 and not to be trusted to lie inside the text. */
export interface Source {
	readonly url?: string;
	readonly title?: string;
	readonly excerpt?: string;
	readonly start?: number;
	readonly end?: number;
}

/** A source as it is shown: made harmless, each once however often it is cited. `number` counts from 1. */
export interface ShownSource {
	number: number;
	title: string;
	/** Absent where the address is none that may be opened. */
	url?: string;
	/** As the network knows it: letters of other scripts that look like Latin ones show as what they are. */
	host?: string;
	excerpt?: string;
}

export interface Citations {
	sources: ShownSource[];
	/** In order: the source `number` belongs behind the character before `position` of the text, in UTF-16 code units. */
	marks: { position: number; number: number }[];
	/** The service gave more than are shown. */
	isCut?: true;
}

/** More than this nobody reads, and a hostile service could send without end. */
/** Citations of a reply that are kept and shown. One more is kept where there are more, to say so. */
export const MAXIMUM_SOURCES = 200;
const MAXIMUM_TITLE = 300;
const MAXIMUM_EXCERPT = 2_000;
const MAXIMUM_URL = 8_192;
/** What is shown of them. */
const SHOWN_TITLE = 160;
const SHOWN_EXCERPT = 400;

/** A position is moved to the end of its word, where that is no further away. */
const WORD_REACH = 32;

/** Adds what the stream brought. `offset` is where the part of the text begins that its positions count from. */
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
			{
				...(url === undefined || url.length > MAXIMUM_URL ? {} : { url }),
				...(title === undefined ? {} : { title: title.slice(0, MAXIMUM_TITLE).toWellFormed() }),
				...(content === undefined ? {} : { excerpt: content.slice(0, MAXIMUM_EXCERPT).toWellFormed() }),
				...(start === undefined ? {} : { start: start + offset }),
				...(end === undefined ? {} : { end: end + offset }),
			},
		];
	});
	// Some services send all of them once more with each chunk.
	const known = new Map([...sources, ...added].map(source => [JSON.stringify(source), source]));
	return known.size === sources.length ? sources : [...known.values()].slice(0, MAXIMUM_SOURCES + 1);
}

/** The sources numbered in the order in which the text cites them; those without a place in it come last. */
export function citationsOf(text: string, sources: readonly Source[]): Citations {
	const kept = sources.slice(0, MAXIMUM_SOURCES);
	const places = placeCitations(
		text,
		kept.map(({ url, title, excerpt, start, end }) => ({
			type: 'url_citation',
			url_citation: { url, title, content: excerpt, start_index: start, end_index: end },
		})),
	).map(({ range }, index) => ({ index, position: range && endOfWord(text, range.end) }));
	const order = places.toSorted(
		(one, other) => (one.position ?? Number.POSITIVE_INFINITY) - (other.position ?? Number.POSITIVE_INFINITY) || 0,
	);
	const shown = new Map<string, ShownSource>();
	const marks = new Map<string, Citations['marks'][number]>();
	for (const { index, position } of order) {
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
			marks.set(`${position} ${entry.number}`, { position, number: entry.number });
		}
	}
	return {
		sources: [...shown.values()],
		marks: [...marks.values()].sort((one, other) => one.position - other.position || one.number - other.number),
		...(kept.length < sources.length ? { isCut: true } : {}),
	};
}

function toShown(source: Source, number: number): ShownSource {
	const address = webAddress(source.url);
	const host = address?.host;
	const title = cut(oneLine(source.title ?? ''), SHOWN_TITLE);
	return {
		number,
		title: title === '' ? (host ?? cut(oneLine(source.url ?? ''), SHOWN_TITLE)) : title,
		...(address === undefined ? {} : { url: address.href, host: address.host }),
	};
}

function excerptOf({ excerpt = '' }: Source): string {
	return cut(oneLine(excerpt), SHOWN_EXCERPT);
}

/** Only these may be opened. */
function webAddress(url: string | undefined): URL | undefined {
	const address = url === undefined ? null : URL.parse(url);
	return address?.protocol === 'https:' || address?.protocol === 'http:' ? address : undefined;
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Scripts that put spaces between words. */
const LETTER = /^[\p{L}\p{N}\p{M}]$/u;
const UNSPACED =
	/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]$/u;

/** The end of the word that a position falls into; otherwise the position, or the end of the character that it splits. */
function endOfWord(text: string, position: number): number {
	const begin = Math.max(0, position - WORD_REACH);
	// What is seen as one character may be many code points: emoji with joiners, letters with marks.
	const nearby = [...characters.segment(text.slice(begin, position + 2 * WORD_REACH))];
	const after = nearby.findIndex(({ index }) => begin + index >= position);
	if (after < 0) {
		// Inside the last character, or behind it: its end is that of the text, unless it is longer than any that is read.
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
