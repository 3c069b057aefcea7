import * as l10n from '@vscode/l10n';
import { systemClock } from '../../base/async.ts';
import { type AnswerMessage, answerRequest, Requests } from '../../base/rpc.ts';
import type { AnswerTo, FromPage, PageAnswers } from '../protocol/protocol.ts';
import type { Post } from './page.ts';

type RequestOf<K extends keyof PageAnswers> = Extract<FromPage, { kind: K; request: string }>;

function noAnswerText(): string {
	return l10n.t('The extension didn’t respond. Try again, or reload the window.');
}

/** Requests of the page to the host, and the page's answers to those of the host. */
export class HostRequests {
	private readonly post: Post;
	private readonly requests: Requests<FromPage>;

	constructor(post: Post) {
		this.post = post;
		this.requests = new Requests({ post, clock: systemClock, noAnswer: noAnswerText() });
	}

	/** Rejects with an error whose message is a sentence for the user. */
	ask<K extends keyof PageAnswers>(
		kind: K,
		question: Omit<RequestOf<K>, 'kind' | 'request'>,
		withinMs?: number,
	): Promise<AnswerTo<K>> {
		return this.requests.ask(request => ({ kind, request, ...question }) as unknown as RequestOf<K>, withinMs);
	}

	answered(message: AnswerMessage): void {
		this.requests.receive(message);
	}

	/** Posts the result of `run` as the answer to a request of the host. */
	answer(request: string, run: () => unknown): void {
		void answerRequest(request, run, { post: this.post, explain: noAnswerText });
	}
}
