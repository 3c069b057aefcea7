// What the states of the files hold. Git reads objects alone here: nothing in a tree has a say in it.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type GitOptions, runGit } from '../../base/git.ts';
import { GitError } from '../../base/gitError.ts';
import { BYTES, readable, split } from '../../base/gitNames.ts';
import { MAXIMUM_STEP_DIFF, type TaskStep } from '../../contract/taskSteps.ts';
import { STARTS, type State, stepsFolder, stepsLocation, type WorkedTree } from './stepChain.ts';

const MAXIMUM_FILES = 100;
const COMPARE_MS = 30_000;
const COMPARE = ['-r', '-z', '-M', '--no-commit-id', '--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];

type Changes = Pick<TaskStep, 'files' | 'fileCount' | 'linesAdded' | 'linesRemoved'>;
type FileStatus = TaskStep['files'][number]['status'];

const STATUSES: Readonly<Record<string, FileStatus>> = { A: 'added', D: 'deleted', R: 'renamed', T: 'type' };

/** Returns the files and the numbers of lines by which a state differs from the one before. */
export async function changesBetween(
	folder: string,
	{ before, commit }: State,
	{ program, convertsLineEnds }: Pick<WorkedTree, 'program' | 'convertsLineEnds'> = {},
): Promise<Changes> {
	// The state before may have a file as it is stored.
	const counted = convertsLineEnds ? ['--ignore-cr-at-eol'] : [];
	const commandLine = ['diff-tree', ...COMPARE, ...counted, '--raw', '--numstat', before, commit];
	const fields = split(await gitOn(folder, commandLine, { program })).values();
	const changes: Changes = { files: [], fileCount: 0, linesAdded: 0, linesRemoved: 0 };
	for (const field of fields) {
		const [, letter] = /^:\d+ \d+ [\da-f]+ [\da-f]+ ([A-Z])/.exec(field) ?? [];
		if (letter !== undefined) {
			const from = letter === 'R' ? readable(fields.next().value ?? '') : undefined;
			const path = readable(fields.next().value ?? '');
			changes.fileCount++;
			if (changes.files.length < MAXIMUM_FILES) {
				changes.files.push({ path, status: STATUSES[letter] ?? 'modified', ...(from !== undefined && { from }) });
			}
			continue;
		}
		const [, added, removed, name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
		changes.linesAdded += Number(added) || 0;
		changes.linesRemoved += Number(removed) || 0;
		if (name === '') {
			fields.next();
			fields.next();
		}
	}
	return changes;
}

/** Returns the size of the file or link that a state has at a path, and its object; undefined if it has none there. */
export async function fileOfState(
	folder: string,
	commit: string,
	name: string,
): Promise<{ object: string; size: number } | undefined> {
	const commandLine = ['--literal-pathspecs', 'ls-tree', '-z', '--long', '--full-tree', commit, '--', name];
	const [, object, size] =
		/^(?:100644|100755|120000) blob ([\da-f]+) +(\d+)\t/.exec(await gitOn(folder, commandLine)) ?? [];
	return object === undefined ? undefined : { object, size: Number(size) };
}

export async function bytesOfObject(folder: string, object: string): Promise<Buffer> {
	return Buffer.from(await gitOn(folder, ['cat-file', 'blob', object]), 'latin1');
}

/** Returns the changes of a state as a unified diff. A long one ends after a whole line. */
export async function diffOfState(folder: string, commit: string): Promise<{ diff: Buffer; isCut: boolean }> {
	const commandLine = [
		'diff-tree',
		...COMPARE.filter(option => option !== '-z'),
		'-p',
		'--no-color',
		`${commit}^`,
		commit,
	];
	const text = await gitOn(folder, commandLine, { cutAt: MAXIMUM_STEP_DIFF + 1 });
	const isCut = text.length > MAXIMUM_STEP_DIFF;
	const end = isCut ? text.lastIndexOf('\n', MAXIMUM_STEP_DIFF - 1) + 1 : text.length;
	return { diff: Buffer.from(text.slice(0, end), 'latin1'), isCut };
}

/** Writes a bundle with a state and what leads to it from where its run has started. Returns the new file. */
export async function bundleState(folder: string, commit: string, reference: string): Promise<string> {
	const file = path.join(stepsFolder(folder), `${randomUUID()}.bundle`);
	await gitOn(folder, ['update-ref', reference, commit]);
	await gitOn(folder, ['bundle', 'create', '--quiet', file, reference, '--not', `--glob=${STARTS}/*`]);
	return file;
}

function gitOn(
	folder: string,
	commandLine: readonly string[],
	{ program, ...options }: Pick<GitOptions, 'cutAt' | 'input'> & { program?: string | undefined } = {},
): Promise<string> {
	const signal = AbortSignal.timeout(COMPARE_MS);
	return runGit(stepsLocation(folder, program), commandLine, { ...BYTES, signal, ...options });
}

/** Returns whether a run has started from a commit, or has made it: a run makes one commit, on top of its start. */
export async function hasStartedAt(folder: string, commit: string): Promise<boolean> {
	try {
		const starts = (await gitOn(folder, ['for-each-ref', '--format=%(objectname)', `${STARTS}/`])).split('\n');
		const recent = await gitOn(folder, ['rev-list', '--first-parent', '--max-count=2', commit]);
		return recent.split('\n').some(name => name !== '' && starts.includes(name));
	} catch (error) {
		if (error instanceof GitError) {
			return false;
		}
		throw error;
	}
}

/** Steps that lead from one state to the last, each from the state that the step before it has left. */
export interface Lineage {
	steps: TaskStep[];
	/** The commit with the files before the first of them. */
	start: string;
}

/**
 * Returns the steps, of all that an execution has, that lead to the last one. A run that began with the files of a step
 * goes on from that one, so those between are left out. Returns undefined if there are none.
 */
export async function lineageOf(folder: string, steps: readonly TaskStep[]): Promise<Lineage | undefined> {
	const names = steps.map(({ tree }) => tree);
	const states = await readCommits(folder, names);
	const own = new Set(names);
	const starts = [...states.values()].flatMap(({ parent }) => (own.has(parent) ? [] : [parent]));
	const before = await readCommits(folder, starts);
	const lineage: Lineage = { steps: [], start: '' };
	for (let at = steps.length - 1; at >= 0; ) {
		const step = steps[at];
		const { parent } = states.get(names[at] ?? '') ?? {};
		if (step === undefined || parent === undefined) {
			return undefined;
		}
		lineage.steps.push(step);
		lineage.start = parent;
		const files = before.get(parent)?.files;
		at = names.findLastIndex((name, index) => index < at && (name === parent || states.get(name)?.files === files));
	}
	lineage.steps.reverse();
	return lineage.steps.length === 0 ? undefined : lineage;
}

interface StateCommit {
	/** The object of its files. */
	files: string;
	parent: string;
}

async function readCommits(folder: string, names: readonly string[]): Promise<Map<string, StateCommit>> {
	if (names.length === 0) {
		return new Map();
	}
	const input = names.map(name => `${name}\n`).join('');
	const lines = await gitOn(folder, ['log', '--no-walk=unsorted', '--format=%H %T %P', '--stdin'], { input });
	const fields = lines
		.trim()
		.split('\n')
		.map(line => line.split(' '));
	return new Map(fields.map(([name = '', files = '', parent = '']) => [name, { files, parent }]));
}
