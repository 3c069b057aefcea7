// Requests between two ends that can only post messages to each other, such as a page and its host. Every request ends.
import type { Clock } from './async.ts';
import { UserFacingError } from './errors.ts';

/** How a request ended. The problem is a sentence for the user, with the next step. */
export type Answer = { value?: unknown } | { problem: string };

export interface AnswerMessage {
	kind: 'answer';
	/** The request's own id. */
	request: string;
	answer: Answer;
}

/** How long an answer is waited for, unless the request says otherwise. Milliseconds. */
export const ANSWER_MS = 60_000;

export interface RequestOptions<Message> {
	/** May throw or reject where the message cannot be posted, and resolve with false where nobody gets it. */
	post(message: Message): unknown;
	clock: Pick<Clock, 'after'>;
	/** What to say of a request that gets no answer: a sentence for the user. */
	noAnswer: string;
}

/** The end that asks. */
export class Requests<Message> {
	private readonly options: RequestOptions<Message>;
	private readonly waiting = new Map<string, (answer: Answer) => void>();

	constructor(options: RequestOptions<Message>) {
		this.options = options;
	}

	/**
	 * Posts the message that `message` makes of the request's id, and resolves with the value of its answer. Rejects with a
	 * UserFacingError where the other end says a problem, or no answer comes within so many milliseconds.
	 */
	ask<T>(message: (request: string) => Message, withinMs = ANSWER_MS): Promise<T> {
		const { post, clock, noAnswer } = this.options;
		// Not counted: an answer to an earlier page, which has gone since, must not be taken for one to this page.
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

	/** An answer came. Nothing happens where its request has ended before. */
	receive({ request, answer }: AnswerMessage): void {
		this.end(request, answer);
	}

	/** Nobody is there any more who could answer. */
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
	/** What is said to the other end of what was thrown: a sentence for the user. */
	explain(error: unknown): string;
}

/** The end that answers: does what a request asks for and posts how that ended. Never rejects. */
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
		// Also where the value cannot be posted. Where nothing can, the other end gives up by itself.
		await tellProblem(error).catch(() => {});
	}
}
