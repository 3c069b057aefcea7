import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, oneLine } from '../../base/plainText.ts';
import { agentNames, isRace, resultsOf } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { showMessage } from '../../platform/notify.ts';
import { choose, chooseSome } from '../../platform/pick.ts';
import type { ComparedPatches } from '../api.ts';
import { rowWords } from '../common/messages.ts';
import { taskIdOf } from '../list/pickTask.ts';
import { type Compared, type Contender, MAXIMUM_COMPARED, parseCompared } from '../model/comparisonProtocol.ts';
import { sortTasks } from '../model/taskGroups.ts';
import { taskTitle } from '../model/taskRow.ts';
import { readPatch } from '../results/readChanges.ts';
import { ComparisonPanel, type ComparisonPanelDependencies, type ShownTasks } from './comparisonPanel.ts';
import { readResults } from './readComparison.ts';
import type { TaskConnectionAccess, TaskFinder } from './taskMaterial.ts';

const MAXIMUM_TITLE = 60;

export interface AgentComparisonDependencies extends ComparisonPanelDependencies {
	tasks: Pick<TaskFinder, 'all' | 'get'>;
	list: ShownTasks & {
		/** Reads the list of tasks again. Never rejects, and resolves with the error if it cannot be read. */
		refresh(): Promise<unknown>;
	};
	connection: TaskConnectionAccess;
	explain(error: unknown): void;
}

/** Compares the results of several agents for one prompt, or of any tasks of one repository. */
export class AgentComparison implements Disposable {
	private readonly dependencies: AgentComparisonDependencies;
	private readonly panels = new Set<ComparisonPanel>();

	constructor(dependencies: AgentComparisonDependencies) {
		this.dependencies = dependencies;
	}

	/** Shows the comparison of the agents of the task that the argument names, or of the user's choice. */
	async compare(argument: unknown): Promise<void> {
		if (!(await this.dependencies.connection.ensureKey())) {
			return;
		}
		try {
			const compared = await this.find(taskIdOf(argument), vscode.l10n.t('Compare Agents'));
			await (compared && this.show(compared));
		} catch (error) {
			this.dependencies.explain(error);
		}
	}

	/** Continues with a tab that was open before a reload. `state` is the state that the editor has kept of it. */
	async restore(tab: vscode.WebviewPanel, state: unknown): Promise<void> {
		const compared = parseCompared(state);
		const known = compared && this.known(compared);
		if (compared && !known) {
			await this.open(compared, tab).read(false);
			return;
		}
		tab.dispose();
		known?.panel.reveal();
		if (!compared) {
			void showMessage(
				'information',
				vscode.l10n.t('This comparison is no longer available. Select it again with “Errand: Compare Agents”.'),
			);
		}
	}

	/**
	 * Returns the patches of the argument, of the active comparison, of the agents of the task that the argument names,
	 * or of the user's choice. Rejects with an error for the user.
	 */
	async readPatches(argument: unknown, title: string): Promise<ComparedPatches | undefined> {
		if (!(await this.dependencies.connection.ensureKey())) {
			return undefined;
		}
		const isOther = argument !== undefined && !(argument instanceof vscode.Uri);
		const active = isOther ? undefined : [...this.panels].find(({ panel }) => panel.isActive)?.compared;
		const compared = parseCompared(argument) ?? active ?? (await this.find(taskIdOf(argument), title));
		if (!compared) {
			return undefined;
		}
		const results = await readResults(compared.contenders, this.dependencies, true);
		const patches = results.flatMap(({ name, changes }) =>
			changes ? [readPatch(changes).then(patch => ({ name, ...patch }))] : [],
		);
		return { title: compared.title, prompt: results[0]?.task.prompt ?? '', patches: await Promise.all(patches) };
	}

	dispose(): void {
		for (const { panel } of [...this.panels]) {
			panel.dispose();
		}
	}

	private async show(compared: Compared): Promise<void> {
		const known = this.known(compared);
		known?.panel.reveal();
		await (known ?? this.open(compared)).read();
	}

	/** A composition adds itself to the comparison that it was made in. */
	private known(compared: Compared): ComparisonPanel | undefined {
		return [...this.panels].find(panel => keyOf(panel.compared) === keyOf(compared));
	}

	private open(compared: Compared, restored?: vscode.WebviewPanel): ComparisonPanel {
		const opened = new ComparisonPanel(compared, this.dependencies, restored);
		this.panels.add(opened);
		opened.panel.onDidDispose(() => this.panels.delete(opened));
		return opened;
	}

	/**
	 * Returns the agents of a task, or the user's choice if none is named or the task has only one agent. Resolves with
	 * undefined when dismissed. Rejects with an error for the user.
	 */
	private async find(taskId: string | undefined, title: string): Promise<Compared | undefined> {
		const task = taskId === undefined ? undefined : await this.dependencies.tasks.get(taskId);
		if (task && isRace(task)) {
			return comparedOf([task], contendersOf(task));
		}
		const unread = await this.dependencies.list.refresh();
		const tasks = sortTasks(this.dependencies.tasks.all()).filter(
			candidate => !isActiveTask(candidate) && resultsOf(candidate).length > 0,
		);
		if (tasks.flatMap(resultsOf).length < 2) {
			const none = vscode.l10n.t(
				'There are no two branches of ended tasks to compare. Start a task with two agents, or another task.',
			);
			throw unread ?? new UserFacingError(none);
		}
		const contenders = await chooseContenders(tasks, title);
		if (contenders && contenders.length < 2) {
			throw new UserFacingError(
				vscode.l10n.t('Comparing requires two branches. Select two tasks that ended with changes.'),
			);
		}
		return contenders && comparedOf(tasks, contenders);
	}
}

/** Lets the user choose one of the likely comparisons, or any tasks. */
async function chooseContenders(tasks: readonly Task[], title: string): Promise<Contender[] | undefined> {
	const groups = groupsOf(tasks);
	const others = vscode.l10n.t('Select Tasks…');
	const group =
		groups.length === 0
			? 'others'
			: await choose<Contender[] | 'others'>(title, [
					...groups.map(together => ({
						label: escapeIcons(titleOf(together[0])),
						description: escapeIcons(together.map(agentsOf).join(', ')),
						value: together.flatMap(contendersOf),
					})),
					{ label: `$(list-selection) ${others}`, value: 'others' as const },
				]);
	if (group !== 'others') {
		return group;
	}
	const results = tasks.flatMap(task => resultsOf(task).map(result => ({ ...result, task })));
	const keys = await chooseSome(
		title,
		vscode.l10n.t('Select two or more tasks of one repository'),
		results.map(({ task, name, branch, key }) => ({
			label: escapeIcons(titleOf(task)),
			description: escapeIcons(oneLine(`${name ?? agentsOf(task)} ${branch}`, MAXIMUM_TITLE)),
			value: key,
		})),
	);
	const chosen = keys && results.filter(({ key }) => keys.includes(key));
	return chosen?.map(({ taskId, key }) => ({ taskId, resultKey: key }));
}

/**
 * Returns the tasks that are worth comparing: tasks of several agents, and tasks with the same prompt and repository.
 */
function groupsOf(tasks: readonly Task[]): Task[][] {
	const groups = Map.groupBy(tasks, task =>
		isRace(task) ? task.id : JSON.stringify([task.repoUrl, task.prompt?.trim()]),
	);
	return [...groups.values()].filter(group => group.flatMap(resultsOf).length > 1);
}

function agentsOf(task: Task): string {
	const agents = isRace(task) ? agentNames(task) : [task.selectedAgent];
	return oneLine(agents.filter(Boolean).join(', '), MAXIMUM_TITLE);
}

function comparedOf(tasks: readonly Task[], contenders: readonly Contender[]): Compared {
	const first = tasks.find(({ id }) => id === contenders[0]?.taskId);
	return { title: titleOf(first), contenders: contenders.slice(0, MAXIMUM_COMPARED) };
}

function contendersOf(task: Task): Contender[] {
	const keys = isRace(task)
		? (task.agentExecutions ?? []).map((_, position) => `${task.id}:${position}`)
		: resultsOf(task).map(({ key }) => key);
	return keys.map(resultKey => ({ taskId: task.id, resultKey }));
}

const keyOf = ({ contenders }: Compared) => JSON.stringify(contenders.map(({ resultKey }) => resultKey));

const titleOf = (task: Task | undefined) => (task ? taskTitle(task, rowWords.untitled, MAXIMUM_TITLE) : '');
