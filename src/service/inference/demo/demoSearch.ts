import type { Annotation } from '../../../contract/chatReply.ts';
import type { ProviderRequest } from '../provider.ts';
import { type DemoReply, INTRODUCTION, shownPrompt, textReply } from './demoReply.ts';

const SOURCES = [
	{ title: 'First example', excerpt: 'An excerpt that was made up for the first example.' },
	{ title: 'Second example, with ü and 🔎', excerpt: 'An excerpt that was made up for the second example.' },
	{ title: 'Third example', excerpt: '' },
];

/**
 * Returns three statements, each with a source that says where it belongs in the text (contract: inference.md, Web
 * search annotation).
 */
export function citedReply(request: ProviderRequest): DemoReply {
	let text = `${INTRODUCTION} Nothing was searched for: the sources below are made up.\n\nAbout “${shownPrompt(request)}”:\n\n`;
	const annotations: Annotation[] = [];
	for (const [index, { title, excerpt }] of SOURCES.entries()) {
		const statement = `Statement ${index + 1} has a source.`;
		annotations.push({
			type: 'url_citation',
			url_citation: {
				url: `https://example.com/source-${index + 1}`,
				title,
				content: excerpt === '' ? undefined : excerpt,
				start_index: text.length,
				end_index: text.length + statement.length,
			},
		});
		text += `${statement}\n\n`;
	}
	return textReply(text, { annotations });
}
