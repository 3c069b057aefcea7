import * as vscode from 'vscode';
import * as z from 'zod';
import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { LOG_SCHEME } from '../platform/ids.ts';
import type { ActiveConnection } from './common/activeConnection.ts';
import { serviceIsStopped } from './common/messages.ts';
import type { TaskLauncher } from './launch/taskLauncher.ts';
import type { ListRefresh } from './list/listRefresh.ts';
import type { TaskListStore } from './list/taskListStore.ts';
import type { TaskView } from './list/taskView.ts';
import type { LogDocuments } from './log/logDocuments.ts';
import type { LogFollowers } from './log/logFollowers.ts';
import { OPEN_LOGS_KEY } from './model/storageKeys.ts';
import type { TaskTarget } from './model/taskConnection.ts';
import type { TaskResults } from './review/taskResults.ts';

export interface TaskResumptionDependencies {
	workspaceState: vscode.Memento;
	active: ActiveConnection;
	/** Returns whether the user has stopped the local service. */
	isServiceStopped(): boolean;
	lists: { store: TaskListStore; list: ListRefresh; view: TaskView };
	logs: LogFollowers;
	documents: LogDocuments;
	launcher: TaskLauncher;
	results: TaskResults;
	logger: Logger;
}

/**
 * Resumes the work that was interrupted by a reload of the window, another connection or a stop of the local service,
 * and the work that waits for a task to appear or to end. Nothing waits for any of it: the view and the rows show the
 * problems.
 */
export class TaskResumption {
	private readonly dependencies: TaskResumptionDependencies;

	constructor(dependencies: TaskResumptionDependencies) {
		this.dependencies = dependencies;
	}

	/** Called in a window that has just opened. */
	async windowOpened(): Promise<void> {
		const { workspaceState, active, lists, launcher, logger } = this.dependencies;
		try {
			await openStoredTabs(workspaceState);
			const target = await active.target();
			this.resumeLogs(target);
			await lists.list.load();
			await launcher.requests.settle(target);
			await launcher.sweep(target.connection.name, target.client);
			await this.sweepBranches();
		} catch (error) {
			logger.log('warn', 'followed tasks could not be resumed', { reason: describeError(error) });
		}
	}

	/** Called when the list of tasks has changed. */
	async listChanged(): Promise<void> {
		const { active, lists, documents, launcher, logger } = this.dependencies;
		if (!active.current) {
			return;
		}
		const { name } = active.current;
		if (lists.store.error === undefined) {
			documents.readAgain();
		}
		try {
			await launcher.requests.settleFromList(name, () => active.target());
			await launcher.sweep(name);
			await this.sweepBranches();
		} catch (error) {
			logger.log('warn', 'what waits for a task could not go on', { reason: describeError(error) });
		}
	}

	/** Called after a switch to another connection. */
	async connectionChanged(): Promise<void> {
		const { active, lists, logs, logger } = this.dependencies;
		active.switched();
		lists.list.reset();
		logs.showStatus();
		try {
			this.resumeLogs(await active.target());
			logs.showStatus();
			lists.view.update();
		} catch (error) {
			logger.log('warn', 'the connection cannot be used', { reason: describeError(error) });
		}
	}

	/** Called when the user has stopped the local service, which stays stopped, or when it runs again. */
	async serviceChanged(): Promise<void> {
		const { active, isServiceStopped, lists, logs } = this.dependencies;
		if (isServiceStopped()) {
			logs.suspend(LOCAL_CONNECTION_NAME, serviceIsStopped());
			if (active.current?.isLocal) {
				lists.store.interruptRunning();
			}
		} else if (active.current?.isLocal) {
			this.resumeLogs(await active.target());
		}
		lists.list.wake();
		lists.view.redraw();
	}

	/** Resumes the logs that were followed on a connection before a reload, or before another one became active. */
	private resumeLogs(target: TaskTarget): void {
		this.dependencies.logs.resume(target);
		this.dependencies.documents.readAgain();
	}

	private async sweepBranches(): Promise<void> {
		const { active, results } = this.dependencies;
		// A stopped service is not started for this.
		if (!active.isStopped) {
			await results.listChanged(await active.target());
		}
	}
}

const tabsSchema = z.array(
	z.object({
		uri: z.string().startsWith(`${LOG_SCHEME}:`),
		column: z.int(),
		/** True if it was the active tab of its group. */
		isActive: z.boolean(),
	}),
);

/**
 * Opens the logs whose tabs an earlier version has stored, because the editor did not restore them, in their places and
 * without moving the focus.
 */
async function openStoredTabs(workspaceState: vscode.Memento): Promise<void> {
	const { data: tabs = [] } = tabsSchema.safeParse(workspaceState.get(OPEN_LOGS_KEY));
	await workspaceState.update(OPEN_LOGS_KEY, undefined);
	for (const { uri, column, isActive } of tabs) {
		// Only the command has the option `background`.
		const options = { viewColumn: column, preview: false, preserveFocus: true, background: !isActive };
		await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(uri), options);
	}
}
