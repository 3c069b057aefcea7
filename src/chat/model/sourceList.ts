// The sources of a reply as text, for copying or exporting the reply.
import type { Citations } from './citations.ts';

export interface SourceWords {
	sources: string;
	/** The note for a service that gave more sources than are listed. */
	sourcesCut: string;
}

/** A numbered list with a heading. Titles are escaped, so that nothing in them acts as markup. */
export function sourcesAsMarkdown({ sources, isCut }: Citations, words: SourceWords): string {
	const lines = sources.map(({ number, title, url }) => {
		const name = title.replace(/[\\`*_[\]<>#!&~|]/g, '\\$&');
		// A parsed URL contains neither white space nor angle brackets, so the brackets keep it whole.
		return `${number}. ${url === undefined ? name : `[${name}](<${url}>)`}`;
	});
	return `**${words.sources}**\n\n${lines.join('\n')}${isCut ? `\n\n${words.sourcesCut}` : ''}`;
}

export function sourcesAsText({ sources, isCut }: Citations, words: SourceWords): string {
	const lines = sources.map(({ number, title, url }) => `[${number}] ${title}${url === undefined ? '' : ` ${url}`}`);
	return [words.sources, ...lines, ...(isCut ? [words.sourcesCut] : [])].join('\n');
}
