import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Mutation } from '../../test/conformance/mutations/mutation.ts';
import { mutations } from '../../test/conformance/mutations/mutations.ts';
import { root } from '../bootstrap/folders.mjs';
import { endFamily, exitCodeOf, newMark } from '../processes.ts';
import type { Failure, Totals } from './totals.ts';

/** The parts of the project that the proofs need. */
const COPIED = ['src', 'test', 'scripts', 'docs', 'package.json', 'tsconfig.json'];

/** The time after which a change that keeps the tests from ending counts as noticed. */
const RUN_LIMIT_MS = 600_000;
const PROOF_LIMIT_MS = 60_000;

/** Matches the files without proofs of the code. */
const NO_PROOFS = /^(requirements\.test\.ts|(faults|mutations)\/.*)$/;

export interface Mutating {
	/** Words, one of which must be in the path of a file for it to be changed. Without words, all files are changed. */
	chosen: readonly string[];
	/** The folder for the copies. */
	folder: string;
	/** The number of changes that are tried at the same time. */
	jobs: number;
}

/**
 * Breaks the code by one change after another, each in a copy of the project, and prints the changes that the proofs of
 * the contract do not notice.
 */
export async function mutateConformance({ chosen, folder, jobs }: Mutating): Promise<Totals> {
	const left = mutations.filter(({ file }) => chosen.length === 0 || chosen.some(word => file.includes(word)));
	if (left.length === 0) {
		console.log('  failed  there is no change of such a file');
		return { passed: 0, failed: 1 };
	}
	const files = fs
		.globSync('**/*.test.ts', { cwd: path.join(root, 'test/conformance') })
		.map(file => file.replaceAll(path.sep, '/'))
		.filter(file => !NO_PROOFS.test(file));
	const copies = Array.from({ length: jobs }, (_, index) => copyProject(path.join(folder, `copy-${index}`)));
	const [first = ''] = copies;
	if (!(await holds(first, files))) {
		console.log('  failed  the proofs fail without a change; npm run test:conformance tells which');
		return { passed: 0, failed: 1 };
	}
	const totals = { passed: 0, failed: 0 };
	const failures: Failure[] = [];
	const waiting = [...left];
	await Promise.all(
		copies.map(async copy => {
			for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
				const failure = await failureOf(mutation, copy, files);
				const { what, file } = mutation;
				console.log(
					`  ${failure === undefined ? 'ok    ' : 'failed'}  ${file}: ${what}${failure ? `: ${failure}` : ''}`,
				);
				totals[failure === undefined ? 'passed' : 'failed'] += 1;
				if (failure !== undefined) {
					failures.push({ title: `${file}: ${what}`, error: failure, files: [] });
				}
			}
		}),
	);
	return { ...totals, failures };
}

/** Makes the change, and returns the problem with it or with the proofs, if any. */
async function failureOf(
	{ file, from, to, likely, changesNothing }: Mutation,
	copy: string,
	files: readonly string[],
): Promise<string | undefined> {
	const target = path.join(copy, file);
	const source = fs.readFileSync(target, 'utf8');
	fs.writeFileSync(
		target,
		source.replace(from, () => to),
	);
	try {
		const first = files.filter(name => likely.includes(name.replace(/\.test\.ts$/, '')));
		const others = files.filter(name => !first.includes(name));
		const isUnnoticed = (await holds(copy, first)) && (await holds(copy, others));
		if (isUnnoticed === (changesNothing !== undefined)) {
			return undefined;
		}
		return isUnnoticed ? 'no proof noticed it' : 'a proof noticed it, though it is said to change nothing';
	} finally {
		fs.writeFileSync(target, source);
	}
}

/** Resolves with whether all tests in these files pass. */
async function holds(copy: string, files: readonly string[]): Promise<boolean> {
	const mark = newMark();
	const child = spawn(
		process.execPath,
		[
			'--disable-warning=ExperimentalWarning',
			path.join(copy, 'node_modules', 'mocha', 'bin', 'mocha.js'),
			...['--extension', 'ts', '--timeout', String(PROOF_LIMIT_MS), '--bail', '--exit', '--reporter', 'min'],
			...files.map(file => path.join('test/conformance', file)),
		],
		{
			cwd: copy,
			stdio: 'ignore',
			env: { ...process.env, ...mark.environment },
		},
	);
	const hung = setTimeout(() => void endFamily(child.pid, mark.value), RUN_LIMIT_MS);
	const code = await exitCodeOf(child);
	clearTimeout(hung);
	await endFamily(undefined, mark.value);
	return code === 0;
}

function copyProject(copy: string): string {
	fs.mkdirSync(copy, { recursive: true });
	for (const name of COPIED) {
		fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
	}
	fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'junction');
	return copy;
}
