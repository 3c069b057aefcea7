import { createHash, randomUUID } from 'node:crypto';
import { defined } from '../base/defined.ts';
import { keptAnswers, type Run } from './model/run.ts';
import { costOf, type DecisionReply, servedBy } from './model/sending.ts';
import type { Prepared } from './subject.ts';

/** Makes a run of what was sent and what came back. The state itself is left out of it. */
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
		answers: keptAnswers(questions, answers),
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
