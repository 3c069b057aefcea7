import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type EditorServer, startEditor } from '../test/support/editor.ts';
import { bundleProbe, emptyExtension, measureInHost } from './hostProbe.ts';
import { type BenchRow, median } from './row.ts';
import type { UnfoldedChanges } from './taskChangesProbe.ts';

const ROUNDS = 3;
const FILES = 4000;
const CHANGED = 2000;
const PER_FOLDER = 40;
const LINES = 100;
const GOAL = 1.2;
const LONGEST_MS = 50;

/** Measures goal 18 in a real extension host. */
export async function rows(): Promise<BenchRow[]> {
	const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-bench-'));
	let editor: EditorServer | undefined;
	try {
		const folder = makeRepository(path.join(scratch, 'repository'));
		const probe = await bundleProbe('taskChangesProbe.ts', scratch);
		const env = { ERRAND_BENCH_TASK: JSON.stringify({ folder, start: 'main', branch: 'errand/work' }) };
		editor = await startEditor({ folder, extension: emptyExtension(scratch), extensionTests: probe, env });
		const runs: UnfoldedChanges[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			runs.push(await measureInHost<UnfoldedChanges>(editor));
		}
		const of = (name: keyof UnfoldedChanges) => median(runs.map(run => run[name]));
		const isWhole = of('files') === CHANGED;
		const ratio = of('unfolded') / of('byHand');
		const count = CHANGED.toLocaleString('en');
		return [
			{
				goal: '18',
				what: `a task with ${count} changed files unfolded to its first ${of('rows')} rows, in a real extension host`,
				ours: `${of('unfolded').toFixed(1)} ms; lines counted after ${of('counted').toFixed(0)} ms`,
				peers: `git diff --raw -z by hand ${of('byHand').toFixed(1)} ms = 1`,
				ratio: ratio.toFixed(2),
				met: isWhole && ratio <= GOAL ? 'yes' : 'no',
			},
			{
				goal: '18',
				what: `longest task of the extension host while ${count} changed files are unfolded and counted`,
				ours: `${of('longest').toFixed(0)} ms`,
				peers: `one long task of a page: ${LONGEST_MS} ms`,
				ratio: (of('longest') / LONGEST_MS).toFixed(2),
				met: isWhole && of('longest') <= LONGEST_MS ? 'yes' : 'no',
			},
		];
	} finally {
		await editor?.stop();
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}

/** Creates a repository with a branch that changes every second file. */
function makeRepository(folder: string): string {
	const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
	fs.mkdirSync(folder);
	git('init', '--quiet', '--initial-branch=main');
	git('config', 'user.name', 'Tester');
	git('config', 'user.email', 'tester@example.invalid');
	const files = Array.from({ length: FILES }, (_, index) =>
		path.join(folder, 'src', `part${Math.floor(index / PER_FOLDER)}`, `file${index}.ts`),
	);
	for (const [index, file] of files.entries()) {
		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.writeFileSync(file, Array.from({ length: LINES }, (_, line) => `const value${line} = ${index};\n`).join(''));
	}
	git('add', '--all');
	git('commit', '--quiet', '-m', 'First');
	git('switch', '--quiet', '-c', 'errand/work');
	for (const [index, file] of files.entries()) {
		if (index % (FILES / CHANGED) === 0) {
			fs.appendFileSync(file, 'export {};\n');
		}
	}
	git('commit', '--quiet', '--all', '-m', 'Work');
	git('switch', '--quiet', 'main');
	return folder;
}
