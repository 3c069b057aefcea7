// Answers of the client as plain values that can be passed to another process.
import { defined } from '../base/defined.ts';
import type { Annotation } from '../contract/chatReply.ts';
import { placeCitations } from '../contract/citations.ts';
import type { Questions } from '../contract/decisions.ts';
import type { LogEventOfTask, MadeDecision, SearchAnswer } from '../contract/editorPipe.ts';
import type { RoutingPolicy } from '../contract/routingPolicy.ts';
import type { Client } from './types.ts';

/** The limit for the text of a search answer in characters. Reading ends there. */
const MAXIMUM_ANSWER = 100_000;
const MAXIMUM_SOURCES = 50;

/** Follows a log and leaves out everything that is not about the task, such as a lost connection. */
export async function* logEvents(
	{ tasks }: Pick<Client, 'tasks'>,
	{ id, fromIndex }: { id: string; fromIndex: number },
	signal: AbortSignal,
): AsyncGenerator<LogEventOfTask> {
	for await (const event of tasks.follow(id, { fromIndex, signal })) {
		if (event.type !== 'connected' && event.type !== 'reconnecting') {
			yield event;
		}
	}
}

/** Searches and resolves with the whole answer, up to a limit. */
export async function searchWhole(
	{ search }: Pick<Client, 'search'>,
	query: string,
	provider: RoutingPolicy | undefined,
	signal: AbortSignal,
): Promise<SearchAnswer> {
	let text = '';
	let annotations: Annotation[] = [];
	for await (const event of search.stream([{ role: 'user', content: query }], { signal, ...defined({ provider }) })) {
		if (event.type === 'text') {
			text += event.text;
		} else if (event.type === 'annotations') {
			annotations = [...annotations, ...event.annotations].slice(0, MAXIMUM_SOURCES);
		}
		if (text.length > MAXIMUM_ANSWER) {
			break;
		}
	}
	return {
		text: text.slice(0, MAXIMUM_ANSWER),
		sources: placeCitations(text, annotations).map(({ url, title, excerpt }) => defined({ url, title, excerpt })),
	};
}

export async function decideWhole(
	{ decisions }: Pick<Client, 'decisions'>,
	request: { state: Record<string, unknown>; questions: Questions },
	signal: AbortSignal,
): Promise<MadeDecision> {
	const { model, answers } = await decisions.evaluate(request, { signal });
	return { answers, ...defined({ model }) };
}
