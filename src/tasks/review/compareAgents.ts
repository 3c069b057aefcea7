import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, oneLine } from '../../base/plainText.ts';
import { isRace, resultsOf, type TaskResult } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { durationText } from '../../platform/amounts.ts';
import { choose, chooseSome } from '../../platform/pick.ts';
import type { ResultChanges, TaskChanges } from '../changes/taskChanges.ts';
import { followWords, rowWords } from '../common/messages.ts';
import { usageText } from '../common/usage.ts';
import { readEntries } from '../logDocument/readEntries.ts';
import {
	type ComparedFile,
	type ComparedHunk,
	compareHunks,
	compareResults,
	countChanges,
} from '../model/compareResults.ts';
import type { CompareColumn } from '../model/compareText.ts';
import { type LogFacts, LogFactsReader } from '../model/logFacts.ts';
import { sortTasks } from '../model/taskGroups.ts';
import { taskTitle } from '../model/taskRow.ts';
import type { TestsInLog } from '../model/testsInLog.ts';
import { ComparisonDocuments, type ResultComparison } from './comparisonDocuments.ts';
import { MAXIMUM_FILES_WITH_HUNKS, readFileHunks } from './readHunks.ts';
import { type Patch, readPatch } from './readPatch.ts';
import type { TaskConnectionAccess, TaskFinder } from './taskMaterial.ts';

/** The most results in one comparison, because each is a column. */
const MAXIMUM_RESULTS = 8;
/** The most entries that are read of one log. */
const MAXIMUM_ENTRIES = 50_000;
const MAXIMUM_NAME = 28;
const MAXIMUM_TITLE = 60;

/** A branch with the task that has made it. */
interface Contender {
	task: Task;
	result: TaskResult;
}

/** The patches of what is compared, with the prompt that all of them answer. */
export interface ComparedPatches {
	title: string;
	prompt: string;
	/** The names are unlike each other. */
	patches: (Patch & { name: string })[];
}

export interface AgentComparisonDependencies {
	changes: TaskChanges;
	tasks: Pick<TaskFinder, 'all' | 'get'>;
	connection: Pick<TaskConnectionAccess, 'client'>;
	explain(error: unknown): void;
}

/** Compares what several agents have made of one prompt, or of any tasks of one repository. */
export class AgentComparison implements Disposable {
	private readonly dependencies: AgentComparisonDependencies;
	private readonly disposables = new DisposableStore();
	readonly documents: ComparisonDocuments;

	constructor(dependencies: AgentComparisonDependencies) {
		this.dependencies = dependencies;
		this.documents = this.disposables.add(new ComparisonDocuments(dependencies.explain));
	}

	/** Shows the comparison of the agents of a task, or of what the user chooses. */
	async compare(taskId: string | undefined): Promise<void> {
		try {
			const comparison = await this.find(taskId, vscode.l10n.t('Compare Agents'));
			await (comparison && this.documents.show(comparison));
		} catch (error) {
			this.dependencies.explain(error);
		}
	}

	/** Does the same for other callers than the user, and returns the patches. `argument` may be a comparison. */
	async readPatches(
		argument: unknown,
		taskId: string | undefined,
		title: string,
	): Promise<ComparedPatches | undefined> {
		const comparison = this.documents.active(argument) ?? (await this.find(taskId, title));
		const [first] = comparison?.results ?? [];
		if (!comparison || !first) {
			return undefined;
		}
		const { prompt = '' } = await this.dependencies.tasks.get(first.result.taskId);
		const patches = await Promise.all(
			comparison.results.map(async (changes, at) => ({
				name: comparison.columns[at]?.name ?? changes.result.branch,
				...(await readPatch(changes)),
			})),
		);
		return { title: comparison.title, prompt, patches };
	}

	/**
	 * Compares the agents of a task, or what the user chooses where none is named or the task has one agent only. Resolves
	 * with undefined when dismissed.
	 */
	private async find(taskId: string | undefined, title: string): Promise<ResultComparison | undefined> {
		const task = taskId === undefined ? undefined : await this.dependencies.tasks.get(taskId);
		const contenders = task && isRace(task) ? contendersOf(task) : await this.choose(title);
		return contenders && this.compareAll(contenders.slice(0, MAXIMUM_RESULTS));
	}

	private async choose(title: string): Promise<Contender[] | undefined> {
		const tasks = sortTasks(this.dependencies.tasks.all()).filter(
			task => !isActiveTask(task) && resultsOf(task).length > 0,
		);
		const groups = groupsOf(tasks);
		const others = vscode.l10n.t('Choose Tasks…');
		const chosen =
			groups.length === 0
				? 'others'
				: await choose<Contender[] | 'others'>(title, [
						...groups.map(group => ({
							label: escapeIcons(titleOf(group[0]?.task)),
							description: escapeIcons(namesOf(group).join(', ')),
							value: group,
						})),
						{ label: `$(list-selection) ${others}`, value: 'others' as const },
					]);
		if (chosen !== 'others') {
			return chosen;
		}
		const contenders = tasks.flatMap(contendersOf);
		const keys = await chooseSome(
			title,
			vscode.l10n.t('Two or more tasks of one repository'),
			contenders.map(({ task, result }) => ({
				label: escapeIcons(titleOf(task)),
				description: escapeIcons(
					oneLine(`${result.agent ?? task.selectedAgent ?? ''} ${result.branch}`, MAXIMUM_TITLE),
				),
				value: result.key,
			})),
		);
		return keys && contenders.filter(({ result }) => keys.includes(result.key));
	}

	private async compareAll(contenders: readonly Contender[]): Promise<ResultComparison | undefined> {
		if (contenders.length < 2) {
			throw new UserFacingError(
				vscode.l10n.t('Two branches are needed to compare. Choose two tasks that have ended with changes.'),
			);
		}
		return vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Comparing…'), cancellable: true },
			(_, token) => this.read(contenders, token),
		);
	}

	/** Resolves with undefined when the user has cancelled. */
	private async read(
		contenders: readonly Contender[],
		token: vscode.CancellationToken,
	): Promise<ResultComparison | undefined> {
		const { changes } = this.dependencies;
		const read = await Promise.all(contenders.map(({ task, result }) => changes.read(task, result, true)));
		const directory = read[0]?.repository.place.directory;
		if (read.some(({ repository }) => repository.place.directory !== directory)) {
			throw new UserFacingError(
				vscode.l10n.t('These tasks worked on different repositories. Choose tasks of one repository.'),
			);
		}
		const facts = await this.readLogs(contenders, token);
		if (token.isCancellationRequested) {
			return undefined;
		}
		const files = compareResults(read.map(result => result.files));
		const names = namesOf(contenders);
		return {
			title: titleOf(contenders[0]?.task),
			results: read,
			columns: contenders.map(
				({ task, result }, at): CompareColumn => ({
					name: names[at] ?? '',
					facts: factsText(task, result, read[at], facts.get(result.key)),
				}),
			),
			files,
			hunks: await hunksOf(read, files),
		};
	}

	/** A log that cannot be read leaves its facts out: the changes can be compared all the same. */
	private async readLogs(
		contenders: readonly Contender[],
		token: vscode.CancellationToken,
	): Promise<Map<string, LogFacts>> {
		const found = new Map<string, LogFacts>();
		const client = await this.dependencies.connection.client();
		const stop = new AbortController();
		token.onCancellationRequested(() => stop.abort());
		const tasks = new Map(contenders.map(({ task }) => [task.id, task]));
		await Promise.all(
			Array.from(tasks.values(), async task => {
				const results = resultsOf(task);
				const reader = new LogFactsReader(results);
				let count = 0;
				try {
					const request = { client, taskId: task.id, from: 0, signal: stop.signal, missing: followWords.missing };
					for await (const record of readEntries(request)) {
						if ('entry' in record) {
							reader.add(record.entry, record.sentAt);
						}
						if (++count >= MAXIMUM_ENTRIES) {
							break;
						}
					}
					for (const [at, facts] of reader.facts().entries()) {
						found.set(results[at]?.key ?? '', facts);
					}
				} catch {
					// The row of the log then says that it could not be read.
				}
			}),
		);
		return found;
	}

	dispose(): void {
		this.disposables.dispose();
	}
}

function contendersOf(task: Task): Contender[] {
	return resultsOf(task).map(result => ({ task, result }));
}

/** Returns what is worth comparing: the agents of one task, and tasks with the same prompt and repository. */
function groupsOf(tasks: readonly Task[]): Contender[][] {
	const groups = new Map<string, Contender[]>();
	for (const task of tasks) {
		const key = isRace(task) ? task.id : JSON.stringify([task.repoUrl, task.prompt?.trim()]);
		groups.set(key, [...(groups.get(key) ?? []), ...contendersOf(task)]);
	}
	return [...groups.values()].filter(group => group.length > 1);
}

const titleOf = (task: Task | undefined) => (task ? taskTitle(task, rowWords.untitled, MAXIMUM_TITLE) : '');

/** Returns a unique name for each. */
function namesOf(contenders: readonly Contender[]): string[] {
	const agents = contenders.map(({ task, result }) =>
		oneLine(result.agent ?? task.selectedAgent ?? result.branch, MAXIMUM_NAME),
	);
	return agents.map((name, at) => {
		const earlier = agents.slice(0, at).filter(other => other === name).length;
		return agents.filter(other => other === name).length === 1 ? name : `${name} (${earlier + 1})`;
	});
}

/** Returns the values of the rows whose labels `ComparisonDocuments` has. */
function factsText(
	task: Task,
	result: TaskResult,
	changes: ResultChanges | undefined,
	facts: LogFacts | undefined,
): string[] {
	const { added, removed, files } = countChanges(changes?.files ?? []);
	const position = result.key === task.id ? undefined : Number(result.key.slice(task.id.length + 1));
	const extras = position === undefined ? task.errand : task.agentExecutions?.[position]?.errand;
	const usage = usageText(extras);
	return [
		rowWords.changes(added, removed, files),
		extras?.tests !== undefined
			? vscode.l10n.t('{0} when the service ran them', rowWords.tests(extras.tests))
			: facts
				? testsText(facts.tests)
				: vscode.l10n.t('the log could not be read'),
		facts?.tests?.line === undefined ? '' : vscode.l10n.t('“{0}”', facts.tests.line),
		facts?.duration === undefined ? vscode.l10n.t('not known') : durationText(facts.duration),
		usage === '' ? vscode.l10n.t('not known') : usage,
		oneLine(result.branch, MAXIMUM_TITLE),
	];
}

function testsText(tests: TestsInLog | undefined): string {
	if (!tests) {
		return vscode.l10n.t('the log says nothing of tests');
	}
	const { command, outcome } = tests;
	const words = {
		passed: vscode.l10n.t('passed'),
		failed: vscode.l10n.t('failed'),
		unknown: vscode.l10n.t('ran, no result in the log'),
	}[outcome];
	return command === undefined ? words : vscode.l10n.t('{0}: {1}', words, command);
}

/** Reads the hunks of files that several agents have changed in different ways. */
async function hunksOf(
	results: readonly ResultChanges[],
	files: readonly ComparedFile[],
): Promise<Map<string, ComparedHunk[]>> {
	const different = files.filter(({ state }) => state === 'different').slice(0, MAXIMUM_FILES_WITH_HUNKS);
	const read = await Promise.all(
		results.map(({ repository: { place }, base, tip }, at) => {
			const own = different.flatMap(file => file.files[at] ?? []);
			// Without them the comparison has files only.
			return readFileHunks(place, base, tip, own).catch(() => new Map<string, never>());
		}),
	);
	return new Map(
		different.flatMap(file => {
			const hunks = compareHunks(file, read);
			return hunks ? [[file.path, hunks] as const] : [];
		}),
	);
}
