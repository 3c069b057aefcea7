// The questions of one running agent and of its MCP servers. One waits at a time.
import { randomUUID } from 'node:crypto';
import type { PermissionAnswer, PermissionRequest } from '../../agents/session/events.ts';
import type { PermissionPolicy } from '../../agents/session/permissions.ts';
import type { ApprovalAnswer } from '../model/agentWork.ts';
import {
	type Allowance,
	type ApprovalRules,
	allowOnce,
	type RefusalReason,
	type Ruling,
	refusal,
	ruleOn,
} from '../model/approvalPolicy.ts';

type AskRuling = Pick<Extract<Ruling, { kind: 'ask' }>, 'allowances' | 'decides'>;

/** `again`: it is asked anew. */
type QuestionEnd = ApprovalAnswer | 'unanswered' | 'again';

export interface ApprovalQuestionsOptions {
	rules(): ApprovalRules;
	/** Called before the user is asked, and with how a request was decided. */
	onAsk(request: PermissionRequest, asked: { question: string } & AskRuling): void;
	onDecide(request: PermissionRequest, how: ApprovalAnswer | 'unanswered' | 'setting' | 'before' | RefusalReason): void;
	/** Called when the user allows something for the whole conversation. */
	onAllowance(allowances: readonly Allowance[]): void;
}

export class ApprovalQuestions {
	private readonly options: ApprovalQuestionsOptions;
	private waiting: { question: string; answer(answer: QuestionEnd): void } | undefined;
	/** Settles when no request is decided about any more. Undefined while none is. */
	private settled: Promise<void> | undefined;

	constructor(options: ApprovalQuestionsOptions) {
		this.options = options;
	}

	/** Takes the user's answer to a question, as `onAsk` has named it. An answer to anything but what waits is ignored. */
	answer(question: string, answer: ApprovalAnswer): void {
		if (this.waiting?.question === question) {
			this.waiting.answer(answer);
		}
	}

	/** Asks anew about the request of a question, if that waits, because something else is shown with it from now on. */
	askAgain(question: string): boolean {
		const waiting = this.waiting?.question === question ? this.waiting : undefined;
		waiting?.answer('again');
		return waiting !== undefined;
	}

	/** Decides about one request after another: an answer may allow what the next one asks for. */
	readonly decide: PermissionPolicy = (request, signal): Promise<PermissionAnswer> => {
		const earlier = this.settled;
		const decide = async (): Promise<PermissionAnswer> => {
			if (earlier !== undefined) {
				await earlier;
			}
			try {
				return await this.decideNow(request, signal);
			} finally {
				if (this.settled === settled) {
					this.settled = undefined;
				}
			}
		};
		const decided = decide();
		const settled = decided.then(
			() => {},
			() => {},
		);
		this.settled = settled;
		return decided;
	};

	private async decideNow(...[request, signal]: Parameters<PermissionPolicy>): Promise<PermissionAnswer> {
		const { rules, onAsk, onDecide, onAllowance } = this.options;
		const allow = { option: allowOnce(request.options) };
		const refuse = { option: refusal(request.options) };
		const ruling = ruleOn(request, rules());
		if (ruling.kind === 'refuse') {
			onDecide(request, ruling.reason);
			return { ...refuse, reason: ruling.reason };
		}
		if (ruling.kind === 'allow') {
			onDecide(request, ruling.because);
			return allow;
		}
		let answer: QuestionEnd;
		do {
			// A call may be asked about again, and the answer to the first question does not answer the second.
			const question = randomUUID();
			onAsk(request, { question, ...ruling });
			answer = await this.wait(question, signal);
		} while (answer === 'again');
		onDecide(request, answer);
		if (answer === 'conversation') {
			onAllowance(ruling.allowances);
		}
		return answer === 'once' || answer === 'conversation' ? allow : refuse;
	}

	/** A question that is withdrawn, as when the user stops the agent, counts as not answered. */
	private wait(question: string, signal: AbortSignal): Promise<QuestionEnd> {
		return new Promise(resolve => {
			const end = (answer: QuestionEnd) => {
				this.waiting = undefined;
				signal.removeEventListener('abort', withdrawn);
				resolve(answer);
			};
			const withdrawn = () => end('unanswered');
			if (signal.aborted) {
				resolve('unanswered');
				return;
			}
			signal.addEventListener('abort', withdrawn, { once: true });
			this.waiting = { question, answer: end };
		});
	}
}
