import * as vscode from 'vscode';
import { ClientError, UserFacingError } from '../../base/errors.ts';
import { escapeIcons } from '../../base/plainText.ts';
import type { TaskStep } from '../../contract/taskSteps.ts';
import type { Task } from '../../contract/tasks.ts';
import { getGitApi, placeOf } from '../../platform/git.ts';
import { stepActionNames } from '../../platform/stepMessages.ts';
import type { FilesOfStep } from '../api.ts';
import type { ApplyCommands } from '../apply/applyCommands.ts';
import { compareRanges } from '../apply/commitRanges.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { rowWords } from '../common/messages.ts';
import { stepTitle } from '../common/stepMessages.ts';
import { isStepNode, type StepAction, type StepNode } from '../model/stepNode.ts';
import { taskTitle } from '../model/taskRow.ts';
import type { ResultReferences } from '../results/resultReferences.ts';
import { bringStep, type StepCommits } from '../results/stepCommits.ts';
import { findTaskRepository, type TaskRepository } from '../results/taskRepository.ts';
import type { TaskSteps } from '../results/taskSteps.ts';
import { shownFolder } from './branchSubject.ts';
import { addDetachedWorktree } from './checkOut.ts';
import { openNewWorktree } from './checkOutCommand.ts';
import type { Dialogs } from './dialogs.ts';

const MAXIMUM_TITLE = 40;

export interface StepCommandsDependencies {
	active: Pick<ActiveConnection, 'target'>;
	store: { get(id: string): Task | undefined };
	steps: TaskSteps;
	references: Pick<ResultReferences, 'remember'>;
	apply: Pick<ApplyCommands, 'take'>;
	dialogs: Dialogs;
	/** Writes the bundle of a step's states into a new file. */
	saveBundle(step: StepNode, file: string): Promise<void>;
	/** Opens the log of a task at one of its entries. */
	showEntry(taskId: string, index: number): Promise<void>;
	/** Opens the page of the steps of a task with one of them selected. */
	showSteps(taskId: string, index: number): Promise<void>;
	/** Asks for the next prompt, and continues the task from a step. Shows every error itself. */
	continueFrom(taskId: string, step: TaskStep): Promise<void>;
	explain(error: unknown): void;
}

/** The step of a command with its task. */
interface StepSubject {
	node: StepNode;
	step: TaskStep;
	task: Task;
}

/** What can be done with the state of a task's files after one of its steps. Each action shows its errors itself. */
export class StepCommands {
	private readonly dependencies: StepCommandsDependencies;
	private readonly actions: Readonly<Record<StepAction, (subject: StepSubject) => Promise<void>>> = {
		changes: subject => this.showChanges(subject),
		files: subject => this.showFiles(subject),
		continue: ({ task, step }) => this.dependencies.continueFrom(task.id, step),
		take: subject => this.take(subject),
		log: ({ task, step }) => this.dependencies.showEntry(task.id, step.step),
		steps: ({ task, step }) => this.dependencies.showSteps(task.id, step.index),
	};

	constructor(dependencies: StepCommandsDependencies) {
		this.dependencies = dependencies;
	}

	/** Runs a `StepAction` on a step; any extension may run the command, with any arguments. */
	async run(action?: unknown, argument?: unknown): Promise<void> {
		if (!isStepNode(argument) || typeof action !== 'string' || !Object.hasOwn(this.actions, action)) {
			return;
		}
		try {
			await this.actions[action as StepAction](await this.read(argument));
		} catch (error) {
			this.dependencies.explain(error);
		}
	}

	private async read(node: StepNode): Promise<StepSubject> {
		const { active, store, steps } = this.dependencies;
		const { client } = await active.target();
		const task = store.get(node.taskId) ?? (await client.tasks.get(node.taskId));
		const step = steps.find(node);
		if (!step) {
			throw goneError();
		}
		return { node, step, task };
	}

	private async showChanges(subject: StepSubject): Promise<void> {
		const { repository, commits } = await this.bring(subject);
		refuseUnopened(repository);
		const range = { repository: repository.place.directory, from: commits.before, to: commits.after };
		await compareRanges(stepTitle(subject.step), [{ range, own: [] }]);
	}

	/**
	 * Shows the files as of a step as the user chooses: compared with the start, or those of one repository in a new
	 * worktree. Another feature may know the step. Rejects with a UserFacingError.
	 */
	async showFilesOf({ title, start, name, repositories, read }: FilesOfStep): Promise<void> {
		const { dialogs } = this.dependencies;
		const inWorktree = {
			label: vscode.l10n.t('Open in Worktree…'),
			description: vscode.l10n.t('all files, in a new folder'),
			value: 'worktree' as const,
		};
		const how = await dialogs.choose(
			stepActionNames.files,
			[
				{ label: vscode.l10n.t('Compare with Start'), description: start, value: 'compare' as const },
				...(repositories > 1 ? [] : [inWorktree]),
			],
			{ placeHolder: escapeIcons(title) },
		);
		const parts = how && (await read(how));
		if (how === 'compare' && parts) {
			await compareRanges(vscode.l10n.t('Until Step {0}', title), parts);
		} else if (parts?.[0]) {
			const { repository, to } = parts[0].range;
			const place = placeOf(await getGitApi(), repository);
			await openNewWorktree(place, { name, title }, dialogs, folder => addDetachedWorktree(place, to, folder));
		}
	}

	private async showFiles(subject: StepSubject): Promise<void> {
		const title = stepTitle(subject.step);
		await this.showFilesOf({
			...{ title, repositories: 1, name: `${titleOf(subject.task)} ${subject.step.index + 1}` },
			start: vscode.l10n.t('all files that the task had changed until here'),
			read: async how => {
				const { repository, commits } = await this.bring(subject);
				const range = { repository: repository.place.directory, from: commits.base, to: commits.after };
				if (how === 'compare') {
					refuseUnopened(repository);
				}
				return [{ range, own: [] }];
			},
		});
	}

	private async take(subject: StepSubject): Promise<void> {
		const { repository, commits } = await this.bring(subject);
		const range = { repository: repository.place.directory, from: commits.base, to: commits.after };
		await this.dependencies.apply.take(range, vscode.l10n.t('Take Until Step {0}', stepTitle(subject.step)));
	}

	/** Brings the states until a step into the task's repository. */
	private async bring({ node, task }: StepSubject): Promise<{ repository: TaskRepository; commits: StepCommits }> {
		const { dialogs, references, saveBundle } = this.dependencies;
		const repository = await findTaskRepository(task, true);
		const { place } = repository;
		try {
			const commits = await dialogs.during(vscode.l10n.t('Reading the files of the step…'), () =>
				bringStep(place, node, saveBundle),
			);
			references.remember({ key: task.id, taskId: task.id }, place.directory);
			return { repository, commits };
		} catch (error) {
			throw ClientError.is(error, 'not-found') ? goneError(error) : error;
		}
	}
}

/** The editor's multi-file diff reads changes from the repository of a folder that is open. */
function refuseUnopened({ place: { directory }, opened }: TaskRepository): void {
	if (!opened) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The repository {0} isn’t open in this window. Open its folder, then try again.',
				shownFolder(directory),
			),
		);
	}
}

const titleOf = (task: Task): string => taskTitle(task, rowWords.untitled, MAXIMUM_TITLE);

function goneError(cause?: unknown): UserFacingError {
	return new UserFacingError(
		vscode.l10n.t('The files of this step are gone. The service keeps those of a task for two weeks at most.'),
		{ cause },
	);
}
