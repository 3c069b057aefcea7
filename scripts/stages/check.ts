import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from '../bootstrap/folders.mjs';
import type { Failure, Totals } from './totals.ts';

const skipped = new Set(['node_modules', '.cache', '.git', 'dist', 'test-output']);

/** Stands below what lint and format have found. */
const MEND = '`npm run check -- --write` mends what needs no decision.\n';

/**
 * Checks the types of every part, lint and format in parallel. Each of them counts as one test. A part is checked by one
 * checker: several of them check much of what they share more than once, and the parts run beside each other anyway.
 */
export async function check(): Promise<Totals> {
	const parts = fs.globSync('*/**/tsconfig.json', { cwd: root, exclude: name => skipped.has(path.basename(name)) });
	const failures = (
		await Promise.all([
			...parts
				.sort()
				.map(part => run(`types: ${path.dirname(part)}`, ['typescript/bin/tsc', '--checkers', '1', '-p', part])),
			run('lint and format', ['@biomejs/biome/bin/biome', 'ci', '--colors=off', '.'], MEND),
		])
	).filter(failure => failure !== undefined);
	return { passed: parts.length + 1 - failures.length, failed: failures.length, failures };
}

/** Resolves with the failure, if any. `step` says what to do about one. */
function run(title: string, [program = '', ...args]: string[], step = ''): Promise<Failure | undefined> {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [path.join(root, 'node_modules', program), ...args], {
			cwd: root,
			stdio: ['ignore', 'pipe', 'pipe'],
			// The checker is a Go program that ends in seconds. Collecting its garbage less often saves a fifth of its work.
			env: { GOGC: '400', ...process.env },
		});
		let output = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream.on('data', chunk => {
				output += chunk;
			});
		}
		child.on('error', reject);
		child.on('close', code => {
			console.log(code === 0 ? `  ok      ${title}` : `  failed  ${title}\n${output}${step}`);
			resolve(code === 0 ? undefined : { title, error: output.slice(0, 1500), files: [] });
		});
	});
}
