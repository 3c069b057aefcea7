// What the demo agent finds out about a repository, and the file that it writes about it.
import { readdir } from 'node:fs/promises';
import path from 'node:path';

const MAXIMUM_FILES = 50_000;

export interface FileCounts {
	/** Sorted by the number of files, largest first. */
	counts: [extension: string, count: number][];
	total: number;
	/** False if the count ended at the limit. */
	complete: boolean;
}

/** Counts files without following links, which can lead out of the repository. Names can be in any encoding. */
export async function countFiles(folder: string): Promise<FileCounts> {
	const counts = new Map<string, number>();
	const folders: Buffer[] = [Buffer.from(folder)];
	let total = 0;
	for (let next = folders.pop(); next !== undefined && total < MAXIMUM_FILES; next = folders.pop()) {
		for (const entry of await readdir(next, { encoding: 'buffer', withFileTypes: true })) {
			const name = entry.name.toString('latin1');
			if (entry.isDirectory() && name !== '.git') {
				folders.push(Buffer.concat([next, Buffer.from('/'), entry.name]));
			} else if (entry.isFile()) {
				const extension = extensionOf(name);
				counts.set(extension, (counts.get(extension) ?? 0) + 1);
				total++;
			}
		}
	}
	const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
	return { counts: sorted, total, complete: total < MAXIMUM_FILES };
}

function extensionOf(name: string): string {
	const extension = path.extname(name).toLowerCase();
	return /^\.[a-z\d+_-]{1,16}$/.test(extension) ? extension : 'other';
}

/** Returns the content of the new file. The prompt is an indented block, so that Markdown in it stays plain text. */
export function demoSummary(prompt: string, { counts, total, complete }: FileCounts): string {
	const quoted = prompt
		.trim()
		.split(/\r\n|[\r\n]/)
		.map(line => `    ${line}`)
		.join('\n');
	const rows = counts.map(([extension, count]) => `| \`${extension}\` | ${count} |`).join('\n');
	return `# Errand demo

This file was written by Errand's demo agent, to show the way of a task from prompt to branch. No language model took part.

The prompt was:

${quoted}

The repository had ${total}${complete ? '' : ' or more'} files, by extension:

| Extension | Files |
| --- | ---: |
${rows}
`;
}
