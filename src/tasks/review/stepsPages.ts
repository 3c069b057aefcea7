import * as vscode from 'vscode';
import { type Disposable, DisposableOwner } from '../../base/disposable.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { agentNames, isRace } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { executeCommand } from '../../platform/commands.ts';
import { internalCommands, STEPS_PAGE } from '../../platform/ids.ts';
import { PagePanel } from '../../platform/pagePanel.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { rowWords } from '../common/messages.ts';
import type { TaskListStore } from '../list/taskListStore.ts';
import { stepNode } from '../model/stepNode.ts';
import {
	type FromStepsPage,
	parseFromStepsPage,
	parseShownSteps,
	type ShownSteps,
	type StepsView,
} from '../model/stepsProtocol.ts';
import type { ChooseTask } from '../model/taskConnection.ts';
import { taskTitle } from '../model/taskRow.ts';
import type { TaskSteps } from '../results/taskSteps.ts';
import { stepsView } from './stepsView.ts';

const MAXIMUM_TITLE = 60;

export interface StepsPagesDependencies {
	extensionUri: vscode.Uri;
	active: ActiveConnection;
	store: Pick<TaskListStore, 'get' | 'onDidChange'>;
	/** Makes sure that the list is read while a task is active. Never rejects. */
	load(): Promise<void>;
	steps: TaskSteps;
	choose: ChooseTask;
	explain(error: unknown): void;
	logger: Logger;
}

/** The pages of the steps of tasks, each an editor tab that is restored after a reload. */
export class StepsPages implements Disposable {
	private readonly dependencies: StepsPagesDependencies;
	private readonly pages = new Map<string, StepsPage>();

	constructor(dependencies: StepsPagesDependencies) {
		this.dependencies = dependencies;
	}

	/** Shows the steps of the given task, or of one that the user chooses, with one of them selected. */
	async open(argument: unknown, selected?: number): Promise<void> {
		const { active, store, choose, explain } = this.dependencies;
		const chosen = await choose(argument, vscode.l10n.t('Show Steps of Task'));
		if (!chosen) {
			return;
		}
		const { id, target } = chosen;
		try {
			if (!target.connection.isLocal) {
				throw new UserFacingError(
					vscode.l10n.t(
						'{0} doesn’t keep the steps of its tasks. Only the service on this machine does.',
						active.label,
					),
				);
			}
			const task = store.get(id) ?? (await target.client.tasks.get(id));
			const title = taskTitle(task, rowWords.untitled, MAXIMUM_TITLE);
			const page = this.pages.get(id) ?? this.add({ connection: target.connection.name, taskId: id, title });
			await page.show(selected);
		} catch (error) {
			explain(error);
		}
	}

	/** Continues with a tab that was open before a reload. `state` is the state that the editor has kept of it. */
	async restore(tab: vscode.WebviewPanel, state: unknown): Promise<void> {
		const shown = parseShownSteps(state);
		if (!shown || this.pages.has(shown.taskId)) {
			tab.dispose();
			return;
		}
		await this.add(shown, tab).show();
	}

	dispose(): void {
		for (const page of [...this.pages.values()]) {
			page.panel.dispose();
		}
	}

	private add(shown: ShownSteps, restored?: vscode.WebviewPanel): StepsPage {
		const page = new StepsPage(shown, this.dependencies, restored);
		this.pages.set(shown.taskId, page);
		page.panel.onDidDispose(() => {
			this.pages.delete(shown.taskId);
			page.dispose();
		});
		return page;
	}
}

class StepsPage extends DisposableOwner {
	readonly panel: PagePanel<FromStepsPage, StepsView>;
	private readonly shown: ShownSteps;
	private readonly dependencies: StepsPagesDependencies;
	/** The task as it was when it was last seen. */
	private task: Task | undefined;
	/** Why the task could not be read. */
	private problem: string | undefined;
	/** False if another connection is active, whose tasks are not these. */
	private isActive = true;
	private agent = 0;
	private order: number[] = [];
	private selected: number | undefined;
	private request = 0;

	constructor(shown: ShownSteps, dependencies: StepsPagesDependencies, restored?: vscode.WebviewPanel) {
		super();
		this.shown = shown;
		this.dependencies = dependencies;
		const { extensionUri, active, store, steps, logger } = dependencies;
		this.panel = new PagePanel<FromStepsPage, StepsView>({
			extensionUri,
			name: STEPS_PAGE,
			title: vscode.l10n.t('Steps'),
			tabTitle: vscode.l10n.t('Steps: {0}', shown.title),
			column: vscode.ViewColumn.Active,
			parse: parseFromStepsPage,
			handle: message => this.handle(message),
			view: () => this.view(),
			label: () => active.label,
			logger,
			state: shown,
			restored,
		});
		this.disposables.add(store.onDidChange(() => this.follow()));
		this.disposables.add(steps.onDidChange(id => id === shown.taskId && this.panel.update()));
	}

	/** Brings the page to the front, and reads what it shows. Never rejects. */
	async show(selected?: number): Promise<void> {
		const { steps } = this.dependencies;
		if (selected !== undefined) {
			this.selected = selected;
			this.agent = steps.find(stepNode(this.shown.taskId, selected))?.agent ?? this.agent;
			this.request++;
			this.panel.update();
		}
		this.panel.reveal();
		await this.read();
	}

	private async read(): Promise<void> {
		const { active, store, steps, load } = this.dependencies;
		const { connection, taskId } = this.shown;
		this.problem = undefined;
		try {
			const { client } = await active.targetOf(connection);
			void load();
			this.task = store.get(taskId) ?? (await client.tasks.get(taskId));
			await steps.update(taskId, true);
		} catch (error) {
			this.problem = active.explain(error);
		}
		this.panel.update();
	}

	/** Tests may have run since the last step, so that the number of steps does not tell whether there is something new. */
	private follow(): void {
		const { active, store, steps } = this.dependencies;
		const { connection, taskId } = this.shown;
		const isActive = active.is(connection);
		if (isActive !== this.isActive) {
			this.isActive = isActive;
			this.panel.update();
		}
		const task = isActive && !active.isStopped ? store.get(taskId) : undefined;
		if (task && JSON.stringify(task) !== JSON.stringify(this.task)) {
			this.task = task;
			void steps.update(taskId, true);
		}
	}

	private view(): StepsView {
		const { steps } = this.dependencies;
		const { taskId, title } = this.shown;
		const { task, agent, request, selected, isActive, problem } = this;
		const { order, ...contents } = stepsView({
			...{ task, agent, order: this.order },
			steps: isActive ? steps.known(taskId) : [],
			problem: isActive
				? (problem ?? steps.problem(taskId))
				: vscode.l10n.t('These steps belong to another connection. Switch to it, then try again.'),
		});
		this.order = order;
		return { title, agents: task && isRace(task) ? agentNames(task) : [], agent, selected, request, ...contents };
	}

	private async handle(message: Exclude<FromStepsPage, { kind: 'page-ready' }>): Promise<void> {
		const { taskId } = this.shown;
		switch (message.kind) {
			case 'read-again':
				return this.read();
			case 'select-step':
				this.selected = message.index;
				return;
			case 'select-agent':
				this.agent = message.agent;
				this.order = [];
				this.selected = undefined;
				this.request++;
				return this.panel.update();
			case 'run-action':
				return executeCommand(internalCommands.runStepAction, message.action, stepNode(taskId, message.index));
		}
	}
}
