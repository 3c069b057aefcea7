import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { readStart } from '../../base/files.ts';
import { GitError } from '../../base/gitError.ts';
import { gitReason } from '../../base/gitReason.ts';
import { withTemporaryFolder } from '../../base/temporaryFolder.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import type { StepNode } from '../model/stepNode.ts';
import { commitOf, stepReferenceOf } from './taskBranch.ts';

/** The header of a bundle is a few lines long. */
const MAXIMUM_HEADER = 16 * 1024;

/** The commits of a step's states, all of which are in the repository. */
export interface StepCommits {
	/** The start of the branch. */
	base: string;
	/** The state before the step. */
	before: string;
	/** The state after it. */
	after: string;
}

/**
 * Brings the states of a task until a step into the repository, below a reference of Errand's own. `save` writes their
 * bundle into a new file. Rejects with a UserFacingError, or as `save` does.
 */
export function bringStep(
	place: GitPlace,
	step: StepNode,
	save: (step: StepNode, file: string) => Promise<void>,
): Promise<StepCommits> {
	return withTemporaryFolder('step', async folder => {
		const file = path.join(folder, 'step.bundle');
		await save(step, file);
		return unbundle(place, stepReferenceOf(step), file);
	});
}

async function unbundle(place: GitPlace, reference: string, file: string): Promise<StepCommits> {
	const { gitPath, directory } = place;
	try {
		// Unlike a fetch, this connects to nothing, so it may run without any transport.
		const [after = ''] = (await runGit(gitPath, directory, ['bundle', 'unbundle', file])).split(' ');
		await runGit(gitPath, directory, ['update-ref', '--', reference, after]);
		const base = await startOf(file);
		const before = await commitOf(place, `${reference}^`);
		if (base === undefined || before === undefined) {
			throw new Error('the bundle has no start');
		}
		return { base, before, after };
	} catch (error) {
		throw error instanceof GitError && /prerequisite/.test(error.stderr)
			? new UserFacingError(
					vscode.l10n.t(
						'This repository doesn’t have the commit at which the task began. Fetch the branch that it started from, then try again.',
					),
					{ cause: error },
				)
			: gitFailure(error, vscode.l10n.t('Git couldn’t read the files of the step: {0}', gitReason(error)));
	}
}

/** Returns the commit on which the content of a bundle builds. */
async function startOf(file: string): Promise<string | undefined> {
	const [header = ''] = (await readStart(file, MAXIMUM_HEADER)).split('\n\n');
	return /^-([\da-f]{40,64})\b/m.exec(header)?.[1];
}
