import path from 'node:path';
import * as vscode from 'vscode';
import { SerialQueue } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { isSameOrWithin } from '../../base/filePlace.ts';
import { thenComposer } from '../../platform/editorUse.ts';
import { errorText, showMessage } from '../../platform/notify.ts';
import type { CommitRanges } from '../../tasks/api.ts';
import type { Chat } from '../conversation/chat.ts';
import { type AgentStep, type AgentWork, markFiles } from '../model/agentWork.ts';
import { agentPath, type Checkpoint, repositoryPath, sameCheckpoint } from '../model/checkpoint.ts';
import { findTurn, shownReply, type TurnStart } from '../model/conversation.ts';
import type { FromPage, PageAccess, PageHandlers } from '../protocol/protocol.ts';
import type { ChatAgents } from './chatAgents.ts';
import type { QuestionDiffs } from './questionDiffs.ts';
import { StepActions } from './stepActions.ts';

export interface AgentHandlersDependencies {
	agents: Pick<ChatAgents, 'runs' | 'pick' | 'chooseApprovals'>;
	withTurn(turn: string, run: (chat: Chat) => unknown): Promise<void>;
	ranges(): Pick<CommitRanges, 'list' | 'compare' | 'showFiles' | 'take' | 'takeBack'>;
	diffs: Pick<QuestionDiffs, 'open'>;
	/** Sends a message to the agent of a chat, which goes on from a step. Tells the user if it is refused. */
	goOn(chat: Chat, text: string, from: TurnStart): Promise<void>;
	label(): string;
	page: Omit<PageAccess, 'post'>;
}

export type AgentHandlers = PageHandlers<
	Extract<FromPage, { kind: `step-${string}` | `work-${string}` | 'agent-pick' | 'approvals-choose' }>['kind']
>;

/** Returns the handlers of the page's messages about the work of agents. */
export function agentHandlers(dependencies: AgentHandlersDependencies): AgentHandlers {
	const { agents, withTurn, ranges, diffs, goOn, label, page } = dependencies;

	const withWork = (turnId: string, run: (work: AgentWork, chat: Chat) => unknown) =>
		withTurn(turnId, async chat => {
			const turn = findTurn(chat.conversation, turnId);
			const work = turn && shownReply(turn).work;
			if (work) {
				try {
					await run(work, chat);
				} catch (error) {
					void showMessage('error', errorText(error, label()));
				}
			}
		});

	const withStep = (turnId: string, id: string, run: (step: AgentStep, work: AgentWork) => unknown) =>
		withWork(turnId, async work => {
			const step = work.steps.findLast(candidate => candidate.id === id);
			await (step && run(step, work));
		});

	/**
	 * Calls `run` for each repository of a turn or, with `file`, for the file's repository, with the path in it. One of
	 * several is left out if the user's files are already as in `wanted`.
	 */
	const inRepositories = (
		turnId: string,
		file: string | undefined,
		wanted: 'before' | 'after',
		run: (work: AgentWork, kept: KeptStates, file: string | undefined) => Promise<void>,
	) =>
		withWork(turnId, async ({ checkpoints }) => {
			for (const { kept, path: named } of placesOf(checkpoints, file)) {
				// The user may have taken over changes meanwhile, and another reply of the turn may now be shown.
				await withWork(turnId, async work => {
					const now = sameCheckpoint(work.checkpoints, kept);
					const states = now && statesOf(now);
					if (states && (states.at === undefined || states.taken !== states[wanted])) {
						await run(work, states, named);
					}
				});
			}
		});

	/** Each mark builds on the state that the previous one has stored. */
	const marks = new SerialQueue();

	/** Records that the user's files now are as in the commit `source`. Paths are relative to the repository. */
	const markAsOf = (
		turn: string,
		kept: Checkpoint,
		source: string,
		paths: readonly string[],
		change: (now: KeptStates, taken: string, work: AgentWork) => Promise<(work: AgentWork) => AgentWork>,
	) =>
		marks.run(() =>
			withWork(turn, async (work, chat) => {
				const now = sameCheckpoint(work.checkpoints, kept);
				// Another reply of the turn may now be shown.
				if (paths.length > 0 && now) {
					const states = statesOf(now);
					const taken = await (await agents.runs()).keepTaken(chat.conversation.id, states, source, paths);
					await chat.changeWork(turn, await change(states, taken, work));
				}
			}),
		);

	const mark = (turn: string, kept: KeptStates, source: 'before' | 'after', paths: readonly string[]) =>
		markAsOf(turn, kept, kept[source], paths, async (now, taken) => {
			const shown = paths.map(name => agentPath(now, name));
			return work => markFiles(work, { repository: now.repository, taken, paths: shown, isTaken: source === 'after' });
		});

	const steps = new StepActions({
		runs: () => agents.runs(),
		ranges,
		goOn,
		// The agent's copy may have more of these files.
		markAsOf: (turn, kept, commit, paths) =>
			markAsOf(turn, kept, commit, paths, async ({ repository }, taken, before) => {
				const all = before.checkpoints.map(one => (one.repository === repository ? { ...one, taken } : one));
				const { checkpoints, files, fileCount } = await (await agents.runs()).withChanges(before, all);
				return work => ({ ...work, checkpoints, ...defined({ files, fileCount }) });
			}),
	});

	return {
		'step-answer': async ({ turn, question, answer }) => (await agents.runs()).answer(turn, question, answer),
		'step-fill': async ({ turn, question, values }) => {
			const problem = (await agents.runs()).fillIn(turn, question, values);
			return problem && unsentText(problem);
		},
		'step-request': async ({ turn, step: id }) => {
			let output: string | undefined;
			await withStep(turn, id, step => {
				output = step.output;
			});
			return output;
		},
		'step-act': ({ turn, step: id }) =>
			withWork(turn, async (work, chat) => {
				const step = work.steps.findLast(candidate => candidate.id === id);
				await (step?.states && steps.choose({ turn, chat, work, step }));
			}),
		'step-diff-open': ({ turn, step: id, index }) => withStep(turn, id, step => diffs.open(turn, step, index)),
		'step-place-open': ({ turn, step: id, index }) =>
			withStep(turn, id, async ({ locations = [] }, { checkpoints }) => {
				const place = locations[index];
				if (place) {
					await openInRepository(checkpoints, place, page.say);
				}
			}),
		'work-compare': ({ turn, file }) =>
			withWork(turn, ({ label: name, checkpoints, files = [] }) => {
				// The user's own file is not shown if the copy has more changes, because it would hide them.
				const owned = files.flatMap(({ path: shown, isTaken, isLeft }) => (isTaken && !isLeft ? [shown] : []));
				const places = placesOf(checkpoints, file);
				const parts = places.map(({ kept }) => {
					const { repository, before: from, taken, after } = statesOf(kept);
					// The agent's copy may have none of the changes in the user's file.
					const to = file !== undefined && owned.includes(file) ? taken : after;
					const own = owned.flatMap(shown => {
						const place = repositoryPath(checkpoints, shown);
						return place?.kept === kept ? [place.path] : [];
					});
					return { range: { repository, from, to }, own, ...defined({ folder: kept.at }) };
				});
				return ranges().compare(vscode.l10n.t('Changed by {0}', name), parts, places[0]?.path);
			}),
		'work-take': ({ turn, file }) =>
			inRepositories(turn, file, 'after', async ({ label: name }, kept, named) => {
				const { repository, at, taken: from, after: to } = kept;
				const title = at === undefined ? name : `${name} · ${at}`;
				const range = { repository, from, to };
				const done = await ranges().take(range, vscode.l10n.t('Take Changes of {0}', title), named);
				await mark(turn, kept, 'after', done);
			}),
		'work-undo': ({ turn, file }) =>
			inRepositories(turn, file, 'before', async (_, kept, named) => {
				const { repository, before: from, taken: to } = kept;
				await mark(turn, kept, 'before', await ranges().takeBack({ repository, from, to }, named));
			}),
		'work-plan-use': ({ turn }) =>
			withTurn(turn, async chat => {
				const found = findTurn(chat.conversation, turn);
				if (found) {
					// The plan is carried out by an agent, which must ask again.
					await agents.chooseApprovals('ask');
					await chat.setMode('agent');
					page.fill(vscode.l10n.t('Carry out this plan:\n\n{0}', shownReply(found).text.trim()));
				}
			}),
		'agent-pick': () => thenComposer(() => agents.pick(), page),
		'approvals-choose': ({ approvals }) => agents.chooseApprovals(approvals),
	};
}

function unsentText(problem: 'unfit' | 'key'): string {
	return problem === 'key'
		? vscode.l10n.t(
				'Not sent: this looks like a key, and agents aren’t given keys. Add it to the agent’s own settings.',
			)
		: vscode.l10n.t('Not sent: an answer is missing or isn’t what the agent asked for.');
}

/** Returns the repositories of a turn or, for one of its files, that file's repository with the path in it. */
function placesOf(checkpoints: readonly Checkpoint[], file: string | undefined): { kept: Checkpoint; path?: string }[] {
	return file === undefined ? checkpoints.map(kept => ({ kept })) : [repositoryPath(checkpoints, file) ?? []].flat();
}

/** The states of a repository. A missing state is replaced by the one before it. */
type KeptStates = Checkpoint & Required<Pick<Checkpoint, 'taken' | 'after'>>;

function statesOf(kept: Checkpoint): KeptStates {
	const { before, taken = before, after = taken } = kept;
	return { ...kept, taken, after };
}

/**
 * Opens a file of the agent's folders. The agent named it, so nothing elsewhere is opened; `say` then gets the reason.
 */
async function openInRepository(
	checkpoints: readonly Checkpoint[],
	{ path: named, line }: { path: string; line?: number },
	say: (sentence: string) => void,
): Promise<void> {
	const itself = checkpoints.find(({ at }) => at === named);
	const found = itself ? { kept: itself, path: '' } : repositoryPath(checkpoints, named);
	const folder = found?.kept.repository ?? '';
	const file = path.resolve(folder, found?.path ?? named);
	if (found === undefined || !isSameOrWithin(folder, file)) {
		say(vscode.l10n.t('The file isn’t in the folder that the agent works in.'));
		return;
	}
	const uri = vscode.Uri.file(file);
	const start = Math.max(0, (line ?? 1) - 1);
	const status = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
	if (status === undefined) {
		say(vscode.l10n.t('The file no longer exists.'));
	} else if (status.type & vscode.FileType.Directory) {
		await vscode.commands.executeCommand('revealInExplorer', uri);
	} else {
		await vscode.window.showTextDocument(uri, {
			selection: new vscode.Range(start, 0, start, 0),
			preserveFocus: false,
		});
	}
}
