import * as vscode from 'vscode';
import { choose } from '../platform/pick.ts';
import { defaultFolder, fileNameOf, offerToOpen } from '../platform/saveTarget.ts';
import type { LogDocumentCommands } from './log/logDocumentCommands.ts';
import { exportTask } from './model/exportTask.ts';
import type { ChooseTask } from './model/taskConnection.ts';
import { taskTitle } from './model/taskRow.ts';
import type { TaskChanges } from './results/taskChanges.ts';

export interface ExportTaskDependencies {
	changes: Pick<TaskChanges, 'state'>;
	choose: ChooseTask;
	logCommands: Pick<LogDocumentCommands, 'isInFront' | 'save'>;
	explain(error: unknown): void;
}

type Exported = 'log' | 'task';

export class TaskExport {
	private readonly dependencies: ExportTaskDependencies;

	constructor(dependencies: ExportTaskDependencies) {
		this.dependencies = dependencies;
	}

	/**
	 * Writes the log of a task or the task itself to a file: the log if one is active, otherwise what the name of
	 * `file` indicates, or else what the user chooses.
	 */
	async run(argument: unknown, file?: unknown): Promise<void> {
		const { logCommands } = this.dependencies;
		const exported = logCommands.isInFront(argument)
			? 'log'
			: file instanceof vscode.Uri
				? exportedBy(file)
				: await askWhat();
		if (exported === 'log') {
			await logCommands.save(argument, file);
		} else if (exported === 'task') {
			await this.exportTask(argument, file);
		}
	}

	private async exportTask(argument: unknown, file: unknown): Promise<void> {
		const { changes, choose, explain } = this.dependencies;
		const title = vscode.l10n.t('Export Task as JSON');
		const chosen = await choose(argument, title);
		if (!chosen) {
			return;
		}
		const { id, target } = chosen;
		try {
			// The list may be older than the agents' latest use.
			const task = await target.client.tasks.get(id);
			const name = fileNameOf(taskTitle(task, ''), 'task');
			const place =
				file instanceof vscode.Uri
					? file
					: await vscode.window.showSaveDialog({
							title,
							defaultUri: vscode.Uri.joinPath(defaultFolder(), `${name}.json`),
							filters: { JSON: ['json'] },
						});
			if (!place) {
				return;
			}
			const { name: connection, label } = target.connection;
			const text = exportTask(task, {
				connection: { name: connection, label },
				now: Date.now(),
				baseOf(result) {
					const state = changes.state(task, result);
					return state?.kind === 'read' ? state.changes.base : undefined;
				},
			});
			await vscode.workspace.fs.writeFile(place, new TextEncoder().encode(text));
			offerToOpen(place, vscode.l10n.t('The task was exported to {0}.', vscode.workspace.asRelativePath(place)));
		} catch (error) {
			explain(error);
		}
	}
}

const exportedBy = ({ path }: vscode.Uri): Exported => (path.endsWith('.json') ? 'task' : 'log');

function askWhat(): Promise<Exported | undefined> {
	return choose<Exported>(vscode.l10n.t('Export Task or Log'), [
		{
			label: vscode.l10n.t('Log, as Text'),
			detail: vscode.l10n.t('Every line that the task logged'),
			value: 'log',
		},
		{
			label: vscode.l10n.t('Task, as JSON'),
			detail: vscode.l10n.t('The prompt and its results: agents, branches, tests, times and costs'),
			value: 'task',
		},
	]);
}
