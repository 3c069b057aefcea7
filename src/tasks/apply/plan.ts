import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inParallel } from '../../base/async.ts';
import { GitError } from '../../base/gitError.ts';
import { newTemporaryFolder } from '../../base/temporaryFolder.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { findFiltered } from '../../platform/gitFilters.ts';
import type { FileVersion } from '../model/changedFile.ts';
import { type Change, type ChangeRefusal, ConcurrentChangeError } from './change.ts';
import { byteString, type Contents, type PlacedVersion, versionKey } from './contents.ts';
import { type FileWork, findWork, type Known, refusal, type Settled } from './fileWork.ts';
import { ATTRIBUTES, findMakingRoom, foldersOf, hasAttributes, inOrder } from './inOrder.ts';
import type { ConflictRule, Merger } from './merge.ts';
import { type GonePaths, MAXIMUM_APPLIED, type WorkingTree } from './tree.ts';

export interface Planned<T extends Change> extends Settled {
	change: T;
	/** The number of bytes by which the change enlarges the record for undo, at most. */
	size: number;
}

export interface PlanOptions {
	place: GitPlace;
	tree: WorkingTree;
	contents: Contents;
	merger: Merger;
	conflictRule: ConflictRule;
	/** True if git's ignore rules apply. They do not for content from the tree itself. */
	heedsRules: boolean;
	/** True if edits are wanted, not only outcomes. */
	withEdits: boolean;
}

/** The number of files that are planned together, and the maximum size of the contents read for them, in bytes. */
const CHUNK = 200;
const CHUNK_BYTES = 32 * 1024 * 1024;

/** The number of files that are read or merged at the same time. */
const AT_A_TIME = 4;

/**
 * Finds the outcome for each file, in the order of the changes, which is that of `inOrder` if edits are wanted.
 * Contents stay in memory only until the next files are asked for. Throws when git or the file system fails.
 */
export async function* plan<T extends Change>(changes: readonly T[], options: PlanOptions): AsyncGenerator<Planned<T>> {
	const planner = await Planner.of(changes, options);
	try {
		for (const chunk of planner.chunks(changes)) {
			yield* await planner.settle(chunk, options.withEdits);
		}
	} finally {
		await planner.close();
	}
}

class Planner<T extends Change> {
	private readonly options: PlanOptions;
	private readonly refusals: ReadonlyMap<T, ChangeRefusal>;
	private readonly sizes: ReadonlyMap<string, number>;
	/** The index of each change in the order in which they are applied. */
	private readonly order: ReadonlyMap<T, number>;
	/** The paths that become free, each with the index of the change that frees it. */
	private readonly leaving = new Map<string, number>();
	/** The folder with the future attributes; undefined if they do not change. */
	private attributes: string | undefined;

	private constructor(
		changes: readonly T[],
		options: PlanOptions,
		refusals: ReadonlyMap<T, ChangeRefusal>,
		sizes: ReadonlyMap<string, number>,
	) {
		this.options = options;
		this.refusals = refusals;
		this.sizes = sizes;
		this.order = new Map(inOrder(changes).map((change, index) => [change, index]));
		for (const change of changes) {
			const { before, after } = change;
			if (before && before.path !== after?.path) {
				this.leaving.set(before.path, this.order.get(change) ?? 0);
			}
		}
	}

	static async of<T extends Change>(changes: readonly T[], options: PlanOptions): Promise<Planner<T>> {
		const refusals = await findRefusals(changes, options);
		const objects = changes.filter(change => !refusals.has(change)).flatMap(versionsOf);
		const sizes = await options.contents.sizes([...new Set(objects.map(({ object }) => object))]);
		const planner = new Planner(changes, options, refusals, sizes);
		await planner.findStaying(changes);
		if (options.contents.isStored) {
			await planner.findAttributes(changes);
		}
		return planner;
	}

	/** Finds the files that stay although they are in the way of others, so that those cannot be written. */
	private async findStaying(changes: readonly T[]): Promise<void> {
		let inTheWay = [...new Set(changes.flatMap(findMakingRoom(changes)))];
		let count: number;
		do {
			const going: T[] = [];
			for (const chunk of this.chunks(inTheWay)) {
				for (const { change, outcome } of await this.settle(chunk, false)) {
					if (outcome.kind === 'cannot') {
						this.leaving.delete(change.before?.path ?? '');
					} else {
						going.push(change);
					}
				}
			}
			count = inTheWay.length - going.length;
			// A file that stays may be in the way of another one that was to go.
			inTheWay = going;
		} while (count > 0);
	}

	/** Makes the folder with the attributes that all paths of the changes will have after them. */
	private async findAttributes(changes: readonly T[]): Promise<void> {
		const about = changes.filter(hasAttributes);
		const planned = about.length === 0 ? [] : await this.settle(about, true);
		const edits = planned.flatMap(({ edit }) => edit ?? []);
		if (edits.length === 0) {
			return;
		}
		const paths = changes.flatMap(({ after }) => after?.path ?? []);
		const names = new Set(
			paths.flatMap(name => [ATTRIBUTES, ...foldersOf(name).map(folder => `${folder}/${ATTRIBUTES}`)]),
		);
		const removed = new Set(edits.flatMap(({ before }) => before?.path ?? []));
		const written = new Map(edits.flatMap(({ after }) => (after ? [[after.path, after.content]] : [])));
		const folder = await newTemporaryFolder('attributes');
		try {
			for (const name of names) {
				const content = written.get(name) ?? (removed.has(name) ? undefined : await this.options.tree.content(name));
				if (content) {
					await mkdir(path.join(folder, path.posix.dirname(name)), { recursive: true });
					await writeFile(path.join(folder, name), content);
				}
			}
		} catch (error) {
			await rm(folder, { recursive: true, force: true });
			throw error;
		}
		this.attributes = folder;
	}

	/** Divides the changes into groups whose contents fit into memory. */
	chunks(changes: readonly T[]): T[][] {
		const chunks: T[][] = [];
		let bytes = 0;
		for (const change of changes) {
			const own = versionsOf(change).reduce((sum, { object }) => sum + this.sizeOf(object), 0);
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

	async settle(chunk: readonly T[], withEdits: boolean): Promise<Planned<T>[]> {
		const options = { ...this.options, withEdits, sizeOf: (object: string) => this.sizeOf(object) };
		const works = await inParallel(chunk, AT_A_TIME, undefined, async change => {
			const reason = this.refusals.get(change) ?? sizeRefusal(change, this.sizes);
			return reason === undefined ? findWork(change, options, this.goneBefore(change)) : refusal(reason);
		});
		const known = await this.ask(works);
		const pairs = chunk.map((change, index) => ({ change, work: works[index] as FileWork }));
		return inParallel(pairs, AT_A_TIME, undefined, async ({ change, work }) => ({
			change,
			...(await work.settle(known).catch(changedMeanwhile)),
			size: work.presentSize + this.sizeOf(change.after?.object ?? ''),
		}));
	}

	async close(): Promise<void> {
		await (this.attributes && rm(this.attributes, { recursive: true, force: true }));
	}

	private async ask(works: readonly FileWork[]): Promise<Known> {
		const { contents } = this.options;
		const read = async (versions: readonly PlacedVersion[], attributes?: string) =>
			contents.read([...new Map(versions.map(version => [versionKey(version), version])).values()], attributes);
		const [needs, wanted] = [works.flatMap(work => work.needs), works.flatMap(work => work.wanted)];
		const now = await read(this.attributes === undefined ? [...needs, ...wanted] : needs);
		const future = this.attributes === undefined ? now : await read(wanted, this.attributes);
		const own = await inParallel(
			works.flatMap(({ asked }) => asked),
			AT_A_TIME,
			undefined,
			async ({ path, isDirty, load }) =>
				// If a file has changed meanwhile, a later check finds that out.
				({ path, unsaved: isDirty ? await load().catch(() => Buffer.of()) : undefined }),
		);
		const stored = await contents.objectsOf(own);
		const contentIn = (found: ReadonlyMap<string, Buffer>) => (version: PlacedVersion) => {
			const content = found.get(versionKey(version));
			if (!content) {
				throw new ConcurrentChangeError();
			}
			return content;
		};
		return { content: contentIn(now), wanted: contentIn(future), stored: path => stored.get(path) };
	}

	private goneBefore(change: T): GonePaths {
		const own = this.order.get(change) ?? 0;
		return { has: path => (this.leaving.get(path) ?? Number.POSITIVE_INFINITY) <= own };
	}

	private sizeOf(object: string): number {
		return this.sizes.get(object) ?? 0;
	}
}

function changedMeanwhile(error: unknown): Settled {
	if (error instanceof ConcurrentChangeError) {
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

/** Finds the files that must not be touched, whatever the user has there. Asks git once about all of them. */
async function findRefusals<T extends Change>(
	changes: readonly T[],
	{ tree, place, heedsRules, contents }: PlanOptions,
): Promise<Map<T, ChangeRefusal>> {
	const refusals = new Map<T, ChangeRefusal>();
	const doubles = tree.options.ignoresCase ? findDoubles(changes) : new Set<string>();
	await inParallel(changes, AT_A_TIME, undefined, async change => {
		const reason = changeRefusal(change) ?? (await placeRefusal(change, tree, doubles));
		if (reason !== undefined) {
			refusals.set(change, reason);
		}
	});
	const open = changes.filter(change => !refusals.has(change));
	const names = [...new Set(open.flatMap(versionsOf).map(({ path }) => byteString(path)))];
	const ignored = await findIgnored(place, heedsRules ? names : []);
	// Bytes that come from the tree itself need no filter to be written again.
	const isFiltered = heedsRules || contents.isStored;
	const filtered = await findFiltered(place.gitPath, place.directory, isFiltered ? names : []);
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
	const paths = new Set(changes.flatMap(versionsOf).map(({ path }) => path));
	const names = Map.groupBy(paths, path => path.toLowerCase());
	return new Set([...names].flatMap(([name, alike]) => (alike.length > 1 ? [name] : [])));
}

/** Returns the paths that git ignores and does not have in its index. Paths are byte strings. */
async function findIgnored({ gitPath, directory }: GitPlace, names: readonly string[]): Promise<Set<string>> {
	if (names.length === 0) {
		return new Set();
	}
	const ask = (...how: string[]) =>
		runGit(gitPath, directory, ['check-ignore', '-z', '--stdin', ...how], {
			// With `./` in front, no name begins with the signs of a pattern.
			input: names.map(name => `./${name}\0`).join(''),
			encoding: 'latin1',
		}).catch((error: unknown) => {
			if (error instanceof GitError && error.exitCode === 1) {
				return '';
			}
			throw error;
		});
	// A path in a submodule makes git give up, unless it disregards the index.
	const output = await ask().catch(() => ask('--no-index'));
	return new Set(output.split('\0').map(name => name.slice(2)));
}
