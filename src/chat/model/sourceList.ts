// The sources of a reply as text, for whoever takes the reply somewhere else.
import type { Citations } from './citations.ts';

export interface SourceWords {
	/** The heading. */
	sources: string;
	/** Where the service gave more than there are. */
	sourcesCut: string;
}

/** A numbered list with a heading. In titles nothing is markup. */
export function sourcesAsMarkdown({ sources, isCut }: Citations, words: SourceWords): string {
	const lines = sources.map(({ number, title, url }) => {
		const name = title.replace(/[\\`*_[\]<>#!&~|]/g, '\\$&');
		// A URL as it is parsed has neither white space nor angle brackets in it, so these keep it whole.
		return `${number}. ${url === undefined ? name : `[${name}](<${url}>)`}`;
	});
	return `**${words.sources}**\n\n${lines.join('\n')}${isCut ? `\n\n${words.sourcesCut}` : ''}`;
}

export function sourcesAsText({ sources, isCut }: Citations, words: SourceWords): string {
	const lines = sources.map(({ number, title, url }) => `[${number}] ${title}${url === undefined ? '' : ` ${url}`}`);
	return [words.sources, ...lines, ...(isCut ? [words.sourcesCut] : [])].join('\n');
}
