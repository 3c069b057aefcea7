import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { LentFolder } from '../../agents/sandbox/wrap.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { isPlainFolder, isWithin } from '../../base/filePlace.ts';
import { type GitLocation, runGit, writeAttributes } from '../../base/git.ts';
import { GitError } from '../../base/gitError.ts';
import { BYTES, placeOf, readable } from '../../base/gitNames.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import { type CheckoutGit, checkRoom, entriesOf, findTwice, linksOutOf } from './checkoutFiles.ts';
import { CheckoutSource } from './checkoutSource.ts';
import { withoutFieldName } from './repoUrl.ts';
import { sourceFailure } from './sourceRepository.ts';
import { locateSource } from './sourceSide.ts';
import { listed } from './taskNames.ts';

export interface SubmodulesOptions {
	location: GitLocation & { gitFolder: string; workTree: string };
	sourceFolder: string;
	/** The options of `git init` for the object format. */
	format: readonly string[];
	signal: AbortSignal;
}

interface Note {
	message: string;
	type: 'info' | 'warning';
}

const COMMIT = 'refs/errand/submodule';

/**
 * The submodules of a checkout. If one is checked out in the source repository, its files are in the tree, at the
 * commit that the branch names, so that they can be read; no commit of the checkout contains them. Each has a separate
 * git folder for that, which no agent can reach.
 */
export class Submodules {
	/** The submodules that are empty in the tree, with the reasons. */
	private readonly empty: { name: string; reason: string }[] = [];
	private readonly options: SubmodulesOptions;
	/** The commits that the branch names, by the submodules' names, which are byte strings. */
	private readonly commits: ReadonlyMap<string, string>;

	constructor(options: SubmodulesOptions, commits: ReadonlyMap<string, string>) {
		this.options = options;
		this.commits = commits;
	}

	/** Returns the same submodules, whose git is ended by another signal. */
	withSignal(signal: AbortSignal): Submodules {
		return new Submodules({ ...this.options, signal }, this.commits);
	}

	has(name: string): boolean {
		return this.commits.has(name);
	}

	/** The folders that a sandbox shows read-only. */
	get lent(): LentFolder[] {
		const { workTree } = this.options.location;
		return this.filled().map(name => ({ source: path.join(workTree, readable(name)), at: readable(name) }));
	}

	/** Writes the files into the tree, replacing whatever an earlier run left there. */
	async fill(): Promise<void> {
		await removeFolder(this.gitFolders);
		for (const [name, commit] of this.commits) {
			await this.fillOne(name, commit).catch(async error => {
				this.options.signal.throwIfAborted();
				this.empty.push({ name: readable(name), reason: this.reasonOf(error, name, commit) });
				await removeFolder(this.locationOf(name).gitFolder);
			});
		}
	}

	/** Returns messages about what an agent finds in the places of submodules. */
	notes(): Note[] {
		const notes: Note[] = [];
		const filled = this.filled();
		if (filled.length > 0) {
			const names = listed(filled.map(readable));
			const message = `The files of submodules are in the agent's folder to be read. What it changes there is left out: ${names}.`;
			notes.push({ message, type: 'info' });
		}
		if (this.empty.length > 0) {
			const reasons = listed(this.empty.map(({ name, reason }) => `${name} (${reason})`));
			notes.push({ message: `Submodules are empty in the agent's folder: ${reasons}.`, type: 'warning' });
		}
		return notes;
	}

	/** Empties the folders, so that git can put anything else in their places. */
	async clear(): Promise<void> {
		for (const name of this.commits.keys()) {
			await this.makePlace(name).catch(() => {});
		}
	}

	/** Writes the files into another folder, which has the files of a commit. */
	async exportTo(folder: string): Promise<void> {
		for (const name of this.filled()) {
			if (await isPlainFolder(folder, readable(name))) {
				const place = path.join(folder, readable(name));
				await this.gitOf(name)(['checkout-index', '--all', '--force', '--quiet', `--prefix=${place}/`]);
			}
		}
	}

	/** Lists the submodules in whose place something has changed. */
	async changed(): Promise<string[]> {
		const changed: string[] = [];
		for (const name of this.commits.keys()) {
			if (await this.isChanged(name)) {
				changed.push(readable(name));
			}
		}
		return changed;
	}

	private async isChanged(name: string): Promise<boolean> {
		const place = placeOf(this.options.location.workTree, name);
		if (!(await lstat(place).catch(() => undefined))?.isDirectory()) {
			return true;
		}
		if (!this.isFilled(name)) {
			return (await readdir(place)).some(entry => entry !== '.git');
		}
		const git = this.gitOf(name);
		// Files whose owner alone changed, for the sandbox, count as unchanged. The refresh fails if other files differ.
		await git(['update-index', '-q', '--refresh']).catch(() => {});
		return (await git(['ls-files', '-z', '--modified', '--deleted', '--others'])) !== '';
	}

	private async fillOne(name: string, commit: string): Promise<void> {
		const { format, location, signal } = this.options;
		await this.makePlace(name);
		const source = await this.sourceOf(name);
		const { gitFolder } = this.locationOf(name);
		const git = this.gitOf(name);
		await mkdir(gitFolder, { recursive: true });
		await git(['init', '--quiet', '--template=', ...format]);
		await writeAttributes(gitFolder);
		await new CheckoutSource(this.locationOf(name), source, signal).fetch(commit, COMMIT, 'alone');
		const entries = await entriesOf(git, COMMIT);
		if (findTwice(entries.map(entry => entry.name)) !== undefined) {
			throw new UserFacingError('it has two things of one name, which no folder can hold');
		}
		await checkRoom(location.cwd, entries);
		await git(['read-tree', COMMIT]);
		// Links that lead out of the submodule are left out.
		const input = (await linksOutOf(git, entries)).map(link => `${link}\0`).join('');
		await git(['update-index', '--force-remove', '-z', '--stdin'], { ...BYTES, input });
		await git(['checkout-index', '--all', '--force', '--quiet', '--index']);
	}

	/** Returns the folder in which a submodule is checked out. Throws if it has none, or its git folder is elsewhere. */
	private async sourceOf(name: string): Promise<string> {
		const { sourceFolder, location, signal } = this.options;
		const source = path.join(sourceFolder, readable(name));
		const isThere = await stat(path.join(source, '.git')).catch(() => undefined);
		if (!isThere || !(await isPlainFolder(sourceFolder, readable(name)))) {
			throw new UserFacingError(`it is not checked out in ${sourceFolder}`);
		}
		const gitFolderOf = async (folder: string) =>
			realpath((await locateSource(location, folder, signal)).gitFolder ?? folder);
		const [own, outer, top] = await Promise.all([
			gitFolderOf(source),
			gitFolderOf(sourceFolder),
			realpath(sourceFolder),
		]);
		// A file in the submodule's folder could point to any repository of the user's.
		if (!isWithin(outer, own) && !isWithin(top, own)) {
			throw new UserFacingError(`its git folder is ${own}, outside of the repository`);
		}
		return source;
	}

	/** Creates the empty folder of a submodule. Throws if a link left by an agent leads to it. */
	private async makePlace(name: string): Promise<void> {
		const { workTree } = this.options.location;
		if (Buffer.from(readable(name)).toString('latin1') !== name) {
			throw new UserFacingError('its name is not UTF-8');
		}
		const place = path.join(workTree, readable(name));
		if (!(await isPlainFolder(workTree, path.posix.dirname(readable(name))))) {
			throw new UserFacingError('an earlier run has put something else in the place of its folder');
		}
		await removeFolder(place);
		await mkdir(place);
	}

	private filled(): string[] {
		return [...this.commits.keys()].filter(name => this.isFilled(name));
	}

	private isFilled(name: string): boolean {
		return existsSync(path.join(this.locationOf(name).gitFolder, 'index'));
	}

	private get gitFolders(): string {
		return path.join(this.options.location.gitFolder, 'submodules');
	}

	private reasonOf(error: unknown, name: string, commit: string): string {
		const source = path.join(this.options.sourceFolder, readable(name));
		if (error instanceof GitError && /not our ref/.test(error.stderr)) {
			return `${commit.slice(0, 10)} is not in ${source}`;
		}
		return withoutFieldName(describeError(sourceFailure(error, source)));
	}

	private locationOf(name: string): SubmodulesOptions['location'] {
		const { location } = this.options;
		const number = [...this.commits.keys()].indexOf(name);
		return {
			...location,
			gitFolder: path.join(this.gitFolders, String(number)),
			workTree: path.join(location.workTree, readable(name)),
		};
	}

	private gitOf(name: string): CheckoutGit {
		return (args, options = {}) => runGit(this.locationOf(name), args, { ...options, signal: this.options.signal });
	}
}
