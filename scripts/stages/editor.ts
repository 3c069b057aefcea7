import path from 'node:path';
import { root } from '../bootstrap/folders.mjs';
import { runTestProcess } from './process.ts';
import type { Totals } from './totals.ts';

export interface EditorStage {
	args: string[];
	folder: string;
	environment: Record<string, string>;
}

/** Runs test/editor inside the extension host of a real VS Code. */
export function runEditorTests({ args, folder, environment }: EditorStage): Promise<Totals> {
	return runTestProcess({
		args: [path.join(root, 'scripts', 'stages', 'editorMain.ts')],
		folder,
		limitMs: 900_000,
		environment: { ...environment, ERRAND_TEST_ARGUMENTS: JSON.stringify(args) },
	});
}
