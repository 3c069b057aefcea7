// Scratch branches. One is written down before it is made, remembered until its task has ended, and removed only where
// nobody has moved it. Uncommitted changes reach it as a commit from an index of its own, so that working tree, index,
// HEAD and stash stay as they are.
import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { gitReason } from '../../base/gitReason.ts';
import type { Logger } from '../../base/logger.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { runAtRemote } from '../../platform/remotes.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import { UNDER_WAY_MS } from '../model/createdTask.ts';
import { SCRATCH_ENTRIES } from '../model/storageKeys.ts';

/** A scratch branch that Errand has made and not removed yet. */
const scratchSchema = z.object({
	name: z.string(),
	commit: z.string(),
	/** Missing for a branch of the working repository itself. */
	remote: z.string().optional(),
	connection: z.string(),
	/** The working repository's folder. */
	directory: z.string(),
	/** Missing until the task that starts from it is known. */
	taskId: z.string().optional(),
	/** Milliseconds since the epoch. */
	madeAt: z.number(),
});
type Scratch = z.output<typeof scratchSchema>;

/** A branch that exists only as the start of a task. */
export type ScratchBranch = Pick<Scratch, 'name' | 'commit' | 'remote'>;

/** The prefix of the names of scratch branches. */
export const SCRATCH_PREFIX = 'errand-scratch-';
/** The expected value of a reference that must not exist yet, because an existing one is not Errand's. */
const NOTHING = '';

/** Returns a branch with a unique name, which does not exist yet. */
export function nameScratchBranch(commit: string, remote: string | undefined): ScratchBranch {
	return { name: SCRATCH_PREFIX + randomBytes(6).toString('hex'), commit, remote };
}

/** Makes the branch, here or on its remote, without hooks. Rejects when git fails. */
export function makeScratchBranch(place: GitPlace, branch: ScratchBranch): Promise<void> {
	return moveScratchBranch(place, branch, branch.commit, NOTHING);
}

/** Removes the branch. Rejects when git fails, or if the branch has moved on and therefore holds somebody's work. */
export function removeScratchBranch(place: GitPlace, branch: ScratchBranch): Promise<void> {
	return moveScratchBranch(place, branch, NOTHING, branch.commit);
}

async function moveScratchBranch(
	place: GitPlace,
	{ name, remote }: ScratchBranch,
	to: string,
	from: string,
): Promise<void> {
	const { gitPath, directory } = place;
	const reference = `refs/heads/${name}`;
	if (remote === undefined) {
		const change = to === NOTHING ? ['-d', '--', reference, from] : ['--', reference, to, '0'.repeat(to.length)];
		await runGit(gitPath, directory, ['update-ref', ...change]);
		return;
	}
	const lease = `--force-with-lease=${reference}:${from}`;
	// The user's settings for their own pushes do not apply to this one, and some would make it fail.
	const settings = ['-c', 'push.pushOption=', '-c', `remote.${remote}.mirror=false`];
	const options = ['--quiet', '--no-verify', '--no-signed', '--no-follow-tags', '--recurse-submodules=no', lease];
	const change = ['--', remote, `${to}:${reference}`];
	const push = (...started: string[]) => [...settings, 'push', ...options, ...started, ...change];
	await runAtRemote(place, remote, 'receive-pack', push);
}

/** Returns the branch's current commit, or undefined if it is gone. Rejects if that cannot be found out. */
export async function findScratchBranch(place: GitPlace, { name, remote }: ScratchBranch): Promise<string | undefined> {
	const { gitPath, directory } = place;
	const reference = `refs/heads/${name}`;
	let output: string;
	if (remote === undefined) {
		output = await runGit(gitPath, directory, ['for-each-ref', '--format=%(objectname)', '--', reference]);
	} else {
		const list = (...started: string[]) => ['ls-remote', ...started, '--', remote, reference];
		output = await runAtRemote(place, remote, 'upload-pack', list);
	}
	return /^[\da-f]+/.exec(output)?.[0];
}

export interface ScratchBranchesDependencies {
	workspaceState: vscode.Memento;
	/** Returns how to run git in a folder, or undefined if it cannot be run there. */
	place(directory: string): Promise<GitPlace | undefined>;
	/** Called with a branch that is kept because it has moved on and holds somebody's work. */
	onKept(branch: ScratchBranch): void;
	logger: Logger;
}

/** Remembers the scratch branches across reloads of the window, until they are removed. */
export class ScratchBranches {
	private readonly dependencies: ScratchBranchesDependencies;
	private readonly entries: StateEntries<Scratch>;
	/** The names of branches that are being removed now, or that this window could not remove. */
	private readonly attempted = new Set<string>();

	constructor(dependencies: ScratchBranchesDependencies) {
		this.dependencies = dependencies;
		this.entries = new StateEntries(
			dependencies.workspaceState,
			SCRATCH_ENTRIES,
			(value): value is Scratch => scratchSchema.safeParse(value).success,
		);
	}

	async remember({ name, commit, remote }: ScratchBranch, connection: string, directory: string): Promise<void> {
		const scratch = { name, commit, ...defined({ remote }), connection, directory, madeAt: Date.now() };
		await this.entries.set(name, scratch);
	}

	async claim(name: string, taskId: string): Promise<void> {
		const scratch = this.entries.get(name);
		if (scratch) {
			await this.entries.set(name, { ...scratch, taskId });
		}
	}

	/** Removes a branch that nothing needs, because its task was not created. */
	async remove(name: string): Promise<void> {
		const scratch = this.entries.get(name);
		if (scratch) {
			await this.clean(scratch);
		}
	}

	/**
	 * Removes the branches whose tasks have ended. `hasEnded` is false for a task that is not known now. Branches of
	 * tasks that were never created are removed once no request for one can be pending (`isPending`).
	 */
	async sweep(
		connection: string,
		hasEnded: (taskId: string) => boolean | Promise<boolean>,
		isPending: () => boolean,
	): Promise<void> {
		for (const scratch of this.entries.values()) {
			if (scratch.connection !== connection || this.attempted.has(scratch.name)) {
				continue;
			}
			const isLeft =
				scratch.taskId === undefined
					? Date.now() - scratch.madeAt > UNDER_WAY_MS && !isPending()
					: await hasEnded(scratch.taskId);
			// Another sweep may have begun with it while this one asked for its task.
			if (isLeft && !this.attempted.has(scratch.name)) {
				this.attempted.add(scratch.name);
				await this.clean(scratch);
			}
		}
	}

	private async clean(scratch: Scratch): Promise<void> {
		const place = await this.dependencies.place(scratch.directory);
		if (!place) {
			return;
		}
		try {
			await removeScratchBranch(place, scratch);
		} catch (error) {
			const now = await findScratchBranch(place, scratch).catch(() => scratch.commit);
			if (now === scratch.commit) {
				// The remote cannot be reached or refuses, so the next window tries again.
				this.dependencies.logger.log('warn', 'a scratch branch could not be removed', { reason: gitReason(error) });
				return;
			}
			if (now !== undefined) {
				this.dependencies.onKept(scratch);
			}
		}
		await this.entries.delete(scratch.name);
	}
}
