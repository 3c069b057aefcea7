import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { Event } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import { escapeIcons, oneLine, shortName } from '../../base/plainText.ts';
import type { Task } from '../../contract/tasks.ts';
import type { LocalService } from '../../localService/api.ts';
import { executeCommand } from '../../platform/commands.ts';
import { COMPARISON_PAGE, commands } from '../../platform/ids.ts';
import { errorText } from '../../platform/notify.ts';
import { PagePanel } from '../../platform/pagePanel.ts';
import { choose } from '../../platform/pick.ts';
import type { ComparedFile } from '../model/compareResults.ts';
import {
	type Compared,
	type ComparisonView,
	type FromComparisonPage,
	MAXIMUM_COMPARED,
	parseFromComparisonPage,
} from '../model/comparisonProtocol.ts';
import { MAXIMUM_DIFFS, versionUri } from '../results/changeUri.ts';
import { comparisonView } from './comparisonView.ts';
import { CompositionChoice, contributorsOf, PARTS_SHOWN, type Progress } from './compositionChoice.ts';
import { type Comparison, type ComparisonSource, readComparison } from './readComparison.ts';
import type { TaskConnectionAccess } from './taskMaterial.ts';

/** The number of files that the page shows at first, and that each further step adds. */
const FILES_SHOWN = 200;

/** The list of tasks, by which a page notices that one has continued. */
export interface ShownTasks {
	get(id: string): Task | undefined;
	/** Makes sure that the list is read while a task is active. Never rejects. */
	load(): Promise<void>;
	readonly onDidChange: Event<unknown>;
}

export interface ComparisonPanelDependencies extends ComparisonSource {
	extensionUri: vscode.Uri;
	list: ShownTasks;
	connection: Pick<TaskConnectionAccess, 'client' | 'label'>;
	/** Returns how a result is composed, if the connection's service does that. */
	composeWork(): LocalService['composeWork'] | undefined;
	logger: Logger;
}

/** A comparison as an editor tab, which follows its tasks while they work and is restored after a reload. */
export class ComparisonPanel {
	readonly compared: Compared;
	readonly panel: PagePanel<FromComparisonPage, ComparisonView>;
	private readonly dependencies: ComparisonPanelDependencies;
	private readonly disposables = new DisposableStore();
	private comparison: Comparison | undefined;
	private problem: string | undefined;
	/** Aborted by the next reading or when the panel is disposed of. */
	private reading: AbortController | undefined;
	private maximum = FILES_SHOWN;
	/** The user's choice, and the place of an unfinished one. Undefined while the user does not compose. */
	private composing: CompositionChoice | undefined;
	private partsShown = PARTS_SHOWN;
	private progress: Progress = 'choosing';

	constructor(compared: Compared, dependencies: ComparisonPanelDependencies, restored?: vscode.WebviewPanel) {
		this.compared = compared;
		this.dependencies = dependencies;
		const { extensionUri, list, connection, logger } = dependencies;
		this.panel = new PagePanel<FromComparisonPage, ComparisonView>({
			extensionUri,
			name: COMPARISON_PAGE,
			title: vscode.l10n.t('Comparison'),
			tabTitle: vscode.l10n.t('Compare: {0}', compared.title),
			column: vscode.ViewColumn.Active,
			parse: parseFromComparisonPage,
			handle: message => this.handle(message),
			view: () => this.view(),
			label: () => connection.label(),
			logger,
			state: compared,
			restored,
		});
		this.disposables.add(list.onDidChange(() => this.follow()));
		this.panel.onDidDispose(() => {
			this.reading?.abort();
			this.reading = undefined;
			this.disposables.dispose();
		});
	}

	/** Reads everything. `isAskedAnew`: including the branches, which others may have moved. Never rejects. */
	async read(isAskedAnew = true): Promise<void> {
		this.reading?.abort();
		const own = new AbortController();
		this.reading = own;
		this.problem = undefined;
		this.panel.update();
		const { list, connection, logger } = this.dependencies;
		void list.load();
		try {
			const { contenders } = this.compared;
			const comparison = await readComparison(contenders, this.dependencies, isAskedAnew, own.signal);
			const composing = await this.readChoice(comparison);
			if (this.reading === own) {
				this.comparison = comparison;
				this.composing = this.compared.chosen && composing;
			}
		} catch (error) {
			if (this.reading === own) {
				this.problem = oneLine(errorText(error, connection.label()));
				logger.log('warn', 'A comparison could not be read', { reason: describeError(error) });
			}
		} finally {
			if (this.reading === own) {
				this.reading = undefined;
				this.panel.update();
			}
		}
	}

	/** Reads the tasks again if they have changed. The list of another connection does not have them. */
	private follow(): void {
		const shown = this.comparison?.results.map(({ task }) => task);
		const listed = shown?.map(({ id }) => this.dependencies.list.get(id));
		const isListed = listed?.every(task => task !== undefined);
		if (isListed && this.reading === undefined && JSON.stringify(listed) !== JSON.stringify(shown)) {
			void this.read(false);
		}
	}

	/** Shows the choice among the changes, or puts it away. Rejects with an error for the user. */
	private async compose(): Promise<void> {
		const { comparison, compared } = this;
		if (compared.chosen) {
			delete compared.chosen;
			this.composing = undefined;
		} else if (comparison) {
			compared.chosen = [];
			this.composing = await this.readChoice(comparison);
		}
		this.panel.update();
	}

	/** Reads what can be chosen, with what of the choice is still there. Rejects with an error for the user. */
	private async readChoice(comparison: Comparison): Promise<CompositionChoice | undefined> {
		const { compared } = this;
		return (
			compared.chosen &&
			CompositionChoice.read(contributorsOf(comparison), () => compared.chosen ?? []).catch(error => {
				delete compared.chosen;
				throw error;
			})
		);
	}

	/** The editor keeps the choice with the tab. */
	private keepChoice(): void {
		this.progress = 'choosing';
		if (this.composing) {
			this.compared.chosen = this.composing.chosen;
		}
		this.panel.update();
	}

	/** Has the choice composed, which is then one of the compared. Rejects with an error for the user. */
	private async make(): Promise<void> {
		const { composing } = this;
		const [first] = this.compared.contenders;
		const composition = composing?.composition;
		const send = this.dependencies.composeWork();
		if (!composing || !composition || !first || !send || this.progress !== 'choosing') {
			return;
		}
		this.progress = 'sending';
		this.panel.update();
		try {
			const { id, agentExecutions = [] } = await send(first.taskId, composition);
			const { contenders } = this.compared;
			const added = { taskId: id, resultKey: `${id}:${agentExecutions.length - 1}` };
			if (contenders.length < MAXIMUM_COMPARED) {
				contenders.push(added);
			}
			this.progress = 'sent';
		} catch (error) {
			this.progress = 'choosing';
			throw error;
		} finally {
			await this.read(false);
		}
	}

	private view(): ComparisonView {
		const { comparison, problem } = this;
		const { title } = this.compared;
		if (comparison && problem === undefined) {
			const canCompose = this.dependencies.composeWork() !== undefined && contributorsOf(comparison).length > 0;
			const composing = canCompose ? this.composing?.view(this.partsShown, this.progress) : undefined;
			return { title, ...comparisonView(comparison, this.maximum), canCompose, ...defined({ composing }) };
		}
		const sentence = problem ?? vscode.l10n.t('Reading the changes…');
		const tone = problem === undefined ? 'pending' : 'bad';
		return { title, sentence, tone, agents: [], facts: [], sections: [], filesLeft: 0, canCompose: false };
	}

	private async handle(message: Exclude<FromComparisonPage, { kind: 'page-ready' }>): Promise<void> {
		const { comparison } = this;
		const { contenders } = this.compared;
		switch (message.kind) {
			case 'read-again':
				return this.read();
			case 'show-more':
				this.maximum += FILES_SHOWN;
				return this.panel.update();
			case 'compose':
				return this.compose();
			case 'choose':
				this.composing?.choose(message.part, message.isTaken);
				return this.keepChoice();
			case 'choose-all':
				this.composing?.chooseAll(message.agent);
				return this.keepChoice();
			case 'show-more-parts':
				this.partsShown += PARTS_SHOWN;
				return this.panel.update();
			case 'make':
				return this.make();
			case 'judge':
				return executeCommand(commands.newDecision, this.compared);
			case 'review':
				return executeCommand(commands.reviewTaskChanges, contenders[message.agent]);
			case 'apply': {
				const named = defined({ path: message.path });
				return executeCommand(commands.applyTaskChanges, { ...contenders[message.agent], ...named });
			}
			case 'show-file': {
				const file = comparison?.files.find(({ path }) => path === message.path);
				return comparison && file && showFile(comparison, file, message.agent);
			}
			case 'show-differences':
				return comparison && showDifferences(comparison);
		}
	}
}

/** Shows the changes of an agent in a file; without one, the versions of the first two agents that differ in it. */
async function showFile(comparison: Comparison, file: ComparedFile, agent?: number): Promise<void> {
	const first = agent ?? file.versions.findIndex(version => version !== undefined);
	const second = agent ?? file.versions.findIndex(version => version !== undefined && version !== first);
	const names = [...new Set([first, second])].map(at => comparison.results[at]?.name).join(' ↔ ');
	const left = versionOf(comparison, file, first, agent === undefined ? 'after' : 'before');
	const right = versionOf(comparison, file, second);
	const title = `${shortName(file.path)} (${names})`;
	await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
}

/** Shows the files in which two agents differ, in one view. The user chooses the two if there are more. */
async function showDifferences(comparison: Comparison): Promise<void> {
	const { results, files } = comparison;
	const pair = results.length === 2 ? [0, 1] : await choosePair(results.map(({ name }) => name));
	const [first, second] = pair;
	if (first === undefined || second === undefined) {
		return;
	}
	const differing = files.filter(({ versions }) => versions[first] !== versions[second]);
	const resources = differing
		.slice(0, MAXIMUM_DIFFS)
		.map(file => [second, first, second].map(at => versionOf(comparison, file, at)));
	const names = pair.map(at => results[at]?.name).join(' ↔ ');
	const title =
		differing.length > MAXIMUM_DIFFS
			? vscode.l10n.t('{0} ({1} of {2} files)', names, MAXIMUM_DIFFS, differing.length)
			: names;
	await vscode.commands.executeCommand('vscode.changes', title, resources);
}

/** Resolves with fewer than two positions when dismissed. */
async function choosePair(names: readonly string[]): Promise<number[]> {
	const title = vscode.l10n.t('Compare Two');
	const items = names.map((name, value) => ({ label: escapeIcons(name), value }));
	const first = await choose(title, items);
	const others = items.filter(({ value }) => value !== first);
	const second = first === undefined ? undefined : await choose(title, others);
	return [first, second].filter(position => position !== undefined);
}

/** Returns the URI of a file as an agent found or left it. An agent that did not change it left it as it was. */
function versionOf(
	{ results }: Comparison,
	{ files }: ComparedFile,
	at: number,
	side: 'before' | 'after' = 'after',
): vscode.Uri {
	const owner = files[at] ? at : files.findIndex(file => file !== undefined);
	const [changes, file] = [results[owner]?.changes, files[owner]];
	if (!changes || !file) {
		throw new RangeError('the comparison has no such version');
	}
	return versionUri(changes, file, owner === at ? side : 'before');
}
