import fs from 'node:fs';
import path from 'node:path';
import { root } from '../bootstrap/folders.mjs';
import { runFailedAgain } from './flaky.ts';
import { type Part, runParts } from './parts.ts';
import { runTestProcess } from './process.ts';
import type { Totals } from './totals.ts';

export interface EditorStage {
	/** The test files, by their paths from the project's folder. */
	files: readonly string[];
	/** The user's options for mocha. If there are any, all files share one window. */
	args: string[];
	/** The folder of this run. */
	folder: string;
	environment: Record<string, string>;
}

/** The number of windows that share the tests. In each, tests run one by one and leave half of a processor idle. */
const WINDOWS = 2;

/** Runs test/editor inside the extension hosts of real VS Codes: all of it in two windows, a selection in one. */
export async function runEditorTests({ files, args, folder, environment }: EditorStage): Promise<Totals> {
	const part = (chosen: readonly string[]): Part => ({
		files: chosen,
		args: [path.join(root, 'scripts', 'stages', 'editorMain.ts')],
		environment: {
			...environment,
			ERRAND_TEST_ARGUMENTS: JSON.stringify(args),
			ERRAND_TEST_FILES: JSON.stringify(chosen),
		},
	});
	if (args.length > 0) {
		return runTestProcess({ ...part(files), folder });
	}
	const windows = Math.min(WINDOWS, files.length);
	const groups = deal(files, windows);
	const first = await runParts({ parts: groups.map(part), jobs: windows, folder });
	return runFailedAgain(first, groups, chosen => runTestProcess({ ...part(chosen), folder }));
}

/**
 * Distributes the files, the largest first and back and forth, so that no window has most of the work. Within a window,
 * they keep their order.
 */
function deal(files: readonly string[], windows: number): string[][] {
	const sizes = new Map(files.map(file => [file, fs.statSync(path.join(root, file)).size]));
	const sorted = [...files].sort((one, other) => (sizes.get(other) ?? 0) - (sizes.get(one) ?? 0));
	return Array.from({ length: windows }, (_, window) => {
		const own = sorted.filter((__, at) => [window, 2 * windows - 1 - window].includes(at % (2 * windows)));
		return files.filter(file => own.includes(file));
	});
}
