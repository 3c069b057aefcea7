import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { countNewFiles, type NewFiles } from '../../agents/steps/newFiles.ts';
import type { StateSource } from '../../agents/steps/stepChain.ts';
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { ERRAND_IDENTITY, type GitLocation, removeLocks, runGit, writeAttributes } from '../../base/git.ts';
import { GitError, unlessGitFails } from '../../base/gitError.ts';
import { BYTES, placeOf, readable, split, splitStatus } from '../../base/gitNames.ts';
import { makeAgentRepository } from './agentRepository.ts';
import {
	type CheckoutGit,
	checkRoom,
	entriesOf,
	findTwice,
	linksOutOf,
	removeLink,
	stagedEntry,
	type TreeEntry,
	tooManyFiles,
} from './checkoutFiles.ts';
import { CheckoutSource } from './checkoutSource.ts';
import { commitEnvironment, readIdentity } from './commitIdentity.ts';
import { gitConfigurationIn, type SourceState, sourceFailure, writeGitConfiguration } from './sourceRepository.ts';
import { bytesToRead, isOrLiesIn, removeSpecialFiles, type SpecialFiles } from './specialFiles.ts';
import { Submodules } from './submodules.ts';

export interface DiffStatistics {
	linesAdded: number;
	linesRemoved: number;
	filesChanged: number;
}

export interface CheckoutOptions {
	/** The folder that holds everything that belongs to the checkout, and serves this task only. */
	folder: string;
	source: SourceState;
	sourceFolder: string;
	/** The id of the agent, for the trailer of the commit. */
	agent: string;
	signal: AbortSignal;
	marker?: string;
	/** The state with whose files the work begins, and the folder of its objects. */
	from?: { commit: string; objects: string };
	/** The folder of the objects of states, which are read too. With it, nothing is committed. */
	states?: string;
	/** The commit that the work starts from, if that is not the end of the branch. */
	startsAt?: string;
}

export interface CommitResult {
	/** The commit, or undefined if nothing has changed. */
	commit: string | undefined;
	/** True if git has no usable identity for the source repository, so that the commit names Errand as its author. */
	lacksIdentity: boolean;
	/** Repositories inside the tree, which cannot be part of a commit. */
	leftOut: string[];
	/** Pipes, sockets and devices. Files with these names on the branch stay unchanged there. */
	specialFiles: string[];
	/** Files that only git reads and that were far too large for it. They stay unchanged on the branch too. */
	oversizedLists: string[];
	/** Folders that cannot be read, so that nothing in them can be part of a commit. */
	unreadable: string[];
	/** Changed submodules, which cannot be part of a commit. */
	submodules: string[];
	/** The new files, if there are more of them than the user is likely to want. */
	newFiles: NewFiles | undefined;
}

/** The commit that the work starts from. */
const START = 'refs/errand/start';
/** A commit with the same files and no history, with which the agent's own repository begins. */
const AGENT_START = 'refs/errand/agent';
/** The commit that the statistics count from, if it had to be fetched separately. */
const BASE = 'refs/errand/base';
const GITLINK = '160000';
/** The most bytes that git reads for a commit. A sparse file takes much longer to read than to create. */
const MAXIMUM_COMMIT_BYTES = 10 * 1e9;
/** A commit with more new files than this most likely has some that git should ignore. */
const MANY_NEW_FILES = 10_000;
/** The limit in UTF-16 code units. A larger diff is not stored, because a part of one could not be applied. */
const MAXIMUM_DIFF_LENGTH = 1024 * 1024;

/** The limit in bytes. A file that says how to test a repository is smaller. */
const MAXIMUM_TEXT = 1024 * 1024;
const DIFF = ['diff', '-M', '--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];

/**
 * A task's own copy of one branch: `git/` with the objects, `tree/` with the files that the agent works on. The tree
 * holds no `.git`, and nothing in it configures the git that runs here. Plumbing commands are used where possible: they
 * run no hooks and no filters, and do not look into nested repositories.
 */
export class Checkout {
	readonly tree: string;
	private readonly options: CheckoutOptions;
	private readonly gitFolder: string;
	private readonly location: GitLocation & { gitFolder: string; workTree: string };
	/** The submodules of the branch, which no commit here changes. */
	submodules: Submodules;
	private readonly absentLinks = new Set<string>();
	private startCommit: string | undefined;
	private readonly source: CheckoutSource;
	/** True if changes of an earlier run were removed from the tree because the branch had moved. */
	hasDiscarded = false;

	private constructor(options: CheckoutOptions) {
		this.options = options;
		this.tree = path.join(options.folder, 'tree');
		this.gitFolder = path.join(options.folder, 'git');
		this.location = {
			gitFolder: this.gitFolder,
			home: this.gitFolder,
			workTree: this.tree,
			// This is not the tree, because a program named like git may lie there.
			cwd: options.folder,
			configuration: gitConfigurationIn(options.folder),
			...defined({ marker: options.marker }),
		};
		this.submodules = this.submodulesIn([]);
		this.source = new CheckoutSource(this.location, options.sourceFolder, options.signal);
	}

	/**
	 * The names of links that lead out of the tree and are therefore not in it. The commit keeps them as they were,
	 * unless the agent has created something else in their place.
	 */
	get linksLeftOut(): string[] {
		return [...this.absentLinks].map(readable);
	}

	/**
	 * Clones exactly one branch. If the folder holds an earlier checkout of the task, that is updated to the branch,
	 * unless the branch has not moved: then the tree stays as the earlier run left it. Ignored files, such as installed
	 * dependencies, stay in any case. Throws a UserFacingError if the source has disappeared or changed meanwhile.
	 */
	static async create(options: CheckoutOptions): Promise<Checkout> {
		const checkout = new Checkout(options);
		const { source, sourceFolder, startsAt = `refs/heads/${source.branch}` } = options;
		await mkdir(checkout.tree, { recursive: true, mode: 0o700 });
		await removeLocks(checkout.gitFolder);
		await checkout.git(['init', '--quiet', '--template=', ...checkout.format]);
		await writeAttributes(checkout.gitFolder);
		await checkout.source.fetch(startsAt, START).catch(error => {
			if (error instanceof GitError && /couldn't find remote ref/.test(error.stderr)) {
				throw new UserFacingError(`The branch "${source.branch}" is no longer in ${sourceFolder}. Choose another one.`);
			}
			throw sourceFailure(error, sourceFolder);
		});
		await checkout.list();
		await checkout.replaceSpecialFiles();
		if (options.from !== undefined || !(await checkout.isAtStart())) {
			checkout.hasDiscarded = await checkout.discardChanges();
			await checkout.git(['read-tree', '--reset', '-u', '--no-recurse-submodules', START]);
			await (options.from && checkout.beginWith(options.from));
			for (const name of checkout.absentLinks) {
				await removeLink(placeOf(checkout.tree, name));
			}
		}
		await checkout.submodules.fill();
		return checkout;
	}

	/** Writes the files of a state, as if the agent had just made them from those of the branch. */
	private async beginWith({ commit, objects }: NonNullable<CheckoutOptions['from']>): Promise<void> {
		const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
		const git: CheckoutGit = (args, options = {}) => this.git(args, { ...options, env });
		await git(['read-tree', '--reset', '-u', '--no-recurse-submodules', commit]);
		await this.git(['read-tree', START]);
		for (const name of await linksOutOf(git, await entriesOf(git, commit))) {
			await removeLink(placeOf(this.tree, name));
		}
	}

	/** Returns the checkout that an ended task left in its folder. `branch` is the one that it started from. */
	static async reopen(options: Omit<CheckoutOptions, 'source'>, branch: string): Promise<Checkout> {
		await writeGitConfiguration(options.folder, options.signal);
		const unknown = new Checkout({ ...options, source: { branch, commit: '', objectFormat: 'sha1' } });
		await removeLocks(unknown.gitFolder);
		const commit = await unknown.start();
		const objectFormat = commit.length === 64 ? 'sha256' : 'sha1';
		const checkout = new Checkout({ ...options, source: { branch, commit, objectFormat } });
		await checkout.list();
		return checkout;
	}

	/** Returns the same checkout, whose git is ended by another signal. */
	withSignal(signal: AbortSignal): Checkout {
		const checkout = new Checkout({ ...this.options, signal });
		checkout.submodules = this.submodules.withSignal(signal);
		for (const name of this.absentLinks) {
			checkout.absentLinks.add(name);
		}
		return checkout;
	}

	async changedFiles(base: string, commit: string): Promise<string[]> {
		return split(await this.git([...DIFF, '--name-only', '-z', base, commit, '--'], BYTES)).map(readable);
	}

	/** Returns a text file of a commit, or undefined if it is missing or very large. */
	async textAt(commit: string, name: string): Promise<string | undefined> {
		const read = async (how: string) => this.git(['cat-file', how, `${commit}:${name}`]);
		const size = Number(await read('-s').catch(unlessGitFails(undefined)));
		return size <= MAXIMUM_TEXT ? read('blob').catch(unlessGitFails(undefined)) : undefined;
	}

	/** Returns the commit that the work starts from. Nothing moves it once the branch has been fetched. */
	async start(): Promise<string> {
		this.startCommit ??= (await this.git(['rev-parse', '--verify', START])).trim();
		return this.startCommit;
	}

	/** Creates the agent's repository in the tree (agentRepository.ts). */
	async makeAgentRepository(): Promise<void> {
		const commit = await this.git(['commit-tree', `${START}^{tree}`, '-m', 'The state that the task starts from'], {
			env: commitEnvironment(ERRAND_IDENTITY),
		});
		await this.git(['update-ref', AGENT_START, commit.trim()]);
		await this.makeRepositoryIn(this.tree, path.join(this.gitFolder, 'index'));
	}

	private async makeRepositoryIn(workTree: string, index: string): Promise<void> {
		const { signal, source } = this.options;
		const location = { ...this.location, workTree };
		const [start, rules] = [AGENT_START, await this.source.ignoreRules()];
		await makeAgentRepository({ location, index, start, branch: source.branch, format: this.format, rules, signal });
	}

	/**
	 * Writes the files of a commit into an empty folder, with a repository like an agent's, and without links that lead
	 * out of it, for example to something the agent has left beside them. Files that git ignores there are not included.
	 */
	async exportTo(folder: string, commit: string): Promise<void> {
		const env = { GIT_INDEX_FILE: `${folder}.index` };
		await this.git(['read-tree', commit], { env });
		await this.git(['checkout-index', '--all', '--quiet', `--prefix=${folder}/`], { env });
		const links = await linksOutOf(this.git, await entriesOf(this.git, commit));
		await Promise.all(links.map(name => removeLink(placeOf(folder, name))));
		await this.submodules.exportTo(folder);
		await this.makeRepositoryIn(folder, env.GIT_INDEX_FILE);
		await rm(env.GIT_INDEX_FILE, { force: true });
	}

	async isChanged(): Promise<boolean> {
		await this.replaceSpecialFiles();
		const { removed, present } = await this.changes();
		return removed.length > 0 || present.length > 0;
	}

	/**
	 * Commits everything that the agent changed, in the name of whoever commits in the source repository; a trailer names
	 * the agent. Throws a UserFacingError if that would take far too long.
	 */
	async commit(message: string): Promise<CommitResult> {
		const start = await this.start();
		const special = await this.replaceSpecialFiles();
		const { removed, present, nested, untracked } = await this.changes();
		if ((await bytesToRead(this.tree, present)) > MAXIMUM_COMMIT_BYTES) {
			throw new UserFacingError(
				`The files that the agent has changed or made are larger than ${MAXIMUM_COMMIT_BYTES / 1e9} GB together, which is too much for a commit. Ask it to remove what it need not keep.`,
			);
		}
		// Removals come first, because a new entry may take the place of a removed one.
		await this.updateIndex(['--force-remove'], removed);
		await this.updateIndex(['--add', '--remove', '--replace'], present);
		const tree = (await this.git(['write-tree'])).trim();
		const result = {
			leftOut: nested.map(readable),
			specialFiles: special.removed.map(readable),
			oversizedLists: special.removedLists.map(readable),
			unreadable: special.unreadable.map(readable),
			submodules: await this.submodules.changed(),
			newFiles: untracked.length > MANY_NEW_FILES ? countNewFiles(untracked.map(readable)) : undefined,
		};
		if (tree === (await this.git(['rev-parse', '--verify', `${start}^{tree}`])).trim()) {
			return { ...result, commit: undefined, lacksIdentity: false };
		}
		const { sourceFolder, agent, signal } = this.options;
		const identity = await readIdentity(this.location, sourceFolder, signal);
		const commit = await this.git(['commit-tree', tree, '-p', start, '-F', '-'], {
			input: `${message}\n\nErrand-Agent: ${agent}\n`,
			env: commitEnvironment(identity ?? ERRAND_IDENTITY),
		});
		return { ...result, commit: commit.trim(), lacksIdentity: identity === undefined };
	}

	/** Returns whether a commit belongs to the branch's history. If so, it is then in this repository. */
	async has(commit: string): Promise<boolean> {
		const isKnown = await this.git(['merge-base', '--is-ancestor', commit, START]).then(
			() => true,
			unlessGitFails(false),
		);
		if (isKnown || !(await this.git(['rev-parse', '--is-shallow-repository'])).startsWith('true')) {
			return isKnown;
		}
		// The branch was fetched without its history, and so without this commit.
		const isThere = await this.source.isAncestor(commit, await this.start());
		return isThere && this.source.fetch(commit, BASE).then(() => true, unlessGitFails(false));
	}

	async statistics(base: string, commit: string): Promise<DiffStatistics> {
		const statistics = { linesAdded: 0, linesRemoved: 0, filesChanged: 0 };
		for (const line of (await this.git([...DIFF, '--numstat', base, commit, '--'])).split('\n')) {
			// A binary file has `-` in both columns. Names with line breaks are quoted, so each line is one file.
			const [, added, removed] = /^(\d+|-)\t(\d+|-)\t/.exec(line) ?? [];
			if (added !== undefined && removed !== undefined) {
				statistics.linesAdded += Number(added) || 0;
				statistics.linesRemoved += Number(removed) || 0;
				statistics.filesChanged++;
			}
		}
		return statistics;
	}

	/** Returns a unified diff, or null if it is too large to be kept. */
	async diff(base: string, commit: string): Promise<string | null> {
		const text = await this.git([...DIFF, '--no-color', base, commit, '--']).catch(error => {
			if (error instanceof UserFacingError) {
				return '';
			}
			throw error;
		});
		return text === '' || text.length > MAXIMUM_DIFF_LENGTH ? null : text;
	}

	/** Returns what the states of the files need that are kept while an agent works (agents/steps/stepChain.ts). */
	async stateSource(): Promise<StateSource> {
		const { ignoresCase } = await this.source.ignoreRules();
		const isOurs = (name: string) => this.isOurs(name);
		const isAbsent = (name: string) => this.absentLinks.has(name);
		return { gitFolder: this.gitFolder, lists: this.gitFolder, format: this.format, isOurs, isAbsent, ignoresCase };
	}

	/** Pushes a commit to the source repository. Its parent is the commit where the work started. */
	push(commit: string, branch: string, expected?: string): Promise<void> {
		return this.source.push(commit, branch, expected);
	}

	/**
	 * Examines the files before any of them is checked out: a few objects can stand for more files than any disk holds,
	 * and a list that is too long now would also be too long after the agent's work.
	 */
	private async list(): Promise<void> {
		const entries = await entriesOf(this.git, START);
		this.submodules = this.submodulesIn(entries);
		const twice = findTwice(entries.map(({ name }) => name));
		if (twice !== undefined) {
			throw new UserFacingError(
				`The branch "${this.options.source.branch}" has two things of one name (${JSON.stringify(readable(twice))}), which no folder can hold. Remove one of them there.`,
			);
		}
		for (const name of await linksOutOf(this.git, entries)) {
			this.absentLinks.add(name);
		}
		await checkRoom(this.options.folder, entries);
	}

	/**
	 * Removes the files that git would read without end, and restores the branch's files that they replaced: those would
	 * look deleted by the agent, to this run or to a later one. It runs before git looks at the tree.
	 */
	private async replaceSpecialFiles(): Promise<SpecialFiles> {
		const special = await removeSpecialFiles(this.tree);
		const replaced = new Set([...special.removed, ...special.removedLists]);
		if (replaced.size > 0 && this.hasIndex) {
			const known = split(await this.git(['ls-files', '-z', '--cached'], BYTES));
			const lost = known.filter(name => isOrLiesIn(replaced, name));
			const names = lost.filter(name => this.isOurs(name) && !this.absentLinks.has(name));
			const input = names.map(name => `${name}\0`).join('');
			await this.git(['checkout-index', '--quiet', '--force', '-z', '--stdin'], { ...BYTES, input });
		}
		return special;
	}

	private get hasIndex(): boolean {
		return existsSync(path.join(this.gitFolder, 'index'));
	}

	/** Returns whether a commit can contain the name: it is neither a submodule nor a repository of the agent's. */
	private isOurs(name: string): boolean {
		return !this.submodules.has(name) && !name.endsWith('/');
	}

	private submodulesIn(entries: readonly Pick<TreeEntry, 'mode' | 'name' | 'object'>[]): Submodules {
		const { sourceFolder, signal } = this.options;
		const options = { location: this.location, sourceFolder, format: this.format, signal };
		const commits = entries.flatMap(({ mode, name, object }) => (mode === GITLINK ? [[name, object] as const] : []));
		return new Submodules(options, new Map(commits));
	}

	/** Returns whether an earlier run has left an index with exactly the files of the branch. */
	private async isAtStart(): Promise<boolean> {
		if (!this.hasIndex) {
			return false;
		}
		const tree = await this.git(['write-tree']);
		return tree === (await this.git(['rev-parse', '--verify', `${START}^{tree}`]));
	}

	/**
	 * Restores the files of an earlier run from the index, and removes those that it added. Returns whether there were
	 * any.
	 */
	private async discardChanges(): Promise<boolean> {
		if (!this.hasIndex) {
			return false;
		}
		const isChanged = await this.isChanged();
		// Git does not touch a submodule's folder as long as there are files in it.
		await this.submodulesIn(split(await this.git(['ls-files', '-z', '--stage'], BYTES)).map(stagedEntry)).clear();
		await this.git(['checkout-index', '--all', '--force']);
		for (const name of await this.untracked()) {
			await rm(placeOf(this.tree, name), { recursive: true, force: true });
		}
		return isChanged;
	}

	/** The option is newer than the git that SHA-1 repositories need. */
	private get format(): string[] {
		const { objectFormat } = this.options.source;
		return objectFormat === 'sha1' ? [] : [`--object-format=${objectFormat}`];
	}

	/** Lists the names that differ from the index, and `nested` repositories, which cannot be part of a commit. */
	private async changes(): Promise<{ removed: string[]; present: string[]; nested: string[]; untracked: string[] }> {
		// The refresh recognises files whose owner alone changed, for the sandbox. It fails if other files differ.
		await this.git(['update-index', '-q', '--refresh']).catch(unlessGitFails(undefined));
		const compare = ['diff-files', '--name-status', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all'];
		const { removed, present } = splitStatus(await this.git(compare, BYTES));
		const untracked = await this.untracked();
		append(present, untracked);
		return {
			untracked,
			removed: removed.filter(name => this.isOurs(name) && !this.absentLinks.has(name)),
			present: present.filter(name => this.isOurs(name)),
			nested: present.filter(name => name.endsWith('/')),
		};
	}

	/** Lists files that the branch lacks and git does not ignore. Throws a UserFacingError if git cannot list all. */
	private async untracked(): Promise<string[]> {
		const { ignoresCase } = await this.source.ignoreRules();
		const how = ['-c', `core.ignoreCase=${ignoresCase}`, 'ls-files', '-z', '--others', '--exclude-standard'];
		return split(
			await this.git(how, BYTES).catch(async error => {
				throw error instanceof UserFacingError ? tooManyFiles(split(await this.git([...how, '--directory']))) : error;
			}),
		);
	}

	private async updateIndex(how: readonly string[], names: readonly string[]): Promise<void> {
		if (names.length > 0) {
			const input = names.map(name => `${name}\0`).join('');
			await this.git(['update-index', ...how, '-z', '--stdin'], { ...BYTES, input });
		}
	}

	private readonly git: CheckoutGit = (args, options = {}) => {
		const { signal, states } = this.options;
		const env = { ...defined({ GIT_ALTERNATE_OBJECT_DIRECTORIES: states }), ...options.env };
		return runGit(this.location, args, { ...options, env, signal });
	};
}
