import { lstat, mkdir, statfs, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { ERRAND_IDENTITY, readIdentity } from './commitIdentity.ts';
import { GitError, type GitLocation, type GitOptions, runGit } from './git.ts';
import { outwardLinks } from './outwardLinks.ts';
import { BranchCheckedOut, type SourceState, sourceFailure, worktreeOf } from './sourceRepository.ts';
import { sourceSide } from './sourceSide.ts';
import { removeSpecialFiles } from './specialFiles.ts';

export interface DiffStatistics {
	linesAdded: number;
	linesRemoved: number;
	filesChanged: number;
}

export interface CheckoutOptions {
	/** The folder of this task alone, which holds everything that belongs to the checkout. */
	folder: string;
	source: SourceState;
	sourceFolder: string;
	configuration: string;
	/** The id of the agent, for the trailer of the commit. */
	agent: string;
	signal: AbortSignal;
	marker?: string;
}

export interface CommitResult {
	/** Undefined when nothing has changed. */
	commit: string | undefined;
	/** Whether git has no usable identity for the source repository, so that the commit names Errand as its author. */
	lacksIdentity: boolean;
	/** Repositories inside the tree, which cannot be part of a commit. */
	leftOut: string[];
	/** Pipes, sockets and devices. Files that the branch has under these names stay in it as they were. */
	specialFiles: string[];
	/** Folders that cannot be read, so that nothing in them can be part of a commit. */
	unreadable: string[];
}

const GITLINK = '160000';
const LINK = '120000';
/** In UTF-16 code units. A larger diff is not kept, because a part of one could not be applied. */
const MAXIMUM_DIFF_LENGTH = 1024 * 1024;
/** File names can be in any encoding. */
const BYTES = { encoding: 'latin1' } as const;
const DIFF = ['diff', '-M', '--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];
/** The time to withdraw a push after the task's own signal has aborted. */
const WITHDRAW_TIMEOUT_MS = 10_000;

/**
 * A task's own copy of one branch: `git/` with the objects, `tree/` with the files that the agent works on. The tree
 * holds no `.git`, and nothing in it configures the git that runs here. All git is plumbing where there is a choice: it
 * runs no hooks, no filters and does not look into nested repositories.
 */
export class Checkout {
	readonly tree: string;
	private readonly options: CheckoutOptions;
	private readonly gitFolder: string;
	private readonly location: GitLocation;
	/** The paths of submodules, which name a commit of another repository. */
	private readonly submodules = new Set<string>();
	private readonly absentLinks = new Set<string>();

	private constructor(options: CheckoutOptions) {
		this.options = options;
		this.tree = path.join(options.folder, 'tree');
		this.gitFolder = path.join(options.folder, 'git');
		this.location = {
			gitFolder: this.gitFolder,
			home: this.gitFolder,
			workTree: this.tree,
			// This is not the tree, because a program with git's name may lie there.
			cwd: options.folder,
			configuration: options.configuration,
			...defined({ marker: options.marker }),
		};
	}

	/**
	 * The names of links that lead out of the tree and are therefore not in it. The commit keeps them as they were, unless
	 * the agent has created something else in their place.
	 */
	get linksLeftOut(): string[] {
		return [...this.absentLinks].map(readable);
	}

	/** Clones exactly one branch. Throws a sentence when the source has gone or changed meanwhile. */
	static async create(options: CheckoutOptions): Promise<Checkout> {
		const checkout = new Checkout(options);
		const { source, sourceFolder } = options;
		await mkdir(checkout.tree, { recursive: true, mode: 0o700 });
		// The option is newer than SHA-1 repositories need.
		const format = source.objectFormat === 'sha1' ? [] : [`--object-format=${source.objectFormat}`];
		await checkout.git(['init', '--quiet', '--template=', ...format]);
		await writeAttributes(checkout.gitFolder);
		await checkout.fetch(source.branch).catch(error => {
			if (error instanceof GitError && /couldn't find remote ref/.test(error.stderr)) {
				throw new UserFacingError(`The branch "${source.branch}" is no longer in ${sourceFolder}. Choose another one.`);
			}
			throw sourceFailure(error, sourceFolder);
		});
		await checkout.list();
		await checkout.git(['read-tree', '--reset', '-u', '--no-recurse-submodules', 'refs/errand/start']);
		for (const name of checkout.absentLinks) {
			const place = Buffer.concat([Buffer.from(`${checkout.tree}/`), Buffer.from(name, 'latin1')]);
			// On a file system that ignores case, something else may have taken the link's place.
			if ((await lstat(place)).isSymbolicLink()) {
				await unlink(place);
			}
		}
		return checkout;
	}

	/** The commit that the work starts from. */
	async start(): Promise<string> {
		return (await this.git(['rev-parse', '--verify', 'refs/errand/start'])).trim();
	}

	/**
	 * Commits everything that the agent changed, in the name of whoever commits in the source repository; a trailer names the
	 * agent.
	 */
	async commit(message: string): Promise<CommitResult> {
		const start = await this.start();
		const { removed: specialFiles, unreadable } = await removeSpecialFiles(this.tree);
		const special = new Set(specialFiles);
		const { removed, present } = await this.changes();
		const leftOut = present.filter(name => name.endsWith('/')).map(readable);
		const kept = (name: string) => !this.submodules.has(name) && !name.endsWith('/');
		const gone = removed.filter(name => kept(name) && !this.absentLinks.has(name) && !special.has(name));
		// Removals come first, because a new entry may take the place of a removed one.
		await this.updateIndex(['--force-remove'], gone);
		await this.updateIndex(['--add', '--remove', '--replace'], present.filter(kept));
		const tree = (await this.git(['write-tree'])).trim();
		const result = { leftOut, specialFiles: specialFiles.map(readable), unreadable: unreadable.map(readable) };
		if (tree === (await this.git(['rev-parse', '--verify', `${start}^{tree}`])).trim()) {
			return { ...result, commit: undefined, lacksIdentity: false };
		}
		const { sourceFolder, agent, signal } = this.options;
		const identity = await readIdentity(this.location, sourceFolder, signal);
		const { name, address } = identity ?? ERRAND_IDENTITY;
		const commit = await this.git(['commit-tree', tree, '-p', start, '-F', '-'], {
			input: `${message}\n\nErrand-Agent: ${agent}\n`,
			env: {
				GIT_AUTHOR_NAME: name,
				GIT_AUTHOR_EMAIL: address,
				GIT_COMMITTER_NAME: name,
				GIT_COMMITTER_EMAIL: address,
			},
		});
		return { ...result, commit: commit.trim(), lacksIdentity: identity === undefined };
	}

	/** Whether a commit came with the branch. */
	async has(commit: string): Promise<boolean> {
		try {
			await this.git(['merge-base', '--is-ancestor', commit, 'refs/errand/start']);
			return true;
		} catch (error) {
			if (error instanceof GitError) {
				return false;
			}
			throw error;
		}
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

	/**
	 * Creates `branch` in the source repository, or moves it forward from the commit `expected`. The receiving side checks
	 * that under its own lock, so nothing else that exists is ever moved, and the new commit's parent is where the work
	 * started. If the task is stopped meanwhile, a push that was done is withdrawn. Throws a BranchCheckedOut if the
	 * branch is checked out in somebody's folder.
	 */
	async push(commit: string, branch: string, expected?: string): Promise<void> {
		const reference = `refs/heads/${branch}`;
		const { signal, sourceFolder } = this.options;
		try {
			const worktree = expected && (await worktreeOf(this.location, sourceFolder, branch, signal));
			if (worktree) {
				throw new BranchCheckedOut(branch, worktree);
			}
			const lease = `${reference}:${expected ?? ''}`;
			await this.move(lease, `${commit}:${reference}`, signal).catch(error => {
				throw pushFailure(error, branch, sourceFolder, expected);
			});
			signal.throwIfAborted();
		} catch (error) {
			if (signal.aborted) {
				await this.withdraw(commit, reference, expected);
			}
			throw error;
		}
	}

	/**
	 * Examines the files before any of them is checked out: a few objects can stand for more files than any disk holds,
	 * and a list that is too long now would also be too long after the agent's work.
	 */
	private async list(): Promise<void> {
		let bytes = 0;
		const links = new Map<string, string>();
		const names: string[] = [];
		for (const entry of split(await this.git(['ls-tree', '-r', '-l', '-z', 'refs/errand/start'], BYTES))) {
			const [mode, , object = '', size] = entry.split(/ +|\t/, 4);
			const name = entry.slice(entry.indexOf('\t') + 1);
			bytes += Number(size) || 0;
			names.push(name);
			if (mode === GITLINK) {
				this.submodules.add(name);
			} else if (mode === LINK) {
				links.set(name, object);
			}
		}
		const twice = findTwice(names);
		if (twice !== undefined) {
			throw new UserFacingError(
				`The branch "${this.options.source.branch}" has two things of one name (${JSON.stringify(readable(twice))}), which no folder can hold. Remove one of them there.`,
			);
		}
		for (const name of outwardLinks(await this.targets(links))) {
			this.absentLinks.add(name);
		}
		const { bavail, bsize } = await statfs(this.options.folder);
		if (bytes > bavail * bsize) {
			throw new UserFacingError(
				`The files of the branch need ${megabytes(bytes)} MB, and the disk of the data folder has ${megabytes(bavail * bsize)} MB left. Free some space, then start again.`,
			);
		}
	}

	/** Reads the targets of links from their objects. The keys of both maps are the names of the links. */
	private async targets(links: ReadonlyMap<string, string>): Promise<Map<string, string>> {
		const objects = [...new Set(links.values())];
		const targets = new Map<string, string>();
		if (objects.length > 0) {
			const input = objects.map(object => `${object}\n`).join('');
			const output = await this.git(['cat-file', '--batch'], { ...BYTES, input });
			let position = 0;
			for (const object of objects) {
				// `<object> blob <size>`, a line break, so many bytes, and a line break.
				const start = output.indexOf('\n', position) + 1;
				const size = Number(output.slice(position, start).trim().split(' ')[2]);
				targets.set(object, output.slice(start, start + size));
				position = start + size + 1;
			}
		}
		return new Map([...links].map(([name, object]) => [name, targets.get(object) ?? '']));
	}

	/** Lists the names that differ from the index. A name that ends in `/` is a repository inside the tree. */
	private async changes(): Promise<{ removed: string[]; present: string[] }> {
		const compare = ['diff-files', '--name-status', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all'];
		const fields = split(await this.git(compare, BYTES));
		const removed: string[] = [];
		const present: string[] = [];
		for (let index = 0; index + 1 < fields.length; index += 2) {
			(fields[index] === 'D' ? removed : present).push(fields[index + 1] ?? '');
		}
		present.push(...split(await this.git(['ls-files', '-z', '--others', '--exclude-standard'], BYTES)));
		return { removed, present };
	}

	private async updateIndex(how: readonly string[], names: readonly string[]): Promise<void> {
		const input = names.map(name => `${name}\0`).join('');
		await this.git(['update-index', ...how, '-z', '--stdin'], { ...BYTES, input });
	}

	/** Takes a push back if the branch is still at the pushed commit. It fails if nothing was pushed, which is as good. */
	private async withdraw(commit: string, reference: string, before: string | undefined): Promise<void> {
		const timeout = AbortSignal.timeout(WITHDRAW_TIMEOUT_MS);
		await this.move(`${reference}:${commit}`, `${before ?? ''}:${reference}`, timeout).catch(() => {});
	}

	private async fetch(branch: string): Promise<void> {
		const { sourceFolder, signal } = this.options;
		const side = await sourceSide('upload-pack', this.location, sourceFolder, signal);
		const how = ['--quiet', '--no-tags', '--no-recurse-submodules', '--update-shallow', side.option];
		await this.git(['fetch', ...how, '--', sourceFolder, `refs/heads/${branch}:refs/errand/start`], { env: side.env });
	}

	/** Moves, creates or removes a branch of the source repository if it is at the commit that `lease` names. */
	private async move(lease: string, refspec: string, signal: AbortSignal): Promise<void> {
		const { sourceFolder } = this.options;
		const side = await sourceSide('receive-pack', this.location, sourceFolder, signal);
		const how = ['--quiet', '--no-verify', `--force-with-lease=${lease}`, side.option];
		await runGit(this.location, ['push', ...how, '--', sourceFolder, refspec], { signal, env: side.env });
	}

	private git(args: readonly string[], options: Omit<GitOptions, 'signal'> = {}): Promise<string> {
		return runGit(this.location, args, { ...options, signal: this.options.signal });
	}
}

function pushFailure(error: unknown, branch: string, folder: string, expected: string | undefined): unknown {
	if (!(error instanceof GitError)) {
		return error;
	}
	if (/branch is currently checked out/.test(error.stderr)) {
		return new BranchCheckedOut(branch, folder);
	}
	if (expected !== undefined && /stale info|cannot lock ref/.test(error.stderr)) {
		return new UserFacingError(
			`The branch "${branch}" in ${folder} was moved by somebody else meanwhile. It is left as it is; ask again.`,
		);
	}
	if (/stale info|already exists|failed to update ref|cannot lock ref/.test(error.stderr)) {
		return new UserFacingError(`The branch "${branch}" cannot be made in ${folder}: that name is taken there.`);
	}
	if (/rejected|declined/.test(error.stderr)) {
		return new UserFacingError(`${folder} does not accept the new branch "${branch}": its configuration forbids it.`);
	}
	if (/permission denied|insufficient permission|read-only file system/i.test(error.stderr)) {
		return new UserFacingError(`The branch "${branch}" cannot be written to ${folder}: no permission to write there.`);
	}
	return sourceFailure(error, folder);
}

/**
 * Writes attributes that override every .gitattributes: no filter runs on a file, whatever configuration names one, and
 * the tree holds the stored bytes. A file that git writes back differently would show up as a change that nobody made.
 */
async function writeAttributes(gitFolder: string): Promise<void> {
	const information = path.join(gitFolder, 'info');
	await mkdir(information, { recursive: true });
	await writeFile(path.join(information, 'attributes'), '* -filter -text -ident !working-tree-encoding\n');
}

/** Finds a name that a tree has twice, such as a file and a folder. git would silently keep only one of them. */
function findTwice(names: readonly string[]): string | undefined {
	const seen = new Set<string>();
	const folders = new Set<string>();
	for (const name of names) {
		if (seen.has(name)) {
			return name;
		}
		seen.add(name);
		let end = name.lastIndexOf('/');
		while (end > 0 && !folders.has(name.slice(0, end))) {
			folders.add(name.slice(0, end));
			end = name.lastIndexOf('/', end - 1);
		}
	}
	return names.find(name => folders.has(name));
}

const readable = (name: string): string => Buffer.from(name, 'latin1').toString();

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

function split(text: string): string[] {
	return text.split('\0').slice(0, -1);
}
