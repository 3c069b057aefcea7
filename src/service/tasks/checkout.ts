import { mkdir, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { GitError, type GitLocation, type GitOptions, RECEIVE_PACK, runGit, UPLOAD_PACK } from './git.ts';
import { type SourceState, sourceFailure } from './sourceRepository.ts';

export interface DiffStatistics {
	linesAdded: number;
	linesRemoved: number;
	filesChanged: number;
}

export interface CheckoutOptions {
	/** Of this task alone; everything of the checkout lies under it. */
	folder: string;
	source: SourceState;
	sourceFolder: string;
	configuration: string;
	signal: AbortSignal;
}

const AUTHOR = 'Errand demo agent';
const AUTHOR_ADDRESS = 'demo@errand.invalid';
const GITLINK = '160000';
/** For file names, which can be of any encoding. */
const BYTES = { encoding: 'latin1' } as const;
/** For taking back what was pushed, after the task's own signal has aborted. */
const WITHDRAW_TIMEOUT_MS = 10_000;

/**
 * A task's own copy of one branch: `git/` with the objects, `tree/` with the files that the agent works on. The tree
 * holds no `.git`, and nothing in it configures the git that runs here. All git is plumbing where there is a choice: it
 * runs no hooks, no filters and does not look into nested repositories.
 */
export class Checkout {
	readonly tree: string;
	private readonly options: CheckoutOptions;
	private readonly location: GitLocation;
	/** Paths that name a commit of another repository. */
	private readonly submodules = new Set<string>();

	private constructor(options: CheckoutOptions) {
		this.options = options;
		this.tree = path.join(options.folder, 'tree');
		this.location = {
			gitFolder: path.join(options.folder, 'git'),
			workTree: this.tree,
			// Not the tree: a program of git's name may lie there.
			cwd: options.folder,
			configuration: options.configuration,
		};
	}

	/** Clones exactly one branch. Throws a sentence when the source has gone or changed meanwhile. */
	static async create(options: CheckoutOptions): Promise<Checkout> {
		const checkout = new Checkout(options);
		const { source, sourceFolder } = options;
		await mkdir(checkout.tree, { recursive: true, mode: 0o700 });
		// The option is newer than SHA-1 repositories need.
		const format = source.objectFormat === 'sha1' ? [] : [`--object-format=${source.objectFormat}`];
		await checkout.git(['init', '--quiet', '--template=', ...format]);
		await writeAttributes(checkout.location.gitFolder);
		await checkout
			.git([
				'fetch',
				'--quiet',
				'--no-tags',
				'--no-recurse-submodules',
				'--update-shallow',
				UPLOAD_PACK,
				'--',
				sourceFolder,
				`refs/heads/${source.branch}:refs/errand/base`,
			])
			.catch(error => {
				if (error instanceof GitError && /couldn't find remote ref/.test(error.stderr)) {
					throw new UserFacingError(
						`The branch "${source.branch}" is no longer in ${sourceFolder}. Choose another one.`,
					);
				}
				throw sourceFailure(error, sourceFolder);
			});
		await checkout.list();
		await checkout.git(['read-tree', '--reset', '-u', '--no-recurse-submodules', 'refs/errand/base']);
		return checkout;
	}

	/** The commit that the task started from. */
	async base(): Promise<string> {
		return (await this.git(['rev-parse', '--verify', 'refs/errand/base'])).trim();
	}

	/**
	 * Commits everything that the agent changed. `undefined` when that is nothing. `leftOut` names what cannot be part of
	 * a commit: repositories inside the tree.
	 */
	async commit(message: string): Promise<{ commit: string | undefined; leftOut: string[] }> {
		const base = await this.base();
		const { removed, present } = await this.changes();
		const leftOut = present.filter(name => name.endsWith('/')).map(name => Buffer.from(name, 'latin1').toString());
		const kept = (name: string) => !this.submodules.has(name) && !name.endsWith('/');
		// What is gone goes first: it may stand where something else comes.
		await this.updateIndex(['--force-remove'], removed.filter(kept));
		await this.updateIndex(['--add', '--remove', '--replace'], present.filter(kept));
		const tree = (await this.git(['write-tree'])).trim();
		if (tree === (await this.git(['rev-parse', '--verify', `${base}^{tree}`])).trim()) {
			return { commit: undefined, leftOut };
		}
		const commit = await this.git(['commit-tree', tree, '-p', base, '-F', '-'], {
			input: `${message}\n`,
			env: {
				GIT_AUTHOR_NAME: AUTHOR,
				GIT_AUTHOR_EMAIL: AUTHOR_ADDRESS,
				GIT_COMMITTER_NAME: AUTHOR,
				GIT_COMMITTER_EMAIL: AUTHOR_ADDRESS,
			},
		});
		return { commit: commit.trim(), leftOut };
	}

	async statistics(commit: string): Promise<DiffStatistics> {
		const diff = ['diff', '--numstat', '-M', '--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];
		const statistics = { linesAdded: 0, linesRemoved: 0, filesChanged: 0 };
		for (const line of (await this.git([...diff, await this.base(), commit, '--'])).split('\n')) {
			// A binary file has `-` in both columns. Names with line breaks are quoted, so a line is a file.
			const [, added, removed] = /^(\d+|-)\t(\d+|-)\t/.exec(line) ?? [];
			if (added !== undefined && removed !== undefined) {
				statistics.linesAdded += Number(added) || 0;
				statistics.linesRemoved += Number(removed) || 0;
				statistics.filesChanged++;
			}
		}
		return statistics;
	}

	/**
	 * Makes `branch` in the source repository. The branch must not exist there: the lease on its absence is checked by the
	 * receiving side under its own lock, and nothing that exists is ever moved. When the task is stopped meanwhile,
	 * the branch is taken back if it was made.
	 */
	async push(commit: string, branch: string): Promise<void> {
		const reference = `refs/heads/${branch}`;
		const { signal, sourceFolder } = this.options;
		try {
			await this.git(pushArguments(sourceFolder, `${reference}:`, `${commit}:${reference}`)).catch(error => {
				throw pushFailure(error, branch, sourceFolder);
			});
			signal.throwIfAborted();
		} catch (error) {
			if (signal.aborted) {
				await this.withdraw(commit, reference);
			}
			throw error;
		}
	}

	/**
	 * Looks at what is to be checked out before a byte of it is: a few objects can stand for more files than any disk
	 * holds, and a list that is too long now would be so after the agent's work too.
	 */
	private async list(): Promise<void> {
		let bytes = 0;
		for (const entry of split(await this.git(['ls-tree', '-r', '-l', '-z', 'refs/errand/base'], BYTES))) {
			const [mode, , , size] = entry.split(/ +|\t/, 4);
			bytes += Number(size) || 0;
			if (mode === GITLINK) {
				this.submodules.add(entry.slice(entry.indexOf('\t') + 1));
			}
		}
		const { bavail, bsize } = await statfs(this.options.folder);
		if (bytes > bavail * bsize) {
			throw new UserFacingError(
				`The files of the branch need ${megabytes(bytes)} MB, and the disk of the data folder has ${megabytes(bavail * bsize)} MB left. Free some space, then start again.`,
			);
		}
	}

	/** What differs from the index, by name; a name that ends in `/` is a repository inside the tree. */
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

	/** Removes the branch only while it still is what was pushed. It fails when nothing was, which is as good. */
	private async withdraw(commit: string, reference: string): Promise<void> {
		const timeout = AbortSignal.timeout(WITHDRAW_TIMEOUT_MS);
		const args = pushArguments(this.options.sourceFolder, `${reference}:${commit}`, `:${reference}`);
		await runGit(this.location, args, { signal: timeout }).catch(() => {});
	}

	private git(args: readonly string[], options: Omit<GitOptions, 'signal'> = {}): Promise<string> {
		return runGit(this.location, args, { ...options, signal: this.options.signal });
	}
}

function pushArguments(folder: string, lease: string, refspec: string): string[] {
	return ['push', '--quiet', '--no-verify', `--force-with-lease=${lease}`, RECEIVE_PACK, '--', folder, refspec];
}

function pushFailure(error: unknown, branch: string, folder: string): unknown {
	if (!(error instanceof GitError)) {
		return error;
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
 * Wins over every .gitattributes: no filter runs on a file, whatever configuration names one, and the tree holds the
 * bytes that are stored. A file that git would write back otherwise than it is stored would be a change of nobody's.
 */
async function writeAttributes(gitFolder: string): Promise<void> {
	const information = path.join(gitFolder, 'info');
	await mkdir(information, { recursive: true });
	await writeFile(path.join(information, 'attributes'), '* -filter -text -ident !working-tree-encoding\n');
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

function split(text: string): string[] {
	return text.split('\0').slice(0, -1);
}
