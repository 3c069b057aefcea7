import { type GitLocation, runGit } from '../../base/git.ts';
import { unlessGitFails } from '../../base/gitError.ts';
import { type IgnoreRules, writeExcludes } from '../../base/ignoreRules.ts';
import { BranchInUseError, pushFailure, sourceFailure, worktreeOf } from './sourceRepository.ts';
import { locateSource, readSourceRules, sourceSide } from './sourceSide.ts';

/** The time to withdraw a push after the task's own signal has aborted. */
const WITHDRAW_TIMEOUT_MS = 10_000;

/** The repository that a checkout comes from and that its commits go to. */
export class CheckoutSource {
	private readonly location: GitLocation & { gitFolder: string };
	private readonly folder: string;
	private readonly signal: AbortSignal;
	private rules: Promise<IgnoreRules> | undefined;

	/** `location` is the git of the checkout, and `folder` is the source repository. */
	constructor(location: GitLocation & { gitFolder: string }, folder: string, signal: AbortSignal) {
		this.location = location;
		this.folder = folder;
		this.signal = signal;
	}

	/**
	 * Fetches a branch or a commit into a reference of the checkout. `how` says whether its history is included. A
	 * partial clone lacks content of earlier commits, so only the commit itself can be fetched from it.
	 */
	async fetch(wanted: string, reference: string, how: 'with-history' | 'alone' = 'with-history'): Promise<void> {
		const { location, folder, signal } = this;
		const side = await sourceSide('upload-pack', location, folder, signal);
		const depth = side.isPartial || how === 'alone' ? ['--depth=1'] : [];
		const options = ['--quiet', '--force', '--no-tags', '--no-recurse-submodules', '--update-shallow', ...depth];
		const commandLine = ['fetch', ...options, side.option, '--', folder, `${wanted}:${reference}`];
		await runGit(location, commandLine, { signal, env: side.env });
	}

	/** Returns whether a commit belongs to the history of another one in the source. */
	async isAncestor(commit: string, of: string): Promise<boolean> {
		const { location, folder, signal } = this;
		const source = await locateSource(location, folder, signal);
		const asked = runGit(source, ['merge-base', '--is-ancestor', commit, of], { signal });
		return asked.then(() => true, unlessGitFails(false));
	}

	/** Reads the rules by which git ignores files in the source, and applies them here. Throws a UserFacingError. */
	ignoreRules(): Promise<IgnoreRules> {
		this.rules ??= this.readRules();
		return this.rules;
	}

	private async readRules(): Promise<IgnoreRules> {
		const { location, folder, signal } = this;
		const rules = await readSourceRules(location, folder, signal).catch(error => {
			throw sourceFailure(error, folder);
		});
		await writeExcludes(location.gitFolder, rules.lines);
		return rules;
	}

	/**
	 * Creates `branch`, or moves it forward from the commit `expected`. The receiving side checks that under its own
	 * lock, so no other state of the branch is ever overwritten. If the task is stopped meanwhile, a completed push is
	 * withdrawn. Throws a BranchInUseError if the branch is checked out in somebody's folder.
	 */
	async push(commit: string, branch: string, expected: string | undefined): Promise<void> {
		const reference = `refs/heads/${branch}`;
		const { location, folder, signal } = this;
		try {
			const worktree = expected && (await worktreeOf(location, folder, branch, signal));
			if (worktree) {
				throw new BranchInUseError(branch, worktree);
			}
			const lease = `${reference}:${expected ?? ''}`;
			await this.move(lease, `${commit}:${reference}`, signal).catch(error => {
				throw pushFailure(error, branch, folder, expected);
			});
			signal.throwIfAborted();
		} catch (error) {
			if (signal.aborted) {
				await this.withdraw(commit, reference, expected);
			}
			throw error;
		}
	}

	/** Withdraws a push if the branch is still at the pushed commit. If nothing was pushed, it fails without effect. */
	private async withdraw(commit: string, reference: string, before: string | undefined): Promise<void> {
		const timeout = AbortSignal.timeout(WITHDRAW_TIMEOUT_MS);
		await this.move(`${reference}:${commit}`, `${before ?? ''}:${reference}`, timeout).catch(() => {});
	}

	/** Moves, creates or removes a branch if it is at the commit that `lease` names. */
	private async move(lease: string, refspec: string, signal: AbortSignal): Promise<void> {
		const { location, folder } = this;
		const side = await sourceSide('receive-pack', location, folder, signal);
		const how = ['--quiet', '--no-verify', `--force-with-lease=${lease}`, side.option];
		await runGit(location, ['push', ...how, '--', folder, refspec], { signal, env: side.env });
	}
}
