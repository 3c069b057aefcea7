import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cache, root } from './bootstrap/folders.mjs';
import { runNode } from './build.ts';
import { exitCodeOf } from './processes.ts';

/** The programs in `cache` that every build takes from there, and that need not be installed again. */
const PROGRAMS = /^(?:node|vscode)-/;

/**
 * Looks whether the present build opens what an earlier one leaves, and that one what the present one has written. The
 * earlier build is installed in a worktree beside the project and fills a profile by its own program.
 */
export async function tryProfile([commit]: string[]): Promise<number> {
	if (commit === undefined) {
		throw new Error('npm run profile needs a commit, such as the tag of the last release: npm run profile -- v1.2.0');
	}
	const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
	const name = git('rev-parse', '--short=8', `${commit}^{commit}`);
	const earlier = `${root}-old-${name}`;
	if (!fs.existsSync(earlier)) {
		git('worktree', 'add', '--detach', earlier, name);
		fs.mkdirSync(path.join(earlier, '.cache'));
		for (const program of fs.readdirSync(cache).filter(entry => PROGRAMS.test(entry))) {
			fs.symlinkSync(path.join(cache, program), path.join(earlier, '.cache', program));
		}
	}
	console.log(`Filling a profile by the build of ${name}, in ${earlier} …`);
	const fill = ['run', 'test:e2e', '--', path.join('test', 'profile', 'fill.ts')];
	const filling = spawn('npm', fill, { cwd: earlier, stdio: 'inherit' });
	if ((await exitCodeOf(filling)) !== 0) {
		throw new Error(`The build of ${name} did not fill a profile; its lines above say why.`);
	}
	const environment = { ERRAND_TEST_PROFILE: newestProfile(earlier), ERRAND_TEST_EARLIER: earlier };
	const stages = [
		['test:unit', path.join('test', 'unit', 'profile.test.ts'), path.join('test', 'profile', 'back.ts')],
		['test:e2e', path.join('test', 'e2e', 'profile.test.ts'), path.join('test', 'profile', 'windows.ts')],
	];
	let code = 0;
	for (const stage of stages) {
		code = Math.max(code, await runNode([path.join(root, 'scripts', 'run.ts'), ...stage], { environment }));
	}
	console.log(`The worktree is kept. "git worktree remove --force ${earlier}" removes it.`);
	return code;
}

/** Earlier builds keep one profile; later ones keep each in a folder named by its day. */
function newestProfile(project: string): string {
	const kept = path.join(project, 'test', 'profile', 'kept');
	const [newest = ''] = fs
		.readdirSync(kept)
		.filter(entry => /^\d/.test(entry))
		.sort()
		.reverse();
	return path.join(kept, newest);
}
