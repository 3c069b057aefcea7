import { globSync } from 'node:fs';
import path from 'node:path';

/** These look at the proofs and hold none. */
const READERS = ['requirements.test.ts', 'faults/faults.test.ts'];

/** Loads every file with proofs, so that a file that looks at them all can also be run alone. */
export async function loadProofs(): Promise<void> {
	for (const file of globSync('**/*.test.ts', { cwd: import.meta.dirname })) {
		if (!READERS.includes(file.replaceAll(path.sep, '/'))) {
			await import(`./${file}`);
		}
	}
}
