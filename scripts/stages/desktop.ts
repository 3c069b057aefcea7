import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { cache, root } from '../bootstrap/folders.mjs';
import { makeSampleRepository } from '../sampleRepository.ts';
import { chooseEditor } from './editorVersion.ts';

/** Runs test/editor in a desktop VS Code, which is downloaded on first use: the newest one, or that of `--editor`. */
export async function testDesktop(args: string[]): Promise<number> {
	const { engines } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
	const { version, others } = chooseEditor(args, engines.vscode);
	const folder = path.join(cache, 'runs', randomBytes(6).toString('hex'));
	return runTests({
		version,
		cachePath: path.join(cache, 'desktop'),
		extensionDevelopmentPath: root,
		extensionTestsPath: path.join(cache, 'out', 'editor', 'index.cjs'),
		extensionTestsEnv: {
			ERRAND_STATE_HOME: path.join(folder, 'service'),
			ERRAND_TEST_ARGUMENTS: JSON.stringify(others),
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
