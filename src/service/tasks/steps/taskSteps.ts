import { StepRecorder } from '../../../agents/steps/stepRecorder.ts';
import type { ExecutionRecord, TaskRecord } from '../../store/taskRecord.ts';
import type { TaskStore } from '../../store/taskStore.ts';
import type { Checkout } from '../checkout.ts';
import type { LogPlace, TaskLog } from '../taskLog.ts';
import { findTestCommand } from '../testCommand.ts';
import { testRunOf } from './testRun.ts';

export interface TaskStepsRun {
	checkout: Checkout;
	folder: string;
	task: TaskRecord;
	execution: ExecutionRecord;
	store: TaskStore;
	log: TaskLog;
}

/** Returns the prefix of the references of a task's states. */
export const stepsPrefix = (taskId: string) => `refs/errand/steps/${taskId}`;

/** Begins to keep the states of one run. Resolves with undefined if they cannot be kept, which the log says. */
export function beginSteps(run: TaskStepsRun): Promise<StepRecorder<LogPlace> | undefined> {
	const { checkout, folder, task, execution, store, log } = run;
	/** The command by which the repository says it is tested, read when a command has run. */
	let ownTests: ReturnType<typeof findTestCommand> | undefined;
	return StepRecorder.begin<LogPlace>({
		...{ checkout, folder, count: store.steps.count(task) },
		chain: { prefix: stepsPrefix(task.id), name: `${execution.position}-${task.turn}` },
		onStep({ place, before: _, ...step }) {
			const entry = place?.index ?? Math.max(0, store.entryCount(task) - 1);
			store.steps.add(task, { ...step, step: entry, agent: execution.position });
		},
		async onCalls(calls) {
			const commands = calls.filter(({ command }) => command !== undefined);
			if (commands.length === 0) {
				return;
			}
			ownTests ??= checkout
				.start()
				.then(start => findTestCommand(name => checkout.textAt(start, name)))
				.catch(() => undefined);
			const own = (await ownTests)?.command;
			const runs = commands.flatMap(call => testRunOf(call, execution.agent, own) ?? []);
			store.steps.addTestRuns(task, execution.position, runs);
		},
		onFailure(why) {
			const sentence = `The states of the files after further steps are not kept (${why.slice(0, 300)}).`;
			log.said('agent_tool', sentence, 'warning');
		},
	});
}
