import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from '../bootstrap/folders.mjs';
import { runTestProcess } from './process.ts';
import { add, none, type Totals } from './totals.ts';

export interface EditorStage {
	args: string[];
	folder: string;
	environment: Record<string, string>;
}

/** The windows that share the tests. Each runs one test after another, which leaves half of a processor idle. */
const WINDOWS = 2;

/** Runs test/editor inside the extension hosts of real VS Codes: all of it in two windows, a choice of it in one. */
export async function runEditorTests({ args, folder, environment }: EditorStage): Promise<Totals> {
	const windows = args.length === 0 ? WINDOWS : 1;
	const outputs = Array.from({ length: windows }, () => '');
	const totals = await Promise.all(
		outputs.map((_, part) => {
			const ownFolder = path.join(folder, String(part));
			fs.mkdirSync(ownFolder, { recursive: true });
			return runTestProcess({
				args: [path.join(root, 'scripts', 'stages', 'editorMain.ts')],
				folder: ownFolder,
				limitMs: 900_000,
				environment: {
					...environment,
					ERRAND_TEST_ARGUMENTS: JSON.stringify(args),
					ERRAND_TEST_PART: JSON.stringify({ part, of: windows }),
				},
				// The first window prints as it goes, the others when all have ended.
				...(part > 0 && {
					onOutput: (text: string) => {
						outputs[part] += text;
					},
				}),
			});
		}),
	);
	process.stdout.write(outputs.join(''));
	return totals.reduce(add, none);
}
