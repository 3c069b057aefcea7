import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { STARTS, stepsFolder, stepsLocation } from '../../agents/steps/stepChain.ts';
import { UserFacingError } from '../../base/errors.ts';
import { type GitOptions, runGit } from '../../base/git.ts';
import { BYTES, split } from '../../base/gitNames.ts';
import { type GitPlace, getGitApi, placeOf } from '../../platform/git.ts';
import { type AgentWork, type StepFiles, statesAsOf } from '../model/agentWork.ts';
import { type Checkpoint, sameCheckpoint } from '../model/checkpoint.ts';
import type { AgentFolder } from './agentFolder.ts';
import { withoutRefused } from './allowedEdits.ts';
import { keepStateFrom } from './checkpoints.ts';
import { gitFailureText } from './messages.ts';
import { CHAIN } from './turnSteps.ts';

const BRING_MS = 60_000;

/** The states after the steps of one turn's agent, which are brought into the user's repositories when they are used. */
export class StepStates {
	private readonly own: AgentFolder;
	private readonly conversation: string;
	private readonly work: AgentWork;

	constructor(own: AgentFolder, conversation: string, work: AgentWork) {
		this.own = own;
		this.conversation = conversation;
		this.work = work;
	}

	/** Resolves to the states before and after a step of the repositories that it has changed. Rejects with a UserFacingError. */
	async around(step: string): Promise<{ kept: Checkpoint; before: string; after: string }[]> {
		const states = this.work.steps.findLast(({ id }) => id === step)?.states ?? [];
		return Promise.all(
			this.work.checkpoints.flatMap(kept =>
				states
					.filter(({ repository }) => repository === kept.repository)
					.map(async state => ({
						kept,
						before: await this.bring(kept, { ...state, commit: state.before }),
						after: await this.bring(kept, state),
					})),
			),
		);
	}

	/** Resolves to the states of all repositories as of a step, as commits in them. Rejects with a UserFacingError. */
	async asOf(step: string): Promise<{ kept: Checkpoint; commit: string }[]> {
		const states = statesAsOf(this.work, step);
		return Promise.all(
			this.work.checkpoints.map(async kept => ({ kept, commit: await this.bring(kept, states.get(kept.repository)) })),
		);
	}

	/** Without a state, the repository is as the agent found it. */
	private async bring(kept: Checkpoint, state: StepFiles | undefined): Promise<string> {
		const layout = await this.own.layout();
		const found = sameCheckpoint(layout, kept);
		const folder = found && this.own.states(layout.indexOf(found));
		if (folder === undefined || !existsSync(stepsFolder(folder))) {
			throw goneError();
		}
		const place = placeOf(await getGitApi(), kept.repository);
		try {
			return await bringState(place, this.conversation, folder, state);
		} catch (error) {
			throw new UserFacingError(vscode.l10n.t('The files as of this step can’t be read: {0}', gitFailureText(error)), {
				cause: error,
			});
		}
	}
}

/** Stores a state of the copy in the user's repository, without the hunks that the user had refused. */
async function bringState(
	place: GitPlace,
	conversation: string,
	folder: string,
	state: StepFiles | undefined,
): Promise<string> {
	const location = stepsLocation(folder, place.gitPath);
	const git = (args: readonly string[], options: Omit<GitOptions, 'signal'> = {}, workTree?: string) =>
		runGit({ ...location, ...(workTree === undefined ? {} : { workTree }) }, args, {
			...BYTES,
			...options,
			signal: AbortSignal.timeout(BRING_MS),
		});
	const start = (await git(['rev-parse', '--verify', `${STARTS}/${CHAIN.name}`])).trim();
	if (state === undefined || state.commit === start) {
		return start;
	}
	const { commit, refused = [] } = state;
	const compare = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', '--no-commit-id', start, commit];
	const fields = split(await git(compare));
	const changes = fields.flatMap((status, at) => (at % 2 === 0 ? [{ status, name: fields[at + 1] ?? '' }] : []));
	const namesOf = (isRemoved: boolean) =>
		changes.filter(({ status }) => (status === 'D') === isRemoved).map(({ name }) => name);
	const present = namesOf(false);
	const brought = await keepStateFrom(place, conversation, start, {
		removed: namesOf(true),
		present,
		async write(files) {
			const env = { GIT_INDEX_FILE: `${files}.index` };
			await git(['read-tree', commit], { env });
			const input = present.map(name => `${name}\0`).join('');
			await git(['checkout-index', '--force', '-z', '--stdin'], { env, input }, files);
		},
	});
	return withoutRefused(place, conversation, brought, refused);
}

function goneError(): UserFacingError {
	return new UserFacingError(
		vscode.l10n.t('The files of this step are gone. They’re kept until the agent’s next turn in this conversation.'),
	);
}
