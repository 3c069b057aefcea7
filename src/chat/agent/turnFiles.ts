import { existsSync, realpathSync, statSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { dependencyFolders, lendable } from '../../agents/sandbox/lentFolders.ts';
import type { LentFolder } from '../../agents/sandbox/wrap.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { isWithin, linkedPlace } from '../../base/filePlace.ts';
import { byteString, readable } from '../../base/gitNames.ts';
import { shortName } from '../../base/plainText.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { findFiltered, listFiltered } from '../../platform/gitFilters.ts';
import { askModal } from '../../platform/notify.ts';
import { findMissingFiles, getMissingFiles } from '../../platform/partialClone.ts';
import { type LeftOutFolder, withoutStates } from '../model/agentWork.ts';
import { agentPath, type Checkpoint, repositoryPath, withFolders } from '../model/checkpoint.ts';
import type { TurnStart } from '../model/conversation.ts';
import type { AgentFolder } from './agentFolder.ts';
import type { AgentRunsOptions } from './agentRunsOptions.ts';
import { AllowedEdits, withoutRefused } from './allowedEdits.ts';
import {
	beginRepository,
	checkOutState,
	copyIgnoreRules,
	headOf,
	holdStates,
	keepState,
	type TurnRepository,
	unrecordedFolders,
} from './checkpoints.ts';
import { type EarlierWork, startOfCopy, storeCopy, storeLeftWork } from './leftWork.ts';
import { gitFailureText } from './messages.ts';

export interface TurnFilesOptions {
	conversation: string;
	own: AgentFolder;
	/** The latest work comes first. */
	earlier: readonly EarlierWork[];
	/** The step with whose files the agent begins, if it does not go on from the end of the last turn. */
	from?: TurnStart | undefined;
	changes: AgentRunsOptions['changes'];
	signal: AbortSignal;
	/** Called when an allowed step has been made. `isTaken` is true if the user's files now have all of it. */
	onMade(step: string, isTaken: boolean): Promise<void>;
}

/** The files of one turn: the user's at its start, the agent's copy of them, and the changes to both. */
export class TurnFiles {
	readonly repositories: readonly TurnRepository[];
	readonly edits: AllowedEdits;
	/** Repositories whose state cannot be stored, and why. */
	readonly leftOut: readonly LeftOutFolder[];
	/**
	 * True if changes that an earlier turn left in the copy conflict with the user's files, so that the copy lacks them.
	 */
	readonly isSetAside: boolean;
	private readonly options: TurnFilesOptions;

	private constructor({ repositories, leftOut }: Kept, isSetAside: boolean, options: TurnFilesOptions) {
		const { conversation, changes, onMade } = options;
		const take = changes.takeAllowed;
		this.repositories = repositories;
		this.leftOut = leftOut;
		this.isSetAside = isSetAside;
		this.options = options;
		this.edits = new AllowedEdits({ locate: name => this.locate(name), conversation, take, onMade });
	}

	/** Stores the state of the files and fills the copy. Rejects with a UserFacingError, and when git fails. */
	static async begin(places: readonly GitPlace[], options: TurnFilesOptions): Promise<TurnFiles> {
		const kept = await keepStates(places, options);
		const isSetAside = await fillCopy(kept, options);
		return new TurnFiles(kept, isSetAside, options);
	}

	/** The copy that the agent works in. */
	get copy(): string {
		return this.options.own.copy;
	}

	/** The folder of the states of a repository, by its position. */
	states(position: number): string {
		return this.options.own.states(position);
	}

	/**
	 * The folders of several repositories in the copy; undefined if there is only one repository, which has all of it.
	 */
	get folders(): string[] | undefined {
		const folders = this.repositories.flatMap(({ at }) => at ?? []);
		return folders.length === 0 ? undefined : folders;
	}

	get checkpoints(): Checkpoint[] {
		return this.repositories.map(({ place, at, before, taken, after }) => ({
			repository: place.directory,
			before,
			...defined({ at, taken: taken === before ? undefined : taken, after }),
		}));
	}

	/** Returns the first of these files, by their paths relative to the agent's folder, that is in the copy. */
	firstOf(names: readonly string[]): string | undefined {
		return names.find(name => existsSync(path.join(this.copy, name)));
	}

	/** Returns whether a file of the copy, by its path there, is executable. */
	isExecutable(name: string): boolean {
		return ((statSync(path.join(this.copy, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
	}

	/** Resolves the links in a path of the copy; undefined if they lead out of the copy or nowhere. */
	linkedPlace(name: string): string | undefined {
		return linkedPlace(this.copy, name);
	}

	/**
	 * Returns the repository whose states include a path relative to the agent's folder, and the path in the repository.
	 */
	locate(name: string): { kept: TurnRepository; path: string } | undefined {
		const found = repositoryPath(this.repositories, name);
		// A nested repository is not part of the outer one.
		return found && this.innermost(path.join(found.kept.place.directory, found.path)) === found.kept
			? found
			: undefined;
	}

	/** Returns the path of a user's file relative to the agent's folder; undefined if the agent does not have it. */
	pathOf(file: string): string | undefined {
		const real = realPath(file);
		const kept = this.innermost(real);
		return kept && agentPath(kept, path.relative(kept.place.directory, real).split(path.sep).join('/'));
	}

	/** Stores what the agent has left in the copy. Rejects with a UserFacingError if some of it cannot be stored. */
	async keepEnd(): Promise<void> {
		await this.edits.settled();
		const failures: unknown[] = [];
		for (const repository of this.repositories) {
			const { place, at, before } = repository;
			try {
				repository.after = await storeCopy(place, this.options.conversation, before, path.join(this.copy, at ?? ''));
				const refused = this.edits.refusedIn(repository);
				repository.after = await withoutRefused(place, this.options.conversation, repository.after, refused);
			} catch (error) {
				failures.push(error);
			}
		}
		if (failures.length > 0) {
			throw failures[0];
		}
		await this.checkBeside();
		await this.checkInside();
		await this.checkFiltered();
	}

	/** Lists the files behind a filter such as Git LFS, relative to the agent's folder. Rejects when git fails. */
	async filtered(): Promise<string[]> {
		const lists = this.repositories.map(async repository => {
			const { place, before } = repository;
			const names = await listFiltered(place.gitPath, place.directory, before);
			return names.map(name => agentPath(repository, readable(name)));
		});
		return (await Promise.all(lists)).flat();
	}

	/** Lists the folders of installed dependencies that programs in the copy can use. Rejects when git fails. */
	async lentFolders(): Promise<LentFolder[]> {
		const lists = this.repositories.map(async repository => {
			const { gitPath, directory } = repository.place;
			const folders = await dependencyFolders(args => runGit(gitPath, directory, args));
			const lent = folders.map(name => ({ source: path.join(directory, name), at: agentPath(repository, name) }));
			return lendable(lent, this.copy);
		});
		return (await Promise.all(lists)).flat();
	}

	/** In a sandbox, an agent can write nothing beside several repositories. Without one, files there are reported. */
	private async checkBeside(): Promise<void> {
		const { folders, copy } = this;
		const beside = folders && (await readdir(copy)).filter(name => !folders.includes(name));
		if (beside && beside.length > 0) {
			throw new UserFacingError(
				vscode.l10n.t(
					'The agent left files outside the repositories, where they aren’t saved: {0}. They stay in {1} until the next message. Copy what you need from there.',
					beside.join(', '),
					copy,
				),
			);
		}
	}

	/** Reports the files of other repositories that the agent has put into the copy, because no state includes them. */
	private async checkInside(): Promise<void> {
		const folders = await Promise.all(
			this.repositories.map(async repository => {
				const { place, at = '', after } = repository;
				const found = after === undefined ? [] : await unrecordedFolders(place, after, path.join(this.copy, at));
				return found.map(name => agentPath(repository, name));
			}),
		);
		if (folders.flat().length > 0) {
			throw new UserFacingError(
				vscode.l10n.t(
					'The agent left files in a nested repository or submodule, where they aren’t saved: {0}. They stay in {1} until the next message. Copy what you need from there.',
					folders.flat().join(', '),
					this.copy,
				),
			);
		}
	}

	/** Reports the agent's changes to files behind a filter, because they are not written to the user's files. */
	private async checkFiltered(): Promise<void> {
		const lists = this.repositories.map(async repository => {
			const { before, after = before } = repository;
			const { gitPath, directory } = repository.place;
			const changed = await this.options.changes.list({ repository: directory, from: before, to: after });
			const names = changed.map(({ path: name }) => byteString(name));
			const found = await findFiltered(gitPath, directory, names);
			return [...found].map(name => agentPath(repository, readable(name)));
		});
		const written = (await Promise.all(lists)).flat();
		if (written.length > 0) {
			throw new UserFacingError(
				vscode.l10n.t(
					'The agent changed files that are stored by a filter such as Git LFS, and these changes can’t be applied to yours: {0}. They stay in {1} until the next message. Copy what you need from there.',
					written.join(', '),
					this.copy,
				),
			);
		}
	}

	private innermost(file: string): TurnRepository | undefined {
		return this.repositories
			.filter(({ place }) => isWithin(place.directory, file))
			.toSorted((one, other) => other.place.directory.length - one.place.directory.length)[0];
	}
}

/** Resolves links as git does in the names of folders. A missing file is returned unchanged. */
function realPath(file: string): string {
	try {
		return realpathSync.native(file);
	} catch {
		return file;
	}
}

interface Kept {
	repositories: TurnRepository[];
	leftOut: LeftOutFolder[];
}

/** Stores the state of the files. If there are several repositories, those for which that fails are left out. */
async function keepStates(places: readonly GitPlace[], { conversation, own, signal }: TurnFilesOptions): Promise<Kept> {
	const repositories: TurnRepository[] = [];
	const leftOut: LeftOutFolder[] = [];
	let failure: unknown;
	for (const known of withFolders(places)) {
		const { directory } = known.place;
		try {
			await getWholeFiles(known.place);
			const before = await keepState(known.place, conversation);
			await own.note(directory);
			repositories.push({ ...known, before, taken: before });
		} catch (error) {
			failure ??= error;
			leftOut.push({ folder: directory, reason: gitFailureText(error) });
		}
		signal.throwIfAborted();
	}
	if (repositories.length === 0) {
		throw failure;
	}
	return { repositories, leftOut };
}

/**
 * Asks before it fetches the files that a partial clone lacks, because an agent works on a copy of all of them. Throws
 * a UserFacingError if they are still missing in the end, and rejects when git fails.
 */
async function getWholeFiles(place: GitPlace): Promise<void> {
	const commit = await headOf(place);
	const missing = commit === undefined ? undefined : await findMissingFiles(place, commit);
	if (commit === undefined || missing === undefined) {
		return;
	}
	const [name, remote] = [shortName(path.basename(place.directory)), shortName(missing.remote)];
	const get = vscode.l10n.t('Get Them');
	const chosen = await askModal(
		vscode.l10n.t('“{0}” is a partial clone, and an agent needs all files of its branch.', name),
		vscode.l10n.t('Missing objects: {0}. Git downloads them from {1}.', missing.objects, remote),
		get,
	);
	if (chosen !== get) {
		throw new UserFacingError(
			vscode.l10n.t(
				'An agent needs all files of the branch, but “{0}” is a partial clone with some of them only on {1}. Send the message again and get them.',
				name,
				remote,
			),
		);
	}
	await getMissingFiles(place, commit, missing.remote);
}

/** Makes an empty repository in the place of each nested one, so that nothing there becomes part of the outer one. */
async function beginInside(repositories: readonly TurnRepository[], outer: GitPlace, folder: string): Promise<void> {
	for (const { place } of repositories) {
		const inside = path.join(folder, path.relative(outer.directory, place.directory));
		if (isWithin(outer.directory, place.directory) && !existsSync(inside)) {
			await mkdir(inside, { recursive: true });
			await beginRepository(place.gitPath, inside);
		}
	}
}

/**
 * Fills the copy, and leaves out a repository whose files cannot be put there. Resolves to whether changes that the
 * agent had left were set aside because they conflict with the user's files.
 */
async function fillCopy(kept: Kept, options: TurnFilesOptions): Promise<boolean> {
	const { own, conversation, signal } = options;
	const earlier = await storeLeftWork(own, conversation, options.earlier, options.changes.list);
	let isSetAside = false;
	await own.replaceCopy(async (copy, states) => {
		let position = 0;
		for (const repository of [...kept.repositories]) {
			const { place, at, before } = repository;
			const folder = path.join(copy, at ?? '');
			const chain = path.join(states, String(position));
			const start = await startOfCopy(place, conversation, before, earlier, options.from);
			try {
				await mkdir(folder, { recursive: true });
				await mkdir(chain, { recursive: true });
				await checkOutState(place, start.state, folder, path.join(chain, 'index'));
				await holdStates(place, conversation, [start.state]);
				await beginRepository(place.gitPath, folder);
				const ignoresCase = await copyIgnoreRules(place, folder, chain);
				await beginInside(kept.repositories, place, folder);
				isSetAside ||= start.isSetAside;
				repository.start = { commit: start.state, ignoresCase };
				position++;
			} catch (error) {
				kept.leftOut.push({ folder: place.directory, reason: gitFailureText(error) });
				kept.repositories.splice(kept.repositories.indexOf(repository), 1);
				await removeFolder(folder);
				await removeFolder(chain);
			}
			signal.throwIfAborted();
		}
		if (kept.repositories.length === 0) {
			throw new UserFacingError(kept.leftOut.flatMap(({ reason }) => reason ?? []).join(' '));
		}
		return kept.repositories.map(({ place, at, before }) => ({
			repository: place.directory,
			before,
			...defined({ at }),
		}));
	});
	// The states after single steps are gone with the copy.
	for (const { work, keep } of earlier) {
		const left = withoutStates(work);
		await (left !== work && keep(left));
	}
	return isSetAside;
}
