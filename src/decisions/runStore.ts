import { createHash, randomUUID } from 'node:crypto';
import type { Memento } from 'vscode';
import { defined } from '../base/defined.ts';
import { StateEntries } from '../platform/sharedState.ts';
import { MAXIMUM_RUNS, MAXIMUM_SUBJECTS, type Run, type Runs, runsSchema, storableAnswers } from './model/run.ts';
import { costOf, type DecisionReply, servedBy } from './model/sending.ts';
import type { Prepared } from './subject.ts';

const PREFIX = 'errand.decisions';

/** The runs of this workspace, by subject. */
export class RunStore {
	private readonly entries: StateEntries<Runs>;

	constructor(state: Memento) {
		this.entries = new StateEntries(state, PREFIX, (value): value is Runs => runsSchema.safeParse(value).success);
	}

	/** Returns the runs of a subject, newest first. */
	of(subject: string): Run[] {
		return this.entries.get(subject)?.runs ?? [];
	}

	/** Stores a run. Rejects with the system's error. */
	async add(subject: string, run: Run): Promise<void> {
		await this.entries.set(subject, { subject, runs: [run, ...this.of(subject)].slice(0, MAXIMUM_RUNS) });
		const all = this.entries.values().sort((one, other) => (newest(one) < newest(other) ? 1 : -1));
		for (const { subject: old } of all.slice(MAXIMUM_SUBJECTS)) {
			await this.entries.delete(old);
		}
	}
}

const newest = ({ runs }: Runs): string => runs[0]?.at ?? '';

/** Makes a run from the requests and the replies. The state itself is left out of it. */
export function runOf(prepared: Prepared, asked: string, replies: readonly DecisionReply[]): Run {
	const { target, requests, questions, lines } = prepared;
	const { answers, ordersDisagree } = prepared.combine(replies);
	const states = JSON.stringify(requests.map(({ state }) => state));
	const inputs = replies.map(({ usage }) => usage?.input_tokens);
	const outputs = replies.map(({ usage }) => usage?.output_tokens);
	const usage = [...inputs, ...outputs].includes(undefined) ? undefined : { input: sum(inputs), output: sum(outputs) };
	return {
		id: randomUUID(),
		at: new Date().toISOString(),
		connection: target.label,
		asked,
		servedBy: servedBy(replies),
		questions,
		answers: storableAnswers(questions, answers),
		requests: requests.length,
		state: { sha256: createHash('sha256').update(states).digest('hex'), characters: states.length },
		...defined({
			model: replies[0]?.model,
			ordersDisagree: ordersDisagree || undefined,
			usage,
			cost: costOf(target.connection, asked, replies),
			lines,
		}),
	};
}

const sum = (values: readonly (number | undefined)[]) => values.reduce<number>((total, value = 0) => total + value, 0);
