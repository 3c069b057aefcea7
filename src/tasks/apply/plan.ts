import { GitError } from '../../base/gitError.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { findFiltered } from '../../platform/gitFilters.ts';
import type { FileVersion } from '../model/changedFile.ts';
import { type Change, ChangedMeanwhile, type ChangeRefusal } from './change.ts';
import type { Contents } from './contents.ts';
import { type FileWork, findWork, refusal, type Settled } from './fileWork.ts';
import type { ConflictRule, Merger } from './merge.ts';
import { MAXIMUM_APPLIED, type WorkingTree } from './tree.ts';

export interface Planned<T extends Change> extends Settled {
	change: T;
	/** How much the record for undo grows by it, in bytes, at most. */
	size: number;
}

export interface PlanOptions {
	place: GitPlace;
	tree: WorkingTree;
	contents: Contents;
	merger: Merger;
	conflictRule: ConflictRule;
	/** Whether git's rules about ignored and filtered files count. They do not for what comes from the tree itself. */
	heedsRules: boolean;
	/** Whether the edits are wanted, not only what would happen. */
	withEdits: boolean;
}

/** How many files are planned together, and how much content is read for them at most, in bytes. */
const CHUNK = 200;
const CHUNK_BYTES = 32 * 1024 * 1024;

/** How many files are read or merged at the same time. */
const AT_A_TIME = 4;

/**
 * Finds out what would happen to each file, in their order. Contents are only in memory until the next files are asked
 * for. Throws when git or the file system fails.
 */
export async function* plan<T extends Change>(changes: readonly T[], options: PlanOptions): AsyncGenerator<Planned<T>> {
	const refusals = await findRefusals(changes, options);
	const removed = new Set(
		changes.flatMap(({ before, after }) => (before && before.path !== after?.path ? [before.path] : [])),
	);
	const objects = changes.filter(change => !refusals.has(change)).flatMap(versionsOf);
	const sizes = await options.contents.sizes([...new Set(objects.map(({ object }) => object))]);
	const sizeOf = (object: string) => sizes.get(object) ?? 0;
	for (const chunk of chunksOf(changes, sizeOf)) {
		const works = await inTurns(chunk, async change => {
			const reason = refusals.get(change) ?? sizeRefusal(change, sizes);
			return reason === undefined ? findWork(change, { ...options, sizeOf }, removed) : refusal(reason);
		});
		const contents = await options.contents.read([...new Set(works.flatMap(({ needs }) => needs))]);
		const content = (object: string) => {
			const found = contents.get(object);
			if (!found) {
				throw new ChangedMeanwhile();
			}
			return found;
		};
		const pairs = chunk.map((change, index) => ({ change, work: works[index] as FileWork }));
		yield* await inTurns(pairs, async ({ change, work }) => ({
			change,
			...(await work.settle(content).catch(changedMeanwhile)),
			size: work.presentSize + sizeOf(change.after?.object ?? ''),
		}));
	}
}

function changedMeanwhile(error: unknown): Settled {
	if (error instanceof ChangedMeanwhile) {
		return { outcome: { kind: 'cannot', reason: 'changedMeanwhile' }, edit: undefined };
	}
	throw error;
}

const versionsOf = ({ before, after }: Change): FileVersion[] =>
	[before, after].filter(version => version !== undefined);

function sizeRefusal(change: Change, sizes: ReadonlyMap<string, number>): ChangeRefusal | undefined {
	const all = versionsOf(change).map(({ object }) => sizes.get(object));
	if (all.includes(undefined)) {
		return 'missing';
	}
	return all.some(size => (size ?? 0) > MAXIMUM_APPLIED) ? 'tooLarge' : undefined;
}

/** Finds the files that are not touched, whatever the user has there. Git is asked once about all of them. */
async function findRefusals<T extends Change>(
	changes: readonly T[],
	{ tree, place, heedsRules }: PlanOptions,
): Promise<Map<T, ChangeRefusal>> {
	const refusals = new Map<T, ChangeRefusal>();
	const doubles = tree.options.ignoresCase ? findDoubles(changes) : new Set<string>();
	await inTurns(changes, async change => {
		const reason = changeRefusal(change) ?? (await placeRefusal(change, tree, doubles));
		if (reason !== undefined) {
			refusals.set(change, reason);
		}
	});
	const open = heedsRules ? changes.filter(change => !refusals.has(change)) : [];
	const names = [...new Set(open.flatMap(versionsOf).map(({ path }) => byteString(path)))];
	const ignored = await findIgnored(place, names);
	const filtered = await findFiltered(place.gitPath, place.directory, names);
	for (const change of open) {
		const paths = versionsOf(change).map(({ path }) => byteString(path));
		if (paths.some(name => ignored.has(name))) {
			refusals.set(change, 'ignored');
		} else if (paths.some(name => filtered.has(name))) {
			refusals.set(change, 'filtered');
		}
	}
	return refusals;
}

function changeRefusal(change: Change): ChangeRefusal | undefined {
	const kinds = versionsOf(change).map(({ kind }) => kind);
	if (change.hasUnreadableName) {
		return 'unreadableName';
	}
	if (kinds.includes('submodule')) {
		return 'submodule';
	}
	return kinds.includes('link') ? 'link' : undefined;
}

async function placeRefusal(
	change: Change,
	tree: WorkingTree,
	doubles: ReadonlySet<string>,
): Promise<ChangeRefusal | undefined> {
	for (const { path } of versionsOf(change)) {
		const reason = doubles.has(path.toLowerCase()) ? 'case' : await tree.refusal(path);
		if (reason !== undefined) {
			return reason;
		}
	}
	return undefined;
}

/** Finds the names, in lower case, that several paths share. */
function findDoubles(changes: readonly Change[]): Set<string> {
	const known = new Map<string, string>();
	const doubles = new Set<string>();
	for (const { path } of changes.flatMap(versionsOf)) {
		const name = path.toLowerCase();
		if ((known.get(name) ?? path) !== path) {
			doubles.add(name);
		}
		known.set(name, path);
	}
	return doubles;
}

/** Returns those of the paths that git ignores and does not have in its index. Paths are byte strings. */
async function findIgnored({ gitPath, directory }: GitPlace, names: readonly string[]): Promise<Set<string>> {
	if (names.length === 0) {
		return new Set();
	}
	const ask = (...how: string[]) =>
		runGit(gitPath, directory, ['check-ignore', '-z', '--stdin', ...how], {
			// Behind a dot, no name begins with the signs of a pattern.
			input: names.map(name => `./${name}\0`).join(''),
			encoding: 'latin1',
		}).catch((error: unknown) => {
			if (error instanceof GitError && error.exitCode === 1) {
				return '';
			}
			throw error;
		});
	// A path in a submodule makes git give up, unless it leaves the index out of account.
	const output = await ask().catch(() => ask('--no-index'));
	return new Set(output.split('\0').map(name => name.slice(2)));
}

const byteString = (path: string) => Buffer.from(path).toString('latin1');

/** Divides the changes into groups whose contents fit into memory. */
function chunksOf<T extends Change>(changes: readonly T[], sizeOf: (object: string) => number): T[][] {
	const chunks: T[][] = [];
	let bytes = 0;
	for (const change of changes) {
		const own = versionsOf(change).reduce((sum, { object }) => sum + sizeOf(object), 0);
		const last = chunks.at(-1);
		if (last && last.length < CHUNK && bytes + own <= CHUNK_BYTES) {
			last.push(change);
			bytes += own;
		} else {
			chunks.push([change]);
			bytes = own;
		}
	}
	return chunks;
}

/** Runs an action for each item, a few at a time, and returns what it resolves with, in order. */
async function inTurns<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
	const results: R[] = [];
	for (let start = 0; start < items.length; start += AT_A_TIME) {
		for (const result of await Promise.all(items.slice(start, start + AT_A_TIME).map(run))) {
			results.push(result);
		}
	}
	return results;
}
