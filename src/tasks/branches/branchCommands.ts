import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, shortName } from '../../base/plainText.ts';
import { resultsOf, type TaskResult } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { readServiceAddress } from '../model/serviceAddress.ts';
import type { ChooseTask, TaskTarget } from '../model/taskConnection.ts';
import { chooseResult, resultKeyOf } from '../results/pickResult.ts';
import { findTaskRepository } from '../results/taskRepository.ts';
import type { BranchSubject } from './branchSubject.ts';
import { checkOutBranch, openWorktree } from './checkOutCommand.ts';
import { deleteTaskBranch } from './deleteCommand.ts';
import type { Dialogs } from './dialogs.ts';
import { mergeTaskBranch } from './mergeCommand.ts';
import { createPullRequest, openNamedPullRequest } from './pullRequestCommand.ts';
import { pushTaskBranch } from './pushCommand.ts';

export interface BranchCommandsDependencies {
	globalState: vscode.Memento;
	choose: ChooseTask;
	/** The known tasks. */
	store: { get(id: string): Task | undefined };
	/** Forgets the facts known about a deleted branch. */
	forgetBranch(result: TaskResult): Promise<void>;
	explain(error: unknown): void;
	dialogs: Dialogs;
}

/**
 * The commands that bring a task's branch to the place the user wants. Each takes a row of the tree, an object with
 * `taskId` and `resultKey`, the id of a task, or nothing, and shows its errors itself.
 */
export class BranchCommands {
	private readonly dependencies: BranchCommandsDependencies;
	private readonly dialogs: Dialogs;
	readonly checkOut = this.onBranch(vscode.l10n.t('Check Out Task Branch'), checkOutBranch);
	readonly openWorktree = this.onBranch(vscode.l10n.t('Open Task Branch in Worktree'), openWorktree);
	readonly merge = this.onBranch(vscode.l10n.t('Merge Task Branch'), mergeTaskBranch);
	readonly push = this.onBranch(vscode.l10n.t('Push Task Branch'), pushTaskBranch);
	readonly delete = this.onBranch(vscode.l10n.t('Delete Task Branch'), (subject, dialogs) =>
		deleteTaskBranch(subject, dialogs, this.dependencies),
	);

	constructor(dependencies: BranchCommandsDependencies) {
		this.dependencies = dependencies;
		this.dialogs = dependencies.dialogs;
	}

	/** Opens the pull request of a task, or the page on which the user can create one. */
	openPullRequest(argument: unknown): Promise<void> {
		const title = vscode.l10n.t('Open or Create Pull Request');
		return this.withTask(argument, title, async ({ task, target: { connection } }) => {
			if (await openNamedPullRequest(task, this.dialogs)) {
				return;
			}
			const result = await this.chooseResult(task, argument, title);
			if (result) {
				const subject = { task, result, repository: await findTaskRepository(task, connection.isLocal) };
				const hasExtension = (id: string) => vscode.extensions.getExtension(id) !== undefined;
				await createPullRequest(subject, this.dialogs, this.dependencies.globalState, hasExtension);
			}
		});
	}

	/** Opens the sandbox of a task or the dashboard of its connection; if there are both, the user chooses. */
	openInBrowser(argument: unknown): Promise<void> {
		const title = vscode.l10n.t('Open Task in Browser');
		return this.withTask(argument, title, async ({ task, target: { connection } }) => {
			const places = [
				{ label: vscode.l10n.t('Sandbox'), address: task.sandboxUrl },
				{ label: vscode.l10n.t('Dashboard'), address: connection.dashboardUrl },
			].flatMap(({ label, address }) =>
				address === undefined ? [] : [{ label, description: escapeIcons(shortName(address)), value: address }],
			);
			const [only] = places;
			if (!only) {
				throw new UserFacingError(
					vscode.l10n.t('{0} reports neither a sandbox for this task nor a dashboard.', shortName(connection.label)),
				);
			}
			const address = places.length === 1 ? only.value : await this.dialogs.choose<string>(title, places);
			await (address !== undefined && this.openServiceAddress(address));
		});
	}

	/** Copies the id of a task or one of its branches. The row of an agent offers only the branch of that agent. */
	copy(argument: unknown): Promise<void> {
		const title = vscode.l10n.t('Copy Task ID or Branch Name');
		return this.withTask(argument, title, async ({ task }) => {
			const results = resultsOf(task);
			const named = results.filter(({ key }) => key === resultKeyOf(argument));
			const choices = [
				...(named.length === 0 ? results : named).map(({ branch }) => ({
					label: escapeIcons(shortName(branch)),
					description: vscode.l10n.t('branch'),
					value: branch,
				})),
				{ label: escapeIcons(shortName(task.id)), description: vscode.l10n.t('task ID'), value: task.id },
			];
			const text = choices.length === 1 ? task.id : await this.dialogs.choose<string>(title, choices);
			await (text !== undefined && this.dialogs.copy(text));
		});
	}

	private async openServiceAddress(address: string): Promise<void> {
		const url = readServiceAddress(address, { allowsLoopback: true });
		if (!url) {
			throw new UserFacingError(
				vscode.l10n.t(
					'The address wasn’t opened because it’s neither an https address nor on this machine: {0}',
					shortName(address),
				),
			);
		}
		await this.dialogs.openAddress(url.href);
	}

	/** Returns the command that does something with a branch of the task that its argument names. */
	private onBranch(
		title: string,
		run: (subject: BranchSubject, dialogs: Dialogs) => Promise<void>,
	): (argument: unknown) => Promise<void> {
		return argument =>
			this.withTask(argument, title, async ({ task, target: { connection } }) => {
				const result = await this.chooseResult(task, argument, title);
				if (result) {
					const repository = await findTaskRepository(task, connection.isLocal);
					await run({ task, result, repository }, this.dialogs);
				}
			});
	}

	/** Does something with the task that an argument names or the user chooses, and with its connection. */
	private async withTask(
		argument: unknown,
		title: string,
		run: (chosen: { task: Task; target: TaskTarget }) => Promise<unknown>,
	): Promise<void> {
		try {
			const chosen = await this.dependencies.choose(argument, title);
			if (chosen) {
				const { id, target } = chosen;
				await run({ task: this.dependencies.store.get(id) ?? (await target.client.tasks.get(id)), target });
			}
		} catch (error) {
			this.dependencies.explain(error);
		}
	}

	/** Returns the branch named by the argument, the task's only one, or the user's choice. */
	private chooseResult(task: Task, argument: unknown, title: string): Promise<TaskResult | undefined> {
		const question = {
			title,
			placeHolder: vscode.l10n.t('Select the branch of an agent'),
			none: vscode.l10n.t('The task has no branch to do this with.'),
		};
		return chooseResult(task, resultKeyOf(argument), question, this.dialogs.choose);
	}
}
