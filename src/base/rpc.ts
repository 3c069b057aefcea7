// Requests between two ends that can only post messages to each other, such as a page and its host. Every request ends.
import type { Clock } from './async.ts';
import { UserFacingError } from './errors.ts';

/** The outcome of a request. The problem is a sentence for the user, with the next step. */
export type Answer = { value?: unknown } | { problem: string };

export interface AnswerMessage {
	kind: 'answer';
	/** The request's own id. */
	request: string;
	answer: Answer;
}

/** The time to wait for an answer in milliseconds, unless the request says otherwise. */
export const ANSWER_MS = 60_000;

export interface RequestOptions<Message> {
	/** May throw or reject if the message cannot be posted, and may resolve with false if nobody receives it. */
	post(message: Message): unknown;
	clock: Pick<Clock, 'after'>;
	/** Returns the sentence for the user about a request that gets no answer. */
	noAnswer: string;
}

/** The end that sends requests. */
export class Requests<Message> {
	private readonly options: RequestOptions<Message>;
	private readonly waiting = new Map<string, (answer: Answer) => void>();

	constructor(options: RequestOptions<Message>) {
		this.options = options;
	}

	/**
	 * Posts the message that `message` creates for the request's id, and resolves with the value of its answer. Rejects
	 * with a UserFacingError if the other end reports a problem, or if no answer comes in time.
	 */
	ask<T>(message: (request: string) => Message, withinMs = ANSWER_MS): Promise<T> {
		const { post, clock, noAnswer } = this.options;
		// The id is random, not a counter, so that an answer to an earlier page is never taken for an answer to this one.
		const request = crypto.randomUUID();
		return new Promise((resolve, reject) => {
			const giveUp = () => this.end(request, { problem: noAnswer });
			const cancel = clock.after(withinMs, giveUp);
			this.waiting.set(request, answer => {
				cancel();
				if ('problem' in answer) {
					reject(new UserFacingError(answer.problem));
				} else {
					resolve(answer.value as T);
				}
			});
			const posted = async () => (await post(message(request))) !== false || giveUp();
			posted().catch(giveUp);
		});
	}

	/** Must be called with each answer. It ignores an answer whose request has already ended. */
	receive({ request, answer }: AnswerMessage): void {
		this.end(request, answer);
	}

	/** Ends all requests because nobody can answer them any more. */
	endAll(): void {
		for (const request of [...this.waiting.keys()]) {
			this.end(request, { problem: this.options.noAnswer });
		}
	}

	private end(request: string, answer: Answer): void {
		const settle = this.waiting.get(request);
		this.waiting.delete(request);
		settle?.(answer);
	}
}

export interface AnswerOptions {
	post(message: AnswerMessage): unknown;
	/** Returns the sentence for the user about a thrown value, which is sent to the other end. */
	explain(error: unknown): string;
}

/** The end that answers: it performs a request and posts its outcome. Never rejects. */
export async function answerRequest(
	request: string,
	run: () => unknown,
	{ post, explain }: AnswerOptions,
): Promise<void> {
	const postAnswer = async (answer: Answer) => void (await post({ kind: 'answer', request, answer }));
	const tellProblem = (error: unknown) => postAnswer({ problem: explain(error) });
	try {
		await postAnswer({ value: await run() });
	} catch (error) {
		// This also covers a value that cannot be posted. If nothing at all can be posted, the other end times out.
		await tellProblem(error).catch(() => {});
	}
}
