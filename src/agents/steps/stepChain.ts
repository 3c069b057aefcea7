// The states of a task's files while its agent works: a chain of commits in a repository of their own beside the one of
// the checkout, which no agent can reach. Git only names what has changed, from an index whose files never change. It
// gets no content from the tree: an agent could put a link to a file of the user in the place of one that is just being
// read.
import { existsSync, statSync, utimesSync } from 'node:fs';
import { copyFile, lstat, mkdir, realpath, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { append } from '../../base/append.ts';
import { inParallel } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import {
	ERRAND_IDENTITY,
	type GitLocation,
	type GitOptions,
	removeLocks,
	runGit,
	writeAttributes,
} from '../../base/git.ts';
import { BYTES, placeOf, readable, split } from '../../base/gitNames.ts';
import { MAXIMUM_STEP_FILE, type TaskStep } from '../../contract/taskSteps.ts';
import { countNewFiles } from './newFiles.ts';
import { readEntry, stampOf } from './readEntry.ts';
import { ObjectWriter, type StateEntry, StateTree } from './stateTree.ts';

/** A repository with the objects of what an agent's tree was made from, and how names in the tree are read. */
export interface StateSource {
	gitFolder: string;
	/** The folder with the index of what the tree began with and, in `info`, the list of what git ignores. */
	lists: string;
	/** The options of `git init` for the object format. */
	format: readonly string[];
	/** Returns whether a commit can contain a name. */
	isOurs(name: string): boolean;
	/** Returns whether a link of the branch was left out of the tree. */
	isAbsent(name: string): boolean;
	/** True if git does not distinguish upper and lower case. */
	ignoresCase: boolean;
}

export interface WorkedTree {
	readonly tree: string;
	/** The path of git, if it need not be on PATH. */
	readonly program?: string | undefined;
	/** True if git may have written the files with other line ends than they are stored with. */
	readonly convertsLineEnds?: true;
	/** Resolves with the commit whose files the tree began with. */
	start(): Promise<string>;
	stateSource(): Promise<StateSource>;
}

/** The limits of one look and of all states together. */
const LOOK_MS = 10_000;
const MAXIMUM_NEW_FILES = 10_000;
const MAXIMUM_STEP_BYTES = 256 * 1024 * 1024;
const MAXIMUM_CHAIN_BYTES = 2 * 1024 * 1024 * 1024;
const MAXIMUM_NAMES = 20;
const READERS = 8;
const SECOND_NS = 1_000_000_000n;
/** Two changes of a file within this time can have the same time in many file systems. */
const TICK_NS = 20_000_000n;

/** The references of the commits that the runs of a task have started from. */
export const STARTS = 'refs/errand/starts';
/** A file whose times tell the moment by the clock of the tree's file system. */
const CLOCK = 'clock';

export type NotKept = NonNullable<TaskStep['notKept']>;
type Reason = NotKept[number]['reason'];

export interface Look {
	/** True if something was written after the moment for which the state is meant. */
	isLater: boolean;
	notKept: NotKept;
}

/** A state that has been written. */
export interface State {
	commit: string;
	/** The commit of the state before. */
	before: string;
}

/** The folder of the states within the one of an execution. */
export const stepsFolder = (folder: string) => path.join(folder, 'steps');

/** Returns where git reads the states of an execution. Nothing there has a work tree whose attributes would be read. */
export function stepsLocation(folder: string, program?: string): GitLocation & { gitFolder: string } {
	const gitFolder = stepsFolder(folder);
	const location = { gitFolder, home: gitFolder, cwd: folder, configuration: path.join(folder, 'gitconfig') };
	return { ...location, ...defined({ program }) };
}

interface SeenFile {
	stamp: string;
	/** What the index has there. */
	base: StateEntry | undefined;
}

interface ChainParts extends Omit<StateSource, 'gitFolder' | 'lists' | 'format'> {
	/** The agent's tree, without links in its path. */
	tree: string;
	location: GitLocation & { gitFolder: string };
	reference: string;
	objects: ObjectWriter;
	state: StateTree;
	/** The commit and the tree that the next state comes after. */
	last: { commit: string; tree: string };
	/** The second in which the files of the index were written at the latest. */
	written: bigint;
}

export interface ChainName {
	prefix: string;
	name: string;
}

export class StepChain {
	private readonly parts: ChainParts;
	private last: ChainParts['last'];
	/** The names that differ from the index, as they were when they were last read. */
	private readonly seen = new Map<string, SeenFile>();
	/** What was said to be missing already. It need not be said of each step. */
	private readonly said = new Set<string>();
	private bytes = 0;
	/** False as long as git must read files of the index whenever it looks for what has changed. */
	private hasOldFiles = false;

	private constructor(parts: ChainParts) {
		this.parts = parts;
		this.last = parts.last;
	}

	/**
	 * Begins the chain of one run, before its agent works. What an earlier run has left in the tree is part of the state
	 * that the first step comes after. `name` is the name of the run among those of the task, and `prefix` that of the
	 * task's references.
	 */
	static async begin(checkout: WorkedTree, folder: string, { prefix, name }: ChainName): Promise<StepChain> {
		const { gitFolder: _, lists: __, format: ___, ...rules } = await checkout.stateSource();
		const location = stepsLocation(folder, checkout.program);
		const own = location.gitFolder;
		const git = gitAt(location);
		const commit = await makeStates(checkout, folder, name);
		const { mtimeNs } = await stat(path.join(own, 'index'), { bigint: true });
		await writeFile(path.join(own, CLOCK), '');
		const tree = await realpath(checkout.tree);
		const object = (await git(['rev-parse', `${commit}^{tree}`])).trim();
		const chain = new StepChain({
			...{ tree, location, ...rules, reference: `${prefix}/${name}` },
			objects: new ObjectWriter(path.join(own, 'objects'), object.length === 64 ? 'sha256' : 'sha1'),
			state: new StateTree(object, split(await git(['ls-tree', '-r', '-t', '-z', object], BYTES))),
			last: { commit, tree: object },
			written: mtimeNs / SECOND_NS,
		});
		// The sandbox may have changed the owners of the files, so that each looks changed.
		await chain.renewIndex();
		await chain.look(chain.mark());
		const left = await chain.keep('What an earlier run has left');
		await (left && chain.complete(left));
		return chain;
	}

	/** Returns the present moment by the clock of the file system that the tree is on. */
	mark(): bigint {
		const clock = path.join(this.parts.location.gitFolder, CLOCK);
		const now = new Date();
		utimesSync(clock, now, now);
		return statSync(clock, { bigint: true }).ctimeNs;
	}

	/** Reads what has changed in the tree into the state. `moment` is when the state was meant to be read. */
	async look(moment: bigint): Promise<Look> {
		const { state, tree } = this.parts;
		const signal = AbortSignal.timeout(LOOK_MS);
		const { removed, present, notKept } = await this.changes(signal);
		const found = new Set([...removed, ...present]);
		// What was changed and is listed no more is as in the index again, or git ignores it by now.
		const restored = [...this.seen].filter(([name]) => !found.has(name));
		const gone = [...removed, ...restored.filter(([, { base }]) => base === undefined).map(([name]) => name)];
		const parents = new Set(gone.filter(name => state.get(name) !== undefined).map(name => path.posix.dirname(name)));
		for (const name of removed) {
			this.note(name, '');
		}
		// Removals come first, because a new entry may take the place of a removed one.
		for (const name of gone) {
			state.set(name, undefined);
		}
		for (const [name, { base }] of restored) {
			this.seen.delete(name);
			if (base !== undefined) {
				state.set(name, base);
			}
		}
		const sizes = { left: Math.min(MAXIMUM_STEP_BYTES, MAXIMUM_CHAIN_BYTES - this.bytes) };
		const settled = this.mark() - TICK_NS;
		const files = await inParallel(present, READERS, signal, name => this.read(name, { moment, settled, sizes }));
		let isLater = files.some(file => file.isLater);
		for (const [at, name] of present.entries()) {
			const { entry, missing } = files[at] ?? {};
			if (missing !== undefined) {
				add(notKept, missing, name);
			} else if (entry !== undefined) {
				state.set(name, entry);
			}
		}
		for (const folder of parents) {
			const status = await lstat(placeOf(tree, folder), { bigint: true }).catch(() => undefined);
			isLater ||= status !== undefined && status.ctimeNs > moment;
		}
		return { isLater, notKept: this.unsaid(notKept) };
	}

	/** Writes the state if it is another one than the last. What it has written is complete once `complete` resolves. */
	async keep(title: string): Promise<State | undefined> {
		const { objects, state } = this.parts;
		const tree = await state.write(objects);
		if (tree === this.last.tree) {
			return undefined;
		}
		const { name, address } = ERRAND_IDENTITY;
		const who = `${name} <${address}> ${Math.floor(Date.now() / 1000)} +0000`;
		const before = this.last.commit;
		const text = `tree ${tree}\nparent ${before}\nauthor ${who}\ncommitter ${who}\n\n${title}\n`;
		const commit = await objects.write('commit', Buffer.from(text));
		this.last = { commit, tree };
		return { commit, before };
	}

	/** Makes the reference of the chain name a state. */
	async complete({ commit }: State): Promise<void> {
		const { location, reference } = this.parts;
		await gitAt(location)(['update-ref', reference, commit]);
	}

	/** Returns the part of the given names, in characters, that are in the tree and not in the state, as git ignores them. */
	async ignoredOf(names: readonly string[]): Promise<string[]> {
		const { tree, state, isOurs } = this.parts;
		const ignored: string[] = [];
		for (const name of names.map(text => Buffer.from(text).toString('latin1'))) {
			const status = state.get(name) === undefined && isOurs(name) ? lstat(placeOf(tree, name)) : undefined;
			if ((await status?.catch(() => undefined))?.isFile()) {
				ignored.push(name);
			}
		}
		return ignored.map(readable);
	}

	private async read(name: string, { moment, settled, sizes }: Reading): Promise<ReadFile> {
		const { tree, objects } = this.parts;
		const status = await lstat(placeOf(tree, name), { bigint: true }).catch(() => undefined);
		if (status === undefined) {
			return { isLater: true };
		}
		const stamp = stampOf(status);
		if (this.seen.get(name)?.stamp === stamp) {
			return { isLater: false };
		}
		const isLater = status.ctimeNs > moment;
		const size = Number(status.size);
		if (size > Math.min(MAXIMUM_STEP_FILE, sizes.left)) {
			this.note(name, stamp);
			return { isLater, missing: 'too-large' };
		}
		sizes.left -= size;
		this.bytes += size;
		const found = readEntry(tree, name, MAXIMUM_STEP_FILE);
		// A file that could not be read, or may have changed unseen since, is read again next time.
		this.note(name, found === undefined || status.ctimeNs > settled ? '' : stamp);
		return found === undefined
			? { isLater, missing: 'special' }
			: { isLater, entry: { mode: found.mode, object: await objects.write('blob', found.content) } };
	}

	/** Remembers how a name was when it was last read. */
	private note(name: string, stamp: string): void {
		const base = this.seen.has(name) ? this.seen.get(name)?.base : this.parts.state.get(name);
		this.seen.set(name, { stamp, base });
	}

	/**
	 * Writes the index anew, with the same files. Each time that git looks, it reads the files that were written in the
	 * second of the index, whose times do not tell whether they have changed again. An index of a later second has none.
	 */
	private async renewIndex(): Promise<void> {
		const { location, tree, written } = this.parts;
		this.hasOldFiles = this.mark() / SECOND_NS > written;
		// It fails, after having written the index, if files differ from it.
		await gitAt({ ...location, workTree: tree })(['update-index', '-q', '--refresh', '--force-write-index']).catch(
			() => {},
		);
	}

	/** Lists the names that differ from the index, without taking content from the tree. */
	private async changes(signal: AbortSignal): Promise<{ removed: string[]; present: string[]; notKept: NotKept }> {
		const { location, tree, isOurs, isAbsent, ignoresCase } = this.parts;
		const git = gitAt({ ...location, workTree: tree }, signal);
		if (!this.hasOldFiles && this.mark() / SECOND_NS > this.parts.written) {
			await this.renewIndex();
		}
		const compare = ['diff-files', '--name-status', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all'];
		const others = ['-c', `core.ignoreCase=${ignoresCase}`, 'ls-files', '-z', '--others', '--exclude-standard'];
		const [fields = [], untracked = []] = (await Promise.all([git(compare, BYTES), git(others, BYTES)])).map(split);
		const notKept: NotKept = [];
		const removed: string[] = [];
		const present: string[] = [];
		for (let at = 0; at + 1 < fields.length; at += 2) {
			const name = fields[at + 1] ?? '';
			if (isOurs(name) && !(fields[at] === 'D' && isAbsent(name))) {
				(fields[at] === 'D' ? removed : present).push(name);
			}
		}
		for (const name of untracked.filter(other => !isOurs(other))) {
			add(notKept, 'submodule', name);
		}
		let names = untracked.filter(isOurs);
		while (names.length > MAXIMUM_NEW_FILES) {
			const { folder } = countNewFiles(names);
			add(notKept, 'too-large', folder || './');
			names = names.filter(name => !name.startsWith(folder));
		}
		append(present, names);
		return { removed, present, notKept };
	}

	/** Drops what was said of an earlier step, and makes the names readable. */
	private unsaid(notKept: NotKept): NotKept {
		return notKept.flatMap(({ reason, names }) => {
			const fresh = names.filter(name => !this.said.has(`${reason} ${name}`)).slice(0, MAXIMUM_NAMES);
			for (const name of fresh) {
				this.said.add(`${reason} ${name}`);
			}
			return fresh.length === 0 ? [] : [{ reason, names: fresh.map(readable) }];
		});
	}
}

/**
 * Makes the repository of the states, which reads the objects of the checkout. Resolves with the commit that the run
 * starts from.
 */
export async function makeStates(checkout: WorkedTree, folder: string, name: string): Promise<string> {
	const { gitFolder, lists, format } = await checkout.stateSource();
	const location = stepsLocation(folder, checkout.program);
	const own = location.gitFolder;
	const git = gitAt(location);
	const commit = await checkout.start();
	await removeLocks(own);
	await git(['init', '--quiet', '--bare', '--template=', ...format]);
	await writeAttributes(own);
	await mkdir(path.join(own, 'objects', 'info'), { recursive: true });
	await writeFile(path.join(own, 'objects', 'info', 'alternates'), `${path.join(gitFolder, 'objects')}\n`);
	for (const [place, file] of [
		[lists, 'index'],
		[lists, path.join('info', 'exclude')],
		[gitFolder, 'shallow'],
	] as const) {
		const from = path.join(place, file);
		if (existsSync(from)) {
			const to = path.join(own, file);
			const { mtime } = await stat(from);
			await copyFile(from, to);
			// From the time of an index, git tells which files may have changed unseen since they were put into it.
			await utimes(to, mtime, mtime);
		}
	}
	await git(['update-ref', `${STARTS}/${name}`, commit]);
	return commit;
}

interface Reading {
	/** When the state was meant to be read. */
	moment: bigint;
	/** A file that was last changed before this gets another time by any change from now on. */
	settled: bigint;
	/** The bytes that the state may still take. */
	sizes: { left: number };
}

interface ReadFile {
	isLater: boolean;
	/** The new entry, unless nothing has changed since it was last read. */
	entry?: StateEntry;
	missing?: Reason;
}

function add(notKept: NotKept, reason: Reason, name: string): void {
	const of = notKept.find(known => known.reason === reason);
	if (of === undefined) {
		notKept.push({ reason, names: [name] });
	} else {
		of.names.push(name);
	}
}

function gitAt(location: GitLocation, signal = AbortSignal.timeout(LOOK_MS)) {
	return (args: readonly string[], options: Omit<GitOptions, 'signal'> = {}) =>
		runGit(location, args, { ...options, signal });
}
