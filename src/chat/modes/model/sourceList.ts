// The sources of a reply as text, for whoever takes the reply somewhere else.
import type { ShownSource } from './sources.ts';

/** A numbered list with a heading. In titles nothing is markup. */
export function sourcesAsMarkdown(sources: readonly ShownSource[], heading: string): string {
	const lines = sources.map(({ number, title, url }) => {
		const words = title.replace(/[\\`*_[\]<>#!&~|]/g, '\\$&');
		// A URL as it is parsed has neither white space nor angle brackets in it, so these keep it whole.
		return `${number}. ${url === undefined ? words : `[${words}](<${url}>)`}`;
	});
	return `**${heading}**\n\n${lines.join('\n')}`;
}

export function sourcesAsText(sources: readonly ShownSource[], heading: string): string {
	const lines = sources.map(({ number, title, url }) => `[${number}] ${title}${url === undefined ? '' : ` ${url}`}`);
	return `${heading}\n${lines.join('\n')}`;
}
