import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { type AnswerMessage, answerRequest } from '../base/rpc.ts';
import { type Explanation, showExplanation } from './notify.ts';

export interface PageService<Message extends { kind: string }> {
	/** Undefined for anything that is not a message of the page. */
	parse(message: unknown): Message | undefined;
	/** Does what the message asks. What it gives is the answer, where the message is a request. */
	handle(message: Message): unknown;
	/** What the page tells by itself, now and then: nobody waits for it, so that what fails of it is for the log alone. */
	background?: ReadonlySet<Message['kind']>;
	/** Rejects where the message cannot be posted. */
	post(message: AnswerMessage): PromiseLike<unknown>;
	explain(error: unknown): Explanation;
	logger: Logger;
}

/** Does what a message of a page asks. What fails is the answer of a request, and a notification for anything else. */
export async function serveMessage<Message extends { kind: string }>(
	message: unknown,
	{ parse, handle, background, post, explain, logger }: PageService<Message>,
): Promise<void> {
	const parsed = parse(message);
	const run = async () => {
		if (!parsed) {
			throw new Error('a message of the page has an unknown form');
		}
		return handle(parsed);
	};
	const failed = (error: unknown): Explanation => {
		logger.log('error', 'A message of the page could not be handled', { reason: describeError(error) });
		return explain(error);
	};
	const request = requestOf(message);
	if (request !== undefined) {
		await answerRequest(request, run, { post, explain: error => failed(error).message });
		return;
	}
	try {
		await run();
	} catch (error) {
		const explanation = failed(error);
		if (parsed && !background?.has(parsed.kind)) {
			void showExplanation(explanation);
		}
	}
}

/** The id of a request, also of one of an unknown form: the page waits for its end. An answer has the id of another. */
function requestOf(message: unknown): string | undefined {
	const { kind, request } = Object(message) as { kind?: unknown; request?: unknown };
	return typeof request === 'string' && kind !== 'answer' ? request.slice(0, MAXIMUM_ID) : undefined;
}

const MAXIMUM_ID = 64;
