import path from 'node:path';
import { root } from '../bootstrap/folders.mjs';
import { runParts } from './parts.ts';
import { runTestProcess } from './process.ts';
import type { Totals } from './totals.ts';

export interface EditorStage {
	args: string[];
	/** The folder of this run. */
	folder: string;
	environment: Record<string, string>;
}

/** The windows that share the tests. Each runs one test after another, which leaves half of a processor idle. */
const WINDOWS = 2;

/** Runs test/editor inside the extension hosts of real VS Codes: all of it in two windows, a choice of it in one. */
export async function runEditorTests({ args, folder, environment }: EditorStage): Promise<Totals> {
	const part = (number: number, of: number) => ({
		args: [path.join(root, 'scripts', 'stages', 'editorMain.ts')],
		environment: {
			...environment,
			ERRAND_TEST_ARGUMENTS: JSON.stringify(args),
			ERRAND_TEST_PART: JSON.stringify({ part: number, of }),
		},
	});
	if (args.length > 0) {
		return runTestProcess({ ...part(0, 1), folder });
	}
	const parts = Array.from({ length: WINDOWS }, (_, index) => part(index, WINDOWS));
	return runParts({ parts, jobs: WINDOWS, folder });
}
