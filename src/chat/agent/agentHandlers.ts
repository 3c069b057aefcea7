import path from 'node:path';
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { thenComposer } from '../../platform/editorUse.ts';
import { explainError, showMessage } from '../../platform/notify.ts';
import type { Chat } from '../conversation/chat.ts';
import type { AgentStep, AgentWork, Checkpoint } from '../model/agentWork.ts';
import { findTurn, shownReply } from '../model/conversation.ts';
import type { FromPage, PageHandlers } from '../protocol/protocol.ts';
import type { AgentRuns } from './agentRuns.ts';
import type { CommitRange } from './agentRunsOptions.ts';
import type { StepDocuments } from './stepDocuments.ts';

/** Changes between two commits of a repository. */
export interface Ranges {
	/** `own` are files of which the user's own are shown in place of the last version. */
	compare(range: CommitRange, comparison: { title: string; file?: string; own: readonly string[] }): Promise<void>;
	/** Takes them into the user's files, with a preview. Resolves with the paths of the files that have them. */
	take(range: CommitRange, title: string, file?: string): Promise<string[]>;
	/** Takes them back out of the user's files. Resolves with the paths of the files that have nothing of them any more. */
	takeBack(range: CommitRange, file?: string): Promise<string[]>;
}

export interface AgentHandlersDependencies {
	runs(): Promise<AgentRuns>;
	withTurn(turn: string, run: (chat: Chat) => unknown): Promise<void>;
	ranges(): Ranges;
	documents: StepDocuments;
	/** Lets the user choose the agent of the shown conversation. */
	pickAgent(): Promise<void>;
	label(): string;
	focusComposer(): void;
}

export type AgentHandlers = PageHandlers<
	Extract<FromPage, { kind: `step-${string}` | `work-${string}` | 'agent-pick' }>['kind']
>;

/** Returns the handlers of the page's messages about what agents do. */
export function agentHandlers(dependencies: AgentHandlersDependencies): AgentHandlers {
	const { runs, withTurn, ranges, documents, pickAgent, label, focusComposer } = dependencies;

	const withWork = (turnId: string, run: (work: AgentWork, chat: Chat) => unknown) =>
		withTurn(turnId, async chat => {
			const turn = findTurn(chat.conversation, turnId);
			const work = turn && shownReply(turn).work;
			if (work) {
				try {
					await run(work, chat);
				} catch (error) {
					void showMessage('error', explainError(error, label()).message);
				}
			}
		});

	const withStep = (turnId: string, id: string, run: (step: AgentStep, work: AgentWork) => unknown) =>
		withWork(turnId, async work => {
			const step = work.steps.findLast(candidate => candidate.id === id);
			await (step && run(step, work));
		});

	const withCheckpoint = (
		turnId: string,
		run: (work: AgentWork, checkpoint: Required<Checkpoint>, chat: Chat) => unknown,
	) =>
		withWork(turnId, async (work, chat) => {
			if (work.checkpoint) {
				const { repository, before, taken = before, after = taken } = work.checkpoint;
				await run(work, { repository, before, taken, after }, chat);
			}
		});

	let marking: Promise<void> = Promise.resolve();

	/** The files of the user are now as `source` has them. */
	const mark = (turn: string, { before }: Checkpoint, source: 'before' | 'after', paths: readonly string[]) => {
		// Each mark adds to what the one before has kept.
		marking = marking.then(() =>
			withCheckpoint(turn, async (_, kept, chat) => {
				// Another reply of the turn may be shown by now.
				if (paths.length > 0 && kept.before === before) {
					const taken = await (await runs()).keepTaken(chat.conversation.id, kept, kept[source], paths);
					await chat.markTaken(turn, paths, source === 'after', taken);
				}
			}),
		);
		return marking;
	};

	return {
		'step-answer': async ({ turn, question, answer }) => (await runs()).answer(turn, question, answer),
		'step-request': async ({ turn, step: id }) => {
			let output: string | undefined;
			await withStep(turn, id, step => {
				output = step.output;
			});
			return output;
		},
		'step-diff-open': ({ turn, step: id, index }) =>
			withStep(turn, id, step => {
				const diff = step.diffs?.[index];
				return diff && documents.open(diff, step.title);
			}),
		'step-place-open': ({ turn, step: id, index }) =>
			withStep(turn, id, async ({ locations = [] }, { folder }) => {
				const place = locations[index];
				if (place) {
					await openInFolder(folder, place.path, place.line);
				}
			}),
		'work-compare': ({ turn, file }) =>
			withCheckpoint(turn, ({ label: name, files = [] }, { repository, before, taken, after }) => {
				// Beside more in the copy, the user's own file would hide that.
				const own = files.flatMap(({ path: named, isTaken, isLeft }) => (isTaken && !isLeft ? [named] : []));
				// The agent's copy may have nothing of what the user's file has.
				const to = file !== undefined && own.includes(file) ? taken : after;
				const title = vscode.l10n.t('Changed by {0}', name);
				return ranges().compare({ repository, from: before, to }, { title, ...defined({ file }), own });
			}),
		'work-take': ({ turn, file }) =>
			withCheckpoint(turn, async ({ label: name }, kept) => {
				const range = { repository: kept.repository, from: kept.taken, to: kept.after };
				await mark(turn, kept, 'after', await ranges().take(range, vscode.l10n.t('Take Changes of {0}', name), file));
			}),
		'work-undo': ({ turn, file }) =>
			withCheckpoint(turn, async (_, kept) => {
				const range = { repository: kept.repository, from: kept.before, to: kept.taken };
				await mark(turn, kept, 'before', await ranges().takeBack(range, file));
			}),
		'agent-pick': () =>
			thenComposer(async () => {
				await pickAgent();
				return undefined;
			}, focusComposer),
	};
}

/** Opens a file of the agent's folder. The agent has named it, so that nothing elsewhere is opened. */
async function openInFolder(folder: string, named: string, line: number | undefined): Promise<void> {
	const file = path.resolve(folder, named);
	const relative = path.relative(folder, file);
	if (relative.split(path.sep)[0] === '..' || path.isAbsolute(relative)) {
		void showMessage('information', vscode.l10n.t('The file is not in the folder that the agent works in.'));
		return;
	}
	const uri = vscode.Uri.file(file);
	const start = Math.max(0, (line ?? 1) - 1);
	const status = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
	if (status === undefined) {
		void showMessage('information', vscode.l10n.t('The file is not there any more.'));
	} else if (status.type & vscode.FileType.Directory) {
		await vscode.commands.executeCommand('revealInExplorer', uri);
	} else {
		await vscode.window.showTextDocument(uri, {
			selection: new vscode.Range(start, 0, start, 0),
			preserveFocus: false,
		});
	}
}
