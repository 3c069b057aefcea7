import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { oneLine } from '../../base/plainText.ts';
import { changesText } from '../../platform/amounts.ts';
import { type Choice, choose, inputDraft, shownText } from '../../platform/pick.ts';
import { stepActionNames, stepLimits } from '../../platform/stepMessages.ts';
import type { CommitRanges } from '../../tasks/api.ts';
import type { Chat } from '../conversation/chat.ts';
import type { AgentStep, AgentWork } from '../model/agentWork.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { TurnStart } from '../model/conversation.ts';
import type { AgentRuns } from './agentRuns.ts';

const MAXIMUM_TITLE = 80;

export type StepAction = keyof typeof stepActionNames;

export interface StepActionsDependencies {
	runs(): Promise<Pick<AgentRuns, 'statesOf'>>;
	ranges(): Pick<CommitRanges, 'list' | 'compare' | 'showFiles' | 'take'>;
	/** Sends a message to the conversation's agent, which goes on from a step. Tells the user if it is refused. */
	goOn(chat: Chat, text: string, from: TurnStart): Promise<void>;
	/** Records that the user's files have what these files are in a commit. Paths are relative to the repository. */
	markAsOf(turn: string, kept: Checkpoint, commit: string, paths: readonly string[]): Promise<void>;
}

/** A step of an agent's turn that has changed files. */
export interface StepSubject {
	turn: string;
	chat: Chat;
	work: AgentWork;
	step: AgentStep;
}

/** What can be done with the state of the files after a step of a turn. */
export class StepActions {
	private readonly dependencies: StepActionsDependencies;
	/** Messages that were not sent, by turn and step. */
	private readonly drafts = new Map<string, string>();

	constructor(dependencies: StepActionsDependencies) {
		this.dependencies = dependencies;
	}

	/** Lets the user choose what to do. Rejects with a UserFacingError. */
	async choose(subject: StepSubject): Promise<void> {
		const { turn, chat, step } = subject;
		// As long as the agent works, the user's files and the copy change under everything else.
		const isLive = chat.live?.turnId === turn;
		const action = await choose(shownText(step.title), isLive ? rows(step).slice(0, 1) : rows(step), {
			placeHolder: limitsOf(step),
		});
		await (action && this.run(action, subject));
	}

	/** Rejects with a UserFacingError. */
	async run(action: StepAction, subject: StepSubject): Promise<void> {
		const actions: Record<StepAction, () => Promise<void>> = {
			changes: () => this.showChanges(subject),
			files: () => this.showFiles(subject),
			take: () => this.take(subject),
			continue: () => this.goOn(subject),
		};
		await actions[action]();
	}

	private async goOn({ turn, chat, work, step }: StepSubject): Promise<void> {
		const { runs, goOn } = this.dependencies;
		const commits = await (await runs()).statesOf(chat.conversation.id, work).asOf(step.id);
		const key = `${turn} ${step.id}`;
		const { draft, isAccepted } = await inputDraft({
			title: stepActionNames.continue,
			placeholder: vscode.l10n.t('What should the agent do next?'),
			prompt: vscode.l10n.t(
				'The agent begins with the files as of “{0}” and isn’t told what came after. Another agent or model can go on: choose it in the chat first.',
				oneLine(step.title, MAXIMUM_TITLE),
			),
			value: this.drafts.get(key) ?? '',
			emptyProblem: vscode.l10n.t('Write a message first.'),
		});
		this.drafts.set(key, draft);
		if (isAccepted) {
			this.drafts.delete(key);
			const states = commits.map(({ kept: { repository, before, taken = before }, commit }) => ({
				...{ repository, commit, taken },
			}));
			await goOn(chat, draft, { turn, step: step.id, title: step.title, states });
		}
	}

	private async showChanges({ chat, work, step }: StepSubject): Promise<void> {
		const { runs, ranges } = this.dependencies;
		const states = (await runs()).statesOf(chat.conversation.id, work);
		const parts = (await states.around(step.id)).map(({ kept, before, after }) => ({
			range: { repository: kept.repository, from: before, to: after },
			own: [],
			...defined({ folder: kept.at }),
		}));
		await ranges().compare(shownText(step.title), parts);
	}

	private async showFiles({ chat, work, step }: StepSubject): Promise<void> {
		const { runs, ranges } = this.dependencies;
		const title = shownText(step.title);
		await ranges().showFiles({
			...{ title, name: step.title, repositories: work.checkpoints.length },
			start: vscode.l10n.t('all files that the agent had changed until here'),
			read: async () => {
				const states = (await runs()).statesOf(chat.conversation.id, work);
				return (await states.asOf(step.id)).map(({ kept, commit }) => ({
					range: { repository: kept.repository, from: kept.before, to: commit },
					own: [],
					...defined({ folder: kept.at }),
				}));
			},
		});
	}

	/** Takes what the agent had changed until the step, and takes back what the user's files have of its later changes. */
	private async take({ turn, chat, work, step }: StepSubject): Promise<void> {
		const { runs, ranges, markAsOf } = this.dependencies;
		const title = vscode.l10n.t('Take Until Step {0}', shownText(step.title));
		for (const { kept, commit } of await (await runs()).statesOf(chat.conversation.id, work).asOf(step.id)) {
			const { repository, at, before, taken = before } = kept;
			const range = { repository, from: taken, to: commit };
			if (at !== undefined && (await ranges().list(range)).length === 0) {
				continue;
			}
			const done = await ranges().take(range, at === undefined ? title : `${title} · ${at}`);
			await markAsOf(turn, kept, commit, done);
		}
	}
}

function rows({ states = [] }: AgentStep): Choice<StepAction>[] {
	const sum = (of: (state: (typeof states)[number]) => number) => states.reduce((all, state) => all + of(state), 0);
	const size = changesText(
		sum(({ linesAdded }) => linesAdded),
		sum(({ linesRemoved }) => linesRemoved),
		sum(({ fileCount }) => fileCount),
	);
	return [
		{ label: stepActionNames.changes, description: size, value: 'changes' },
		{
			label: stepActionNames.take,
			description: vscode.l10n.t('your files as if the agent had stopped here'),
			value: 'take',
		},
		{
			label: stepActionNames.continue,
			description: vscode.l10n.t('without what the agent did after this'),
			value: 'continue',
		},
		{
			label: stepActionNames.files,
			description: vscode.l10n.t('compared with the start, or in a new folder'),
			value: 'files',
		},
	];
}

function limitsOf({ states = [] }: AgentStep): string {
	const limits = states.map(({ isApproximate, notKept }) => ({ approximate: isApproximate === true, notKept }));
	return [...new Set(limits.flatMap(stepLimits))].join(' ');
}
