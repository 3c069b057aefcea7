import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableOwner } from '../../base/disposable.ts';
import { oneLine } from '../../base/plainText.ts';
import { closeComparisons, comparisonRightSide } from '../../platform/diffTabs.ts';
import { commands, internalCommands, QUESTION_SCHEME, STEP_SCHEME } from '../../platform/ids.ts';
import { type AgentStep, type StepDiff, waitingStep } from '../model/agentWork.ts';
import type { ApprovalAnswer } from '../model/approvals.ts';
import { type Conversation, findTurn, shownReply } from '../model/conversation.ts';
import { lineHunks, refusableHunks } from '../model/hunks.ts';
import type { AgentRuns } from './agentRuns.ts';

/** The number of sides of changes that are stored for the editors that show them. */
const MAXIMUM_KEPT = 40;

const MAXIMUM_TITLE = 80;

/** A change in the editor whose question waits for an answer. */
interface QuestionDiff {
	turn: string;
	step: string;
	question: string;
	/** The position of the change in the step. */
	index: number;
	diff: StepDiff;
	/** The number of changes that the answer is about. */
	count: number;
	/** True if exactly this is written to the user's files. */
	isWritten: boolean;
}

/**
 * The changes that agents ask about, in the editor's diff, where they can be answered as well. A comparison exists as
 * long as its question waits.
 */
export class QuestionDiffs extends DisposableOwner {
	private readonly runs: () => Promise<Pick<AgentRuns, 'answer' | 'refuseHunk'>>;
	private readonly documents = this.disposables.add(new StepDocuments());
	/** By the queries of their addresses. */
	private readonly shown = new Map<string, QuestionDiff>();
	private readonly textChanged = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());
	private readonly lensesChanged = this.disposables.add(new vscode.EventEmitter<void>());

	constructor(runs: () => Promise<Pick<AgentRuns, 'answer' | 'refuseHunk'>>) {
		super();
		this.runs = runs;
		this.disposables.add(
			vscode.workspace.registerTextDocumentContentProvider(QUESTION_SCHEME, {
				onDidChange: this.textChanged.event,
				provideTextDocumentContent: ({ query }) => this.shown.get(query)?.diff.after ?? '',
			}),
		);
		this.disposables.add(
			vscode.languages.registerCodeLensProvider(
				{ scheme: QUESTION_SCHEME },
				{ onDidChangeCodeLenses: this.lensesChanged.event, provideCodeLenses: ({ uri }) => this.lensesOf(uri) },
			),
		);
		this.disposables.add(
			vscode.workspace.onDidCloseTextDocument(({ uri }) => {
				if (uri.scheme === QUESTION_SCHEME) {
					this.shown.delete(uri.query);
				}
			}),
		);
	}

	/** Opens a change of a step, with the answers if the step waits for one. */
	async open(turn: string, step: AgentStep, index: number): Promise<void> {
		const diff = step.diffs?.[index];
		if (diff) {
			const waiting = questionOf(turn, step, index);
			const left = this.documents.addressOf(diff.path, diff.before);
			const right = waiting ? this.sideOf(waiting) : this.documents.addressOf(diff.path, diff.after);
			await vscode.commands.executeCommand('vscode.diff', left, right, diffTitle(diff, step.title));
		}
	}

	/** Returns the right side of the comparison of a question, of which there is one. */
	private sideOf(waiting: QuestionDiff): vscode.Uri {
		const { question, index, diff } = waiting;
		const known = [...this.shown].find(([, shown]) => shown.question === question && shown.index === index);
		const query = known?.[0] ?? randomUUID();
		this.shown.set(query, waiting);
		return sideUri(QUESTION_SCHEME, diff.path, query);
	}

	/** Must be called when a conversation has changed: updates the comparisons of its questions, closes answered ones. */
	async changed(conversation: Conversation): Promise<void> {
		for (const [query, shown] of this.shown) {
			const turn = findTurn(conversation, shown.turn);
			if (turn === undefined) {
				continue;
			}
			const step = waitingStep(shownReply(turn).work);
			const now = step?.id === shown.step ? questionOf(shown.turn, step, shown.index) : undefined;
			if (now === undefined) {
				this.shown.delete(query);
				await closeComparisons(({ scheme, query: other }) => scheme === QUESTION_SCHEME && other === query);
			} else if (now.question !== shown.question) {
				this.shown.set(query, now);
				this.textChanged.fire(sideUri(QUESTION_SCHEME, now.diff.path, query));
				this.lensesChanged.fire();
			}
		}
	}

	/** Answers the question of the comparison that a command refers to. Resolves to whether it refers to one. */
	async answer(argument: unknown, answer: ApprovalAnswer): Promise<boolean> {
		const uri = comparisonRightSide(QUESTION_SCHEME, argument);
		const shown = uri && this.shown.get(uri.query);
		if (shown) {
			(await this.runs()).answer(shown.turn, shown.question, answer);
		}
		return uri !== undefined;
	}

	/** Refuses a hunk of a comparison; its code lens names both. A press on an outdated lens does nothing. */
	async refuseHunk([query, question, hunk]: readonly unknown[]): Promise<void> {
		const shown = typeof query === 'string' ? this.shown.get(query) : undefined;
		if (shown && shown.question === question && typeof hunk === 'number') {
			(await this.runs()).refuseHunk(shown.turn, shown.question, shown.index, hunk);
		}
	}

	private lensesOf(uri: vscode.Uri): vscode.CodeLens[] {
		const shown = this.shown.get(uri.query);
		if (!shown) {
			return [];
		}
		const { diff, question, count, isWritten } = shown;
		const hunks = lineHunks(diff.before ?? '', diff.after) ?? [];
		const isOneOfMany = isWritten && refusableHunks(diff.before, diff.after).length > 0;
		const yes = isOneOfMany || count > 1 ? vscode.l10n.t('Allow Whole Change Once') : vscode.l10n.t('Allow Once');
		const starts = hunks.length === 0 ? [0] : hunks.map(({ after }) => after.start);
		return starts.flatMap((line, hunk) => {
			const range = new vscode.Range(line, 0, line, 0);
			const lens = (title: string, command: string, ...rest: unknown[]) =>
				new vscode.CodeLens(range, { title, command, arguments: rest });
			return [
				lens(yes, commands.acceptChange, uri),
				...(isOneOfMany
					? [lens(vscode.l10n.t('Reject This Hunk'), internalCommands.refuseHunk, uri.query, question, hunk)]
					: []),
				lens(vscode.l10n.t('No'), commands.refuseChange, uri),
			];
		});
	}
}

/** Returns the change of a step that waits for an answer, if any. */
function questionOf(turn: string, { id, approval, diffs = [] }: AgentStep, index: number): QuestionDiff | undefined {
	const diff = diffs[index];
	const question = approval?.state === 'waiting' ? approval.question : undefined;
	return diff && question !== undefined
		? { turn, step: id, question, index, diff, count: diffs.length, isWritten: approval?.isWritten === true }
		: undefined;
}

/** Shows the changes of steps in the editor's diff, as the agent reported them, read-only. */
class StepDocuments implements vscode.TextDocumentContentProvider, Disposable {
	private readonly texts = new Map<string, string>();
	private readonly registration = vscode.workspace.registerTextDocumentContentProvider(STEP_SCHEME, this);

	provideTextDocumentContent(uri: vscode.Uri): string {
		return (
			this.texts.get(uri.query) ??
			vscode.l10n.t('This change is no longer available here. Open it from the conversation.')
		);
	}

	dispose(): void {
		this.registration.dispose();
	}

	/** Returns the address of one side of a change. */
	addressOf(named: string, text = ''): vscode.Uri {
		const query = createHash('sha256').update(text).digest('hex');
		this.texts.delete(query);
		this.texts.set(query, text);
		for (const oldest of [...this.texts.keys()].slice(0, -MAXIMUM_KEPT)) {
			this.texts.delete(oldest);
		}
		return sideUri(STEP_SCHEME, named, query);
	}
}

/** Returns the address of the side that `query` identifies, with the path that the agent gave. */
function sideUri(scheme: string, named: string, query: string): vscode.Uri {
	return vscode.Uri.from({ scheme, path: `/${oneLine(named).replace(/^\/+/, '')}`, query });
}

/** Returns the title of a change's comparison: the name of its file, and the agent's title of the step. */
function diffTitle(diff: StepDiff, title: string): string {
	const name = oneLine(path.posix.basename(diff.path), MAXIMUM_TITLE);
	return `${name} (${oneLine(title, MAXIMUM_TITLE)})`;
}
