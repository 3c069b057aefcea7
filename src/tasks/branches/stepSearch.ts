import * as vscode from 'vscode';
import { ClientError } from '../../base/errors.ts';
import { escapeIcons, oneLine } from '../../base/plainText.ts';
import { MAXIMUM_SEARCH_COMMAND, type StepSearchEvent, type StepSearchPlan } from '../../contract/stepSearch.ts';
import { agentNames, isRace } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import type { LocalService } from '../../localService/api.ts';
import { formatNumber } from '../../platform/amounts.ts';
import type { withProgressNotice } from '../../platform/progressNotice.ts';
import { checkTrust } from '../../platform/trust.ts';
import { searchName } from '../common/stepMessages.ts';
import type { LogChannel } from '../log/logChannel.ts';
import { type StepAction, type StepNode, stepNode } from '../model/stepNode.ts';
import { visibleText } from '../model/visibleText.ts';
import type { TaskSteps } from '../results/taskSteps.ts';
import type { Dialogs } from './dialogs.ts';

const MAXIMUM_NAME = 80;

type SearchEnd = Extract<StepSearchEvent, { type: 'found' | 'none' | 'error' }>;

/** Where the lines of a search are shown. */
type SearchLog = Pick<LogChannel, 'clear' | 'append' | 'show'>;

export interface StepSearchesDependencies {
	store: { get(id: string): Task | undefined };
	steps: TaskSteps;
	dialogs: Pick<Dialogs, 'choose' | 'input' | 'tell'>;
	service: Pick<LocalService, 'readSearchPlan' | 'searchSteps'>;
	withProgress: typeof withProgressNotice;
	openLog(): SearchLog;
	runStepAction(action: StepAction, step: StepNode): Promise<void>;
	explain(error: unknown): void;
}

/** The search for the step of a task that broke something, which the service makes in its sandbox. */
export class StepSearches {
	private readonly dependencies: StepSearchesDependencies;
	private log: SearchLog | undefined;

	constructor(dependencies: StepSearchesDependencies) {
		this.dependencies = dependencies;
	}

	/** Asks for a command and searches with it. Any extension may run the command. Shows every error itself. */
	async run(taskId?: unknown): Promise<void> {
		const { store, steps, explain } = this.dependencies;
		const task = typeof taskId === 'string' ? store.get(taskId) : undefined;
		if (!task) {
			return;
		}
		try {
			checkTrust();
			await steps.update(task.id);
			const agent = isRace(task) ? await this.chooseAgent(task) : undefined;
			if (!isRace(task) || agent !== undefined) {
				await this.searchAmong(task, agent);
			}
		} catch (error) {
			explain(error);
		}
	}

	private chooseAgent(task: Task): Promise<number | undefined> {
		const known = this.dependencies.steps.known(task.id);
		const items = agentNames(task).map((name, value) => ({ label: escapeIcons(oneLine(name, MAXIMUM_NAME)), value }));
		return this.dependencies.dialogs.choose(
			searchName,
			items.filter(({ value }) => known.some(step => step.agent === value)),
			{ placeHolder: vscode.l10n.t('Several agents worked on this prompt. Select one.') },
		);
	}

	private async searchAmong(task: Task, agent: number | undefined): Promise<void> {
		const { dialogs, service, withProgress } = this.dependencies;
		const plan = await service.readSearchPlan(task.id, agent);
		const asked = await dialogs.input(searchName, planText(plan), plan.command ?? '', commandProblem);
		const command = asked?.trim();
		if (command === undefined) {
			return;
		}
		this.log ??= this.dependencies.openLog();
		const { log } = this;
		log.clear();
		let end: SearchEnd | undefined;
		const unstable: number[] = [];
		const isDone = await withProgress(searchName, async (signal, report) => {
			const request = {
				// The tests run as they do after an agent: with the package scripts of before the task.
				...(command !== plan.command && { command }),
				...(agent !== undefined && { agent }),
			};
			await service
				.searchSteps(
					task.id,
					request,
					event => {
						const text = this.logText(task.id, event);
						log.append(text === '' ? '' : `${text}\n`);
						if (event.type === 'run') {
							report(runText(event));
						} else if (event.type === 'unstable') {
							unstable.push(event.index);
						} else if (event.type !== 'output' && event.type !== 'end') {
							end = event;
						}
					},
					signal,
				)
				.catch(error => {
					if (!signal.aborted) {
						throw error;
					}
				});
			return !signal.aborted;
		});
		if (!isDone) {
			log.append(`${vscode.l10n.t('Canceled.')}\n`);
		} else if (end !== undefined) {
			await this.tell(task, command, end, unstable);
		}
	}

	private async tell(task: Task, command: string, end: SearchEnd, unstable: readonly number[]): Promise<void> {
		if (end.type === 'error') {
			throw new ClientError('server', 'the search failed', { serviceMessage: end.error });
		}
		const { dialogs, runStepAction } = this.dependencies;
		const showLog = vscode.l10n.t('Show Log');
		const shown = oneLine(command, MAXIMUM_NAME);
		const unsure = unstable.map(index =>
			vscode.l10n.t('Its results differed {0}, so it ran there again.', placeText(index)),
		);
		const noticed = (text: string) => [text, ...unsure].join(' ');
		if (end.type === 'none') {
			if ((await dialogs.tell('information', noticed(noneText(shown, end.reason)), showLog)) === showLog) {
				this.log?.show(false);
			}
			return;
		}
		const { index, before, outcome } = end;
		const step = `${formatNumber(index + 1)}${this.titleOf(task.id, index)}`;
		const text =
			outcome === 'not-run'
				? vscode.l10n.t('Step {0} broke it: “{1}” passes before it, and can’t be run after it.', step, shown)
				: vscode.l10n.t('Step {0} broke it: “{1}” passes before it, and fails after it.', step, shown);
		const changes = vscode.l10n.t('Show Changes');
		const goOn = vscode.l10n.t('Continue from Before…');
		// Only a step of a task of one agent can be continued from.
		const buttons = before < 0 || isRace(task) ? [changes, showLog] : [changes, goOn, showLog];
		switch (await dialogs.tell('information', noticed(text), ...buttons)) {
			case changes:
				await runStepAction('changes', stepNode(task.id, index));
				break;
			case goOn:
				await runStepAction('continue', stepNode(task.id, before));
				break;
			case showLog:
				this.log?.show(false);
				break;
		}
	}

	private logText(taskId: string, event: StepSearchEvent): string {
		switch (event.type) {
			case 'run':
				return `${event.run === 1 ? '' : '\n'}${runText(event)}${this.titleOf(taskId, event.index)}`;
			case 'output':
				return event.lines.map(line => `  ${visibleText(line)}`).join('\n');
			case 'end':
				return {
					passed: vscode.l10n.t('Passed.'),
					failed: vscode.l10n.t('Failed.'),
					'not-run': vscode.l10n.t('Couldn’t be run.'),
				}[event.outcome];
			case 'unstable':
				return vscode.l10n.t('The results differed {0}.', placeText(event.index));
			case 'error':
				return event.error;
			default:
				return '';
		}
	}

	/** Returns the title of a step in brackets, or nothing if it is not known. */
	private titleOf(taskId: string, index: number): string {
		const { title } = this.dependencies.steps.find(stepNode(taskId, index)) ?? {};
		return title === undefined ? '' : ` (${oneLine(title, MAXIMUM_NAME)})`;
	}
}

function runText({ run, of, index }: Extract<StepSearchEvent, { type: 'run' }>): string {
	return vscode.l10n.t('Run {0} of at most {1}: {2}', formatNumber(run), formatNumber(of), placeText(index));
}

function placeText(index: number): string {
	return index < 0 ? vscode.l10n.t('before the first step') : vscode.l10n.t('after step {0}', formatNumber(index + 1));
}

function noneText(command: string, reason: Extract<SearchEnd, { type: 'none' }>['reason']): string {
	switch (reason) {
		case 'passes':
			return vscode.l10n.t('“{0}” passes after the last step, so no step broke it.', command);
		case 'fails-before':
			return vscode.l10n.t('“{0}” fails already before the first step, so no step broke it.', command);
		case 'not-run':
			return vscode.l10n.t('“{0}” can’t be run before the first step. The log says why.', command);
		case 'unstable':
			return vscode.l10n.t(
				'“{0}” passes and fails on the same files, so the step that broke it can’t be found.',
				command,
			);
	}
}

function planText({ isSandboxed, runs }: StepSearchPlan): string {
	const times = formatNumber(runs);
	return isSandboxed
		? vscode.l10n.t(
				'A command that fails where it’s broken. It runs at most {0} times in the sandbox, on copies of the files after some of the steps.',
				times,
			)
		: vscode.l10n.t(
				'A command that fails where it’s broken. It runs at most {0} times without a sandbox, on copies of the files after some of the steps.',
				times,
			);
}

function commandProblem(text: string): string | undefined {
	if (text.trim() === '') {
		return vscode.l10n.t('Enter a command.');
	}
	return text.trim().length > MAXIMUM_SEARCH_COMMAND ? vscode.l10n.t('The command is too long.') : undefined;
}
