import { append } from '../../base/append.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { TaskStep, TaskSteps as TaskStepsPage } from '../../contract/taskSteps.ts';
import type { Task } from '../../contract/tasks.ts';
import type { StepNode } from '../model/stepNode.ts';

export interface TaskStepsDependencies {
	/** Returns whether the tasks are those of the service on this machine, which alone keeps steps. */
	isLocal(): boolean;
	/** Returns a task of the active connection, if it is known. */
	task(id: string): Task | undefined;
	/** Reads a page of the steps of a task, from the step with this index. */
	read(taskId: string, fromIndex: number): Promise<TaskStepsPage>;
	/** Returns who failed, why, and what to do. */
	explain(error: unknown): string;
}

interface Entry {
	steps: readonly TaskStep[];
	/** The number of steps that the service named when they were read last; undefined if it is not known. */
	count: number | undefined;
	problem: string | undefined;
	reading: Promise<void> | undefined;
}

/** The steps of the tasks for which they were asked. They are read further whenever their service has more. */
export class TaskSteps implements Disposable {
	private readonly dependencies: TaskStepsDependencies;
	private readonly entries = new Map<string, Entry>();
	private readonly changed = new Emitter<string>();
	/** Fires with the id of a task when other steps of it are known, or why there are none. */
	readonly onDidChange = this.changed.event;

	constructor(dependencies: TaskStepsDependencies) {
		this.dependencies = dependencies;
	}

	/** Returns how many steps a task has, as its service says. */
	countOf({ errand }: Task): number {
		return this.dependencies.isLocal() ? (errand?.steps ?? 0) : 0;
	}

	/** Returns the steps that were read so far. */
	known(taskId: string): readonly TaskStep[] {
		return this.dependencies.isLocal() ? (this.entries.get(taskId)?.steps ?? []) : [];
	}

	find({ taskId, index }: StepNode): TaskStep | undefined {
		return this.known(taskId).find(step => step.index === index);
	}

	/** Returns why the steps could not be read, or undefined if they were. */
	problem(taskId: string): string | undefined {
		return this.entries.get(taskId)?.problem;
	}

	/** Reads the steps if other ones are known to be there, or with `again`. Never rejects. */
	async update(taskId: string, again = false): Promise<void> {
		const { isLocal, task: find } = this.dependencies;
		const task = find(taskId);
		const count = task && this.countOf(task);
		const entry = this.entries.get(taskId);
		if (entry?.reading || !isLocal() || (entry ? entry.count === count && !again : count === 0)) {
			await entry?.reading;
			return;
		}
		const next: Entry = { steps: entry?.steps ?? [], count, problem: undefined, reading: undefined };
		this.entries.set(taskId, next);
		next.reading = this.read(taskId, next).finally(() => {
			next.reading = undefined;
			this.changed.fire(taskId);
		});
		await next.reading;
	}

	/** Called when the list of tasks has changed. */
	listChanged(): void {
		for (const taskId of this.entries.keys()) {
			void this.update(taskId);
		}
	}

	private async read(taskId: string, entry: Entry): Promise<void> {
		// A task whose folder is gone has fewer steps than before.
		const known = (entry.count ?? 0) < entry.steps.length ? [] : entry.steps;
		// Tests may have run since on the files of each agent's last step.
		const last = new Map(known.map(({ agent, index }) => [agent, index]));
		const first = Math.min(...last.values());
		const steps = known.filter(({ index }) => index < first);
		try {
			for (let from: number | null = Number.isFinite(first) ? first : 0; from !== null; ) {
				const page: TaskStepsPage = await this.dependencies.read(taskId, from);
				append(steps, page.steps);
				from = page.nextIndex !== null && page.nextIndex > from ? page.nextIndex : null;
			}
			entry.steps = steps;
		} catch (error) {
			entry.problem = this.dependencies.explain(error);
		}
	}

	dispose(): void {
		this.changed.dispose();
	}
}
