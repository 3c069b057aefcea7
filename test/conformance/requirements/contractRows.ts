import fs from 'node:fs';
import path from 'node:path';
import { slug } from './section.ts';

/** Beside a working copy of the people who write Errand; a user's clone has none. */
const CONTRACT = path.join(import.meta.dirname, '../../../../shared/contract');

const DOCUMENTS = ['inference', 'encrypted-channel', 'cloud-tasks', 'unspecified'];

/** An overview of what stands in the other sections. */
const OVERVIEW = 'What the service does';

/**
 * How many rows, rules and list items each section of the contract has, by the section's id
 * (`inference/provider-object`). Undefined where the documents are not at hand.
 */
export function contractRows(): Map<string, number> | undefined {
	if (!fs.existsSync(CONTRACT)) {
		return undefined;
	}
	const rows = new Map<string, number>();
	for (const document of DOCUMENTS) {
		for (const [heading, count] of rowsByHeading(fs.readFileSync(path.join(CONTRACT, `${document}.md`), 'utf8'))) {
			if (count > 0 && heading !== OVERVIEW) {
				rows.set(`${document}/${slug(heading)}`, count);
			}
		}
	}
	return rows;
}

function rowsByHeading(markdown: string): Map<string, number> {
	const rows = new Map<string, number>();
	let heading = '';
	/** The rows of a table begin below its line of dashes. */
	let isInTable = false;
	for (const line of markdown.split('\n')) {
		const title = /^#+ (.*)/.exec(line)?.[1];
		if (title !== undefined) {
			heading = title;
		}
		const isDashes = /^\|[-\s|:]+\|$/.test(line);
		const isRow = line.startsWith('|') && isInTable && !isDashes;
		isInTable = line.startsWith('|') && (isInTable || isDashes);
		if (isRow || /^(\d+\.|-) /.test(line)) {
			rows.set(heading, (rows.get(heading) ?? 0) + 1);
		}
	}
	return rows;
}
