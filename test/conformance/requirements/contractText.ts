import fs from 'node:fs';
import path from 'node:path';
import { slug } from './section.ts';

/**
 * The folder of the contract's documents. It is not part of the repository, so the tests that need it are skipped without
 * it.
 */
const CONTRACT = path.join(import.meta.dirname, '../../../../shared/contract');

const DOCUMENTS = ['inference', 'encrypted-channel', 'cloud-tasks', 'unspecified'];

/** The section whose list items are sentences about the others, and no rules of their own. */
const OVERVIEW = 'What the service does';

const LIST_ITEM = /^(\d+\.|-) /;

/** A full stop ends a sentence, but not the one in "e.g.". */
const BETWEEN_SENTENCES = /(?<=(?<!e\.g)\.)\s+(?=[A-Z`*"])/;

/** A line of a document with the heading above it. A paragraph is one line here. */
interface Line {
	document: string;
	heading: string;
	text: string;
}

/** The lines of the contract, or undefined where the documents are not at hand. */
function contractLines(): Line[] | undefined {
	if (!fs.existsSync(CONTRACT)) {
		return undefined;
	}
	return DOCUMENTS.flatMap(document => {
		const markdown = fs.readFileSync(path.join(CONTRACT, `${document}.md`), 'utf8');
		let heading = '';
		const lines: Line[] = [];
		for (const text of markdown.replace(/([^\n|])\n(?=[^\n|#\d-])/g, '$1 ').split('\n')) {
			const title = /^#+ (.*)/.exec(text)?.[1];
			heading = title ?? heading;
			if (title === undefined) {
				lines.push({ document, heading, text });
			}
		}
		return lines;
	});
}

/**
 * How many rows, rules and list items each section of the contract has, by the section's id
 * (`inference/provider-object`). Undefined where the documents are not at hand.
 */
export function contractRows(): Map<string, number> | undefined {
	const rows = new Map<string, number>();
	/** The rows of a table begin below its line of dashes. */
	let isInTable = false;
	for (const { document, heading, text } of contractLines() ?? []) {
		const isDashes = /^\|[-\s|:]+\|$/.test(text);
		const isRow = text.startsWith('|') && isInTable && !isDashes;
		isInTable = text.startsWith('|') && (isInTable || isDashes);
		if (heading !== OVERVIEW && (isRow || LIST_ITEM.test(text))) {
			const section = `${document}/${slug(heading)}`;
			rows.set(section, (rows.get(section) ?? 0) + 1);
		}
	}
	return rows.size === 0 ? undefined : rows;
}

/**
 * The sentences that stand outside tables, rules and lists, by the section's id. Undefined where the documents are not
 * at hand.
 */
export function contractSentences(): Map<string, string[]> | undefined {
	const sentences = new Map<string, string[]>();
	for (const { document, heading, text } of contractLines() ?? []) {
		const isItem = LIST_ITEM.test(text);
		if (text.trim() !== '' && !text.startsWith('|') && (!isItem || heading === OVERVIEW)) {
			const section = `${document}/${slug(heading)}`;
			const found = text.replace(LIST_ITEM, '').split(BETWEEN_SENTENCES);
			sentences.set(section, [...(sentences.get(section) ?? []), ...found]);
		}
	}
	return sentences.size === 0 ? undefined : sentences;
}
