// Carries over the changes that earlier turns have left in an agent's copy.
import { existsSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { type GitPlace, getGitApi, placeOf } from '../../platform/git.ts';
import type { CommitRanges } from '../../tasks/api.ts';
import type { AgentTurn } from '../conversation/replyRequest.ts';
import { type AgentWork, withoutStates } from '../model/agentWork.ts';
import { type Checkpoint, repositoryPath, sameCheckpoint } from '../model/checkpoint.ts';
import { currentReply, type TurnStart, turnsUpTo } from '../model/conversation.ts';
import type { AgentFolder } from './agentFolder.ts';
import { withChanges } from './changedFiles.ts';
import { keepEnd, keepStateOf, mergedState, removePipes } from './checkpoints.ts';
import { gitFailureText } from './messages.ts';

/** The work of an earlier reply of the conversation. */
export interface EarlierWork {
	readonly work: AgentWork;
	/** True if the next turn continues from this work. Work on another version of a message is not on the path. */
	readonly isOnPath: boolean;
	/** True if the turn goes on from a step: agents that worked before know more than they are to be told. */
	readonly isFresh: boolean;
	/** Stores the work again. */
	keep(work: AgentWork): Promise<void>;
}

/** Returns the agents' work in this conversation before the reply of a turn, the latest first. */
export function earlierWork({ conversation, turnId, keepWork }: AgentTurn): EarlierWork[] {
	const onPath = new Set(turnsUpTo(conversation, turnId));
	return conversation.turns.toReversed().flatMap(turn => {
		const replies = turn.id === turnId ? turn.replies.slice(0, -1) : turn.replies;
		return replies.toReversed().flatMap(reply => {
			const { work } = reply;
			const isShown = turn.id === turnId || currentReply(turn) === reply;
			const keep = (next: AgentWork) => keepWork(turn.id, reply, next);
			return work === undefined
				? []
				: [{ work, isOnPath: onPath.has(turn) && isShown, isFresh: turn.from !== undefined, keep }];
		});
	});
}

/**
 * Before the copy is replaced, stores what is in it if the window of its turn was closed in the middle. Resolves to the
 * earlier work with these states. Rejects with a UserFacingError if something cannot be stored. Users are then told to
 * remove that folder, so a folder that is gone is no failure.
 */
export async function storeLeftWork(
	own: AgentFolder,
	conversation: string,
	earlier: readonly EarlierWork[],
	listChanges: CommitRanges['list'],
): Promise<EarlierWork[]> {
	// The layout says what is in the copy: a turn that was stopped while it filled the copy has reported nothing.
	const layout = await own.layout();
	return Promise.all(
		earlier.map(async one => {
			const checkpoints = await Promise.all(
				one.work.checkpoints.map(async kept => {
					const { repository, before } = kept;
					const place = sameCheckpoint(layout, kept);
					const copy = path.join(own.copy, place?.at ?? '');
					if (kept.after !== undefined || place === undefined || !existsSync(copy)) {
						return kept;
					}
					const git = placeOf(await getGitApi(), repository);
					return { ...kept, after: await storeCopy(git, conversation, before, copy) };
				}),
			);
			if (checkpoints.every((kept, index) => kept === one.work.checkpoints[index])) {
				return one;
			}
			const stored = await withChanges(withoutStates(one.work), checkpoints, listChanges);
			await one.keep(stored);
			return { ...one, work: stored };
		}),
	);
}

/**
 * Resolves to the initial state of a repository in the copy: the user's files, with those changes of the agent's last
 * work on that repository that the user has neither taken over nor undone. With `isSetAside`, these conflict with the
 * user's files and are left out. `earlier` has the latest work first. With `from`, the agent's changes are those until a
 * step. Rejects with a UserFacingError if these conflict.
 */
export async function startOfCopy(
	place: GitPlace,
	conversation: string,
	before: string,
	earlier: readonly EarlierWork[],
	from: TurnStart | undefined,
): Promise<{ state: string; isSetAside: boolean }> {
	const start = from?.states.find(({ repository }) => repository === place.directory);
	if (start) {
		const state = await mergedState(place, before, start.taken, start.commit);
		if (state === undefined) {
			throw new UserFacingError(
				vscode.l10n.t(
					'You’ve changed the same lines as the step since, so the agent can’t begin with its files. Undo your changes, or use Take Until Here and send a message.',
				),
			);
		}
		return { state, isSetAside: false };
	}
	for (const { work, isOnPath } of earlier) {
		const last = isOnPath ? work.checkpoints.find(({ repository }) => repository === place.directory) : undefined;
		if (last?.after !== undefined) {
			const { after } = last;
			// Changes that the user has taken over are theirs: they may have edited or removed them since. A state that was
			// removed from the repository is set aside too.
			const both = await withoutUndone(place, conversation, work, { ...last, after }).then(
				left => mergedState(place, before, last.taken ?? last.before, left),
				() => undefined,
			);
			return { state: both ?? before, isSetAside: both === undefined };
		}
		if (last) {
			break;
		}
	}
	return { state: before, isSetAside: false };
}

async function withoutUndone(
	place: GitPlace,
	conversation: string,
	{ checkpoints, files = [] }: AgentWork,
	last: Checkpoint & { after: string },
): Promise<string> {
	const undone = files.flatMap(({ path: shown, isUndone }) => {
		const found = isUndone ? repositoryPath(checkpoints, shown) : undefined;
		return found?.kept.repository === last.repository ? [found.path] : [];
	});
	return undone.length > 0 ? keepStateOf(place, conversation, last.after, last.before, undone) : last.after;
}

/** Stores the files of a copy. Rejects with a UserFacingError that says where the copy is. */
export async function storeCopy(...[place, conversation, before, copy]: Parameters<typeof keepEnd>): Promise<string> {
	try {
		const status = await lstat(copy).catch(() => undefined);
		// If a link replaced the folder, git would read the link's target.
		if (status?.isDirectory() !== true) {
			throw new UserFacingError(vscode.l10n.t('The agent removed or replaced that folder.'));
		}
		await removePipes(copy);
		return await keepEnd(place, conversation, before, copy);
	} catch (error) {
		throw new UserFacingError(
			vscode.l10n.t(
				'Couldn’t save the agent’s changes: {0} They’re in {1}. Copy what you need from there and delete that folder, then continue.',
				gitFailureText(error),
				copy,
			),
		);
	}
}
