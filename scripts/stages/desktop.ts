import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { cache, root } from '../bootstrap/folders.mjs';
import { makeSampleRepository } from '../sampleRepository.ts';

/** Runs test/editor in a desktop VS Code, which is downloaded on first use. */
export async function testDesktop(args: string[]): Promise<number> {
	const folder = path.join(cache, 'runs', randomBytes(6).toString('hex'));
	return runTests({
		cachePath: path.join(cache, 'desktop'),
		extensionDevelopmentPath: root,
		extensionTestsPath: path.join(cache, 'out', 'editor', 'index.cjs'),
		extensionTestsEnv: {
			ERRAND_STATE_HOME: path.join(folder, 'service'),
			ERRAND_TEST_ARGUMENTS: JSON.stringify(args),
		},
		launchArgs: [
			makeSampleRepository(path.join(folder, 'sample')).folder,
			`--user-data-dir=${path.join(folder, 'data')}`,
			'--disable-extensions',
			'--disable-workspace-trust',
			'--skip-welcome',
		],
	});
}
