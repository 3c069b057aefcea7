// The search for the step of a task that broke something. A command runs on the states after some of the steps, each in
// a clean copy like the one in which the repository's tests run after an agent (commandRun.ts).
import { existsSync } from 'node:fs';
import path from 'node:path';
import { withoutModel } from '../../../agents/relay/relay.ts';
import { endLeftPrograms } from '../../../agents/run/leftPrograms.ts';
import { outlivesUs, type RunPlace } from '../../../agents/run/runPlace.ts';
import { toolchains } from '../../../agents/sandbox/toolchains.ts';
import { stepsFolder } from '../../../agents/steps/stepChain.ts';
import { type Lineage, lineageOf } from '../../../agents/steps/stepContent.ts';
import { describeError, UserFacingError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { removeFolder } from '../../../base/removeFolder.ts';
import { sseEvent } from '../../../base/streamText.ts';
import type { StepSearchEvent, StepSearchPlan } from '../../../contract/stepSearch.ts';
import type { ExecutionRecord, TaskRecord } from '../../store/taskRecord.ts';
import type { TaskStore } from '../../store/taskStore.ts';
import { Checkout } from '../checkout.ts';
import { runInCopy, TESTS_FOLDER, testPlaceIn } from '../commandRun.ts';
import { folderOfRepoUrl, withoutFieldName } from '../repoUrl.ts';
import type { RunServices } from '../runServices.ts';
import { TaskDependencies } from '../taskDependencies.ts';
import { OutputLines, type ProgramLog } from '../taskLog.ts';
import { findSandbox, placeOfTask, processMarker } from '../taskPlace.ts';
import { findTestCommand } from '../testCommand.ts';
import { findBreakingStep, mostRuns } from './findBreakingStep.ts';

const GIT_MS = 60_000;
/** The lines of a run that are told as they come, and those before its end that are told then. */
const FIRST_LINES = 500;
const LAST_LINES = 200;
/** The length of either in UTF-16 code units. */
const MAXIMUM_LENGTH = 128 * 1024;

export interface StepSearchOptions {
	task: TaskRecord;
	execution: ExecutionRecord;
	/** The folder of the execution. Nothing else uses it meanwhile. */
	folder: string;
	store: TaskStore;
	services: RunServices;
	logger: Logger;
	limitMs: number | undefined;
}

export interface SearchProgress {
	events: AsyncGenerator<string, void>;
	/** Never rejects. */
	over: Promise<void>;
}

export class StepSearch {
	private readonly options: StepSearchOptions;
	private readonly lineage: Lineage;
	private readonly checkout: Checkout;
	readonly plan: StepSearchPlan;

	private constructor(
		options: StepSearchOptions,
		found: Pick<StepSearch, 'plan'> & { lineage: Lineage; checkout: Checkout },
	) {
		this.options = options;
		this.lineage = found.lineage;
		this.checkout = found.checkout;
		this.plan = found.plan;
	}

	/**
	 * Prepares a search among the steps of an agent. Returns undefined if there are none any more.
	 * @throws UserFacingError if the command could not run.
	 */
	static async open(options: StepSearchOptions): Promise<StepSearch | undefined> {
		const { task, execution, folder, store, services } = options;
		const { position, agent } = execution;
		const own = store.steps.list(task, 0, store.steps.count(task)).filter(step => step.agent === position);
		const lineage = existsSync(stepsFolder(folder)) ? await lineageOf(folder, own) : undefined;
		if (lineage === undefined) {
			return undefined;
		}
		const isSandboxed = await findSandbox(services, task.repoUrl);
		const checkout = await Checkout.reopen(
			{
				folder,
				sourceFolder: folderOfRepoUrl(task.repoUrl),
				agent,
				signal: AbortSignal.timeout(GIT_MS),
				states: path.join(stepsFolder(folder), 'objects'),
			},
			task.selectedBranch,
		);
		const tests = await findTestCommand(name => checkout.textAt(lineage.start, name));
		const { length: steps } = lineage.steps;
		const plan = { command: tests?.command ?? null, steps, runs: mostRuns(steps), isSandboxed };
		return new StepSearch(options, { lineage, checkout, plan });
	}

	/**
	 * Searches, and returns the events as text. `command` is that of the repository's tests by default. The search ends
	 * when either signal aborts, and says so unless the caller has `gone`. Nothing of it is left when `over` resolves.
	 */
	begin(command: string | undefined, gone: AbortSignal, stopping: AbortSignal): SearchProgress {
		const waiting: StepSearchEvent[] = [];
		let changed = Promise.withResolvers<void>();
		let isOver = false;
		const tell = (event: StepSearchEvent): void => {
			waiting.push(event);
			changed.resolve();
		};
		const over = this.search(command, tell, AbortSignal.any([gone, stopping]))
			.catch(error => {
				if (!gone.aborted) {
					tell({ type: 'error', error: this.sentenceOf(error) });
				}
			})
			.finally(() => {
				isOver = true;
				changed.resolve();
			});
		async function* events(): AsyncGenerator<string, void> {
			while (!isOver || waiting.length > 0) {
				if (waiting.length > 0) {
					const text = waiting.splice(0).map(event => sseEvent(event));
					yield text.join('');
				} else {
					changed = Promise.withResolvers<void>();
					await changed.promise;
				}
			}
		}
		return { events: events(), over };
	}

	private async search(
		asked: string | undefined,
		tell: (event: StepSearchEvent) => void,
		signal: AbortSignal,
	): Promise<void> {
		const { lineage, plan } = this;
		const command = asked ?? plan.command;
		if (command === null) {
			throw new UserFacingError(NO_TESTS);
		}
		const { steps, start } = lineage;
		const indexOf = (at: number) => steps[at]?.index ?? -1;
		const end = await findBreakingStep(steps.length, {
			run: async run => {
				const index = indexOf(run.index);
				tell({ type: 'run', ...run, index });
				const log = new RunLog(lines => tell({ type: 'output', lines }));
				const commit = steps[run.index]?.tree ?? start;
				// The user's own command may name a script that a step has made.
				const scriptsOf = asked === undefined ? start : undefined;
				const outcome = await this.runOn(commit, { command, scriptsOf }, log, signal);
				tell({ type: 'end', run: run.run, index, outcome });
				return outcome;
			},
			onUnstable: at => tell({ type: 'unstable', index: indexOf(at) }),
		});
		const index = indexOf(end.index);
		tell(end.type === 'found' ? { ...end, index, before: indexOf(end.before) } : { ...end, index });
	}

	private async runOn(
		commit: string,
		{ command, scriptsOf }: { command: string; scriptsOf: string | undefined },
		log: RunLog,
		signal: AbortSignal,
	) {
		const { task, folder, services, limitMs } = this.options;
		const copy = path.join(folder, TESTS_FOLDER);
		const dependencies = new TaskDependencies({ task, folder, services, log });
		const answers = {
			handle: withoutModel('Tests reach no model.'),
			allowsHost: dependencies.allowsHost,
			onRefused: (sentence: string) => log.step('agent_refused', sentence),
		};
		const like = this.place();
		const where = testPlaceIn({
			folder: copy,
			like,
			dependencies,
			answers: task.installDependencies ? answers : undefined,
		});
		if (outlivesUs(where.place)) {
			await endLeftPrograms(folder, like.marker);
		}
		await removeFolder(copy);
		try {
			const checkout = this.checkout.withSignal(AbortSignal.any([signal, AbortSignal.timeout(GIT_MS)]));
			const run = { checkout, commit, command, scriptsOf, limitMs };
			const { outcome, sentence } = await runInCopy(run, where, log, signal);
			log.step('running_tests', sentence);
			return outcome === 'no-tests' ? 'not-run' : outcome;
		} finally {
			log.end();
			await removeFolder(copy);
		}
	}

	private place(): Omit<RunPlace, 'tree' | 'home'> {
		const { task, execution, folder, services } = this.options;
		const { isSandboxed } = this.plan;
		const marker = processMarker(task.id, execution.position);
		const place = placeOfTask({ repoUrl: task.repoUrl, folder, marker, isSandboxed, services });
		return { ...place, relay: undefined, toolchains: toolchains(place.privateFolders) };
	}

	private sentenceOf(error: unknown): string {
		if (error instanceof UserFacingError) {
			return withoutFieldName(error.message);
		}
		const reason = describeError(error);
		this.options.logger.log('warn', 'the steps of a task could not be searched', {
			taskId: this.options.task.id,
			reason,
		});
		return `The steps could not be searched any further (${reason}).`;
	}
}

export const NO_TESTS = 'command: the repository does not say how it is tested, so name a command.';

/** What is told of one run. Of much output, the beginning and the end. */
class RunLog implements ProgramLog {
	private readonly tell: (lines: string[]) => void;
	private readonly printed = { stdout: new OutputLines(), stderr: new OutputLines() };
	private firstLines = 0;
	private firstLength = 0;
	private readonly last: string[] = [];
	private lastLength = 0;
	private leftOut = 0;

	constructor(tell: (lines: string[]) => void) {
		this.tell = tell;
	}

	step(_step: string, message: string): void {
		this.add([message]);
	}

	output(_step: string, stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
		this.add(this.printed[stream].push(bytes));
	}

	outputEnd(): void {
		this.add([...this.printed.stdout.end(), ...this.printed.stderr.end()]);
	}

	/** Tells what was held back. */
	end(): void {
		const lines = this.last.splice(0);
		if (lines.length > 0) {
			this.tell(this.leftOut > 0 ? [`… ${this.leftOut} lines are left out …`, ...lines] : lines);
		}
	}

	private add(lines: readonly string[]): void {
		const first: string[] = [];
		for (const line of lines.filter(text => text.trim() !== '')) {
			if (this.firstLines < FIRST_LINES && this.firstLength + line.length <= MAXIMUM_LENGTH) {
				this.firstLines++;
				this.firstLength += line.length;
				first.push(line);
				continue;
			}
			// Nothing after the first line that is held back is told before it.
			this.firstLines = FIRST_LINES;
			this.last.push(line);
			this.lastLength += line.length;
			while (this.last.length > LAST_LINES || this.lastLength > MAXIMUM_LENGTH) {
				this.lastLength -= this.last.shift()?.length ?? 0;
				this.leftOut++;
			}
		}
		if (first.length > 0) {
			this.tell(first);
		}
	}
}
