// The demo agent is a child process that works in the folder it is started in. It uses no model.
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commitSubject } from './taskNames.ts';

const LINE_PAUSE_MS = 90;
const SLOW_LINES = 100;
const SLOW_PAUSE_MS = 200;
const MAXIMUM_FILES = 50_000;
const MAXIMUM_FILE_NAMES = 100;

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
const green = (text: string) => `\u001b[32m${text}\u001b[39m`;
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;

async function print(line: string, pauseMs = LINE_PAUSE_MS): Promise<void> {
	process.stdout.write(`${line}\n`);
	await delay(pauseMs);
}

/** Runs to the end and returns the exit code. */
export async function runDemoAgent(): Promise<number> {
	// The service reads the output. Without it, there is nobody left to work for.
	process.stdout.on('error', () => process.exit(1));
	let prompt = '';
	for await (const piece of process.stdin.setEncoding('utf8')) {
		prompt += piece;
	}
	const script = /(?:^|\s)\/demo\s+(slow|fail)\b/.exec(prompt)?.[1];

	await print(bold('Errand demo agent'));
	await print('This is a demonstration: no language model takes part.');
	await print(`Asked for: ${dim(commitSubject(prompt))}`);
	if (script === 'fail') {
		await print('Asked to fail, so it does.');
		process.stderr.write('error: the demo agent was told to fail (/demo fail)\n');
		return 1;
	}
	if (script === 'slow') {
		for (let line = 1; line <= SLOW_LINES; line++) {
			await print(`Working slowly, line ${line} of ${SLOW_LINES}`, SLOW_PAUSE_MS);
		}
	}
	await print('Counting the files of the repository…');
	const { counts, total, complete } = await countFiles(Buffer.from('.'));
	for (const [extension, count] of counts.slice(0, 4)) {
		await print(`  ${dim('•')} ${extension}: ${count}`);
	}
	await print(`${total} ${total === 1 ? 'file' : 'files'}${complete ? '' : ' and more'} in all`);
	await print('Writing one new file at the top of the repository…');
	const name = await writeNewFile(summary(prompt, counts, total, complete));
	await print(`${green('✓')} Wrote ${bold(name)}`);
	await print(green('Done.'));
	return 0;
}

interface FileCounts {
	/** Sorted by the number of files, largest first. */
	counts: [extension: string, count: number][];
	total: number;
	/** False if the count ended at the limit. */
	complete: boolean;
}

/** Counts files without following links, which can lead out of the repository. Names can be in any encoding. */
async function countFiles(folder: Buffer): Promise<FileCounts> {
	const counts = new Map<string, number>();
	const folders = [folder];
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
function summary(prompt: string, counts: FileCounts['counts'], total: number, complete: boolean): string {
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

/** Creates a new file under the first name that is free. Exclusive creation follows no link. */
async function writeNewFile(text: string): Promise<string> {
	for (let number = 1; number <= MAXIMUM_FILE_NAMES; number++) {
		const name = number === 1 ? 'errand-demo.md' : `errand-demo-${number}.md`;
		try {
			const file = await open(name, 'wx');
			await file.writeFile(text);
			await file.close();
			return name;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
				throw error;
			}
		}
	}
	throw new Error(`All names from errand-demo.md to errand-demo-${MAXIMUM_FILE_NAMES}.md are taken.`);
}
