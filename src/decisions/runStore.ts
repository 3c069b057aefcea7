import type { Memento } from 'vscode';
import { StateEntries } from '../platform/sharedState.ts';
import { MAXIMUM_SUBJECTS, type Run, type Runs, runsSchema, withRun } from './model/run.ts';

const PREFIX = 'errand.decisions';

/** The runs of this workspace, by what they are about. */
export class RunStore {
	private readonly entries: StateEntries<Runs>;

	constructor(state: Memento) {
		this.entries = new StateEntries(state, PREFIX, (value): value is Runs => runsSchema.safeParse(value).success);
	}

	/** Returns the runs of a subject, newest first. */
	of(subject: string): Run[] {
		return this.entries.get(subject)?.runs ?? [];
	}

	/** Keeps a run. Rejects with the system's error. */
	async add(subject: string, run: Run): Promise<void> {
		await this.entries.set(subject, { subject, runs: withRun(this.of(subject), run) });
		const all = this.entries.values().sort((one, other) => (newest(one) < newest(other) ? 1 : -1));
		for (const { subject: old } of all.slice(MAXIMUM_SUBJECTS)) {
			await this.entries.delete(old);
		}
	}
}

const newest = ({ runs }: Runs): string => runs[0]?.at ?? '';
