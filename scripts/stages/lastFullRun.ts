import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../bootstrap/folders.mjs';
import { type Totals, totalsLine } from './totals.ts';

/** The outcome of the last full run. It is committed. */
export interface FullRun {
	/** The commit that was tested, if the project is a repository. */
	commit?: string;
	/** The date in the form 2026-01-31. */
	day: string;
	totals: string;
	failures: readonly string[];
}

const file = path.join(root, 'test', 'last-full-run.json');
const dayMs = 24 * 60 * 60 * 1000;

export function saveFullRun(totals: Totals, now: Date): void {
	const { status, stdout } = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' });
	const run: FullRun = {
		...(status === 0 && { commit: stdout.trim() }),
		day: now.toISOString().slice(0, 10),
		totals: totalsLine(totals),
		failures: totals.failures?.map(({ title }) => title) ?? [],
	};
	fs.writeFileSync(file, `${JSON.stringify(run, undefined, '\t')}\n`);
}

/** Describes when everything was last run, and what failed then. */
export function describeFullRun(run: FullRun | undefined, now: Date): string {
	if (run === undefined) {
		return 'Nobody has run everything yet: npm run test:all';
	}
	const days = Math.floor((now.getTime() - Date.parse(run.day)) / dayMs);
	const age = days <= 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`;
	const head = `Everything was run ${age}${run.commit === undefined ? '' : ` at ${run.commit}`}: ${run.totals}`;
	const failures = run.failures.map(title => `  to be mended before anything new: ${title}`);
	return [head, ...failures].join('\n');
}

export function readFullRun(): FullRun | undefined {
	return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
}
