import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { type AnswerMessage, answerRequest } from '../base/rpc.ts';
import { type Explanation, showExplanation } from './notify.ts';

export interface PageService<Message extends { kind: string }> {
	/** Undefined for anything that is not a message of the page. */
	parse(message: unknown): Message | undefined;
	/** Performs the message. If it is a request, the result is the answer. */
	handle(message: Message): unknown;
	/** The kinds of messages that the page sends by itself. Nobody waits for these, so a failure is only logged. */
	background?: ReadonlySet<Message['kind']>;
	/** Rejects if the message cannot be posted. */
	post(message: AnswerMessage): PromiseLike<unknown>;
	explain(error: unknown): Explanation;
	logger: Logger;
}

/** Performs a message of a page. A failure is the answer to a request, and a notification for any other message. */
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

/** Returns the id of a request of any form, as the page waits for its end. An answer has the id of another request. */
function requestOf(message: unknown): string | undefined {
	const { kind, request } = Object(message) as { kind?: unknown; request?: unknown };
	return typeof request === 'string' && kind !== 'answer' ? request.slice(0, MAXIMUM_ID) : undefined;
}

const MAXIMUM_ID = 64;
