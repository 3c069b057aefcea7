import * as vscode from 'vscode';
import { DisposableOwner } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import { internalCommands, LOG_SCHEME } from '../../platform/ids.ts';
import { stepActionNames, stepLimits, stepMarks } from '../../platform/stepMessages.ts';
import { searchName, stepSize } from '../common/stepMessages.ts';
import { readTarget } from '../common/taskUri.ts';
import { stepNode } from '../model/stepNode.ts';
import type { TaskSteps } from '../results/taskSteps.ts';
import type { LogLine } from './logLine.ts';

export interface StepLensesDependencies {
	steps: TaskSteps;
	/** Returns whether a task is over. */
	isOver(taskId: string): boolean;
	/** Fires when a task has ended. */
	onDidEnd: Event<unknown>;
	/** Returns whether a connection of this name is active. */
	isActive(connection: string): boolean;
	/** Returns the lines that a document shows. */
	linesOf(document: vscode.TextDocument): readonly LogLine[];
}

/** The lenses above the entries of a log document whose steps have changed files. */
export class StepLenses extends DisposableOwner implements vscode.CodeLensProvider {
	private readonly dependencies: StepLensesDependencies;
	private readonly changed = this.disposables.add(new vscode.EventEmitter<void>());
	readonly onDidChangeCodeLenses = this.changed.event;

	constructor(dependencies: StepLensesDependencies, scheme = LOG_SCHEME) {
		super();
		this.dependencies = dependencies;
		this.disposables.add(dependencies.steps.onDidChange(() => this.changed.fire()));
		this.disposables.add(dependencies.onDidEnd(() => this.changed.fire()));
		this.disposables.add(vscode.languages.registerCodeLensProvider({ scheme }, this));
	}

	provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
		const { steps, isOver, isActive, linesOf } = this.dependencies;
		const target = readTarget(document.uri);
		if (!target || !isActive(target.connection)) {
			return [];
		}
		const { taskId } = target;
		void steps.update(taskId);
		const known = steps.known(taskId);
		const last = known.at(-1);
		if (last === undefined) {
			return [];
		}
		const lines = new Map<number, number>();
		linesOf(document).forEach(({ index, isFirst }, line) => {
			if (isFirst) {
				lines.set(index, line);
			}
		});
		const top = new vscode.Range(0, 0, 0, 0);
		const search = { command: internalCommands.searchSteps, title: searchName, arguments: [taskId] };
		const all = {
			command: internalCommands.runStepAction,
			title: vscode.l10n.t('All Steps'),
			arguments: ['steps', stepNode(taskId, last.index)],
		};
		const lenses = isOver(taskId) ? [search, all] : [all];
		return lenses
			.map(command => new vscode.CodeLens(top, command))
			.concat(
				known.flatMap(step => {
					const line = lines.get(step.step);
					if (line === undefined) {
						return [];
					}
					const range = new vscode.Range(line, 0, line, 0);
					const tooltip = [stepSize(step), ...stepLimits(step)].join('\n');
					const marks = stepMarks(step).join(', ');
					return Object.entries(stepActionNames).map(([action, name]) => {
						// Four lenses stand in one line, which is cut where the editor is narrow.
						const title = action === 'changes' && marks !== '' ? `${name} (${marks})` : name;
						const command = {
							command: internalCommands.runStepAction,
							title,
							tooltip,
							arguments: [action, stepNode(taskId, step.index)],
						};
						return new vscode.CodeLens(range, command);
					});
				}),
			);
	}
}
