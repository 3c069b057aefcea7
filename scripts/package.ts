import fs from 'node:fs';
import path from 'node:path';
import { cache, root } from './bootstrap/folders.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { build, runNode } from './build.ts';
import { packedReadme } from './packedReadme.ts';

/** Packs a production build. */
export async function makePackage([file = 'errand.vsix']: string[]): Promise<number> {
	const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
	const readme = path.join('dist', 'README.md');
	// The manifest names no repository that relative links could refer to. Images are in the package.
	const args = [
		'package',
		'--no-dependencies',
		'--allow-missing-repository',
		'--no-rewrite-relative-links',
		'--readme-path',
		readme,
		'--out',
		file,
	];
	const code = await withLock(path.join(cache, 'build.lock'), 'building', async () => {
		await build('--production');
		fs.writeFileSync(path.join(root, readme), packedReadme(root));
		return runNode([vsce, ...args]);
	});
	if (code === 0) {
		console.log(`${path.basename(file)}: ${(fs.statSync(path.resolve(root, file)).size / 1024).toFixed(0)} KB`);
	}
	return code;
}
