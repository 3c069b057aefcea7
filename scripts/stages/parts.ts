import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { runTestProcess, type TestProcess } from './process.ts';
import { add, none, type Totals } from './totals.ts';

export type Part = Pick<TestProcess, 'args' | 'files' | 'environment'>;

export interface Parts {
	parts: readonly Part[];
	/** The number of parts that run at the same time. */
	jobs: number;
	/** The folder of this run. Each part gets its own subfolder. */
	folder: string;
}

/** Runs the parts of a stage in separate processes and adds up their totals. Each prints its output when it ends. */
export async function runParts(
	{ parts, jobs, folder }: Parts,
	print: (text: string) => void = text => process.stdout.write(text),
): Promise<Totals> {
	const waiting = [...parts.entries()];
	let totals = none;
	const runNext = async (): Promise<void> => {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
			const [index, part] = next;
			const ownFolder = path.join(folder, String(index));
			fs.mkdirSync(ownFolder, { recursive: true });
			let output = '';
			const result = await runTestProcess({
				...part,
				folder: ownFolder,
				onOutput: text => {
					output += text;
				},
			});
			totals = add(totals, result);
			if (result.passed + result.failed > 0) {
				print(output);
			}
		}
	};
	await Promise.all(Array.from({ length: jobs }, runNext));
	return totals;
}
