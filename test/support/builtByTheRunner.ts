import process from 'node:process';

/** Returns the folder in a variable that the runner sets for the editor and window tests. */
export function builtByTheRunner(variable: 'ERRAND_TEST_EDITOR' | 'ERRAND_TEST_EXTENSION'): string {
	const folder = process.env[variable];
	if (folder === undefined) {
		throw new Error(`${variable} is not set. Run these tests with npm run test:editor or npm run test:e2e.`);
	}
	return folder;
}
