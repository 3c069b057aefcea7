// The questions of one running agent and of its MCP servers. Only one waits at a time.
//
// A refused hunk is left out of the planned text, and the question is asked again about the rest. The agent's call can
// only be allowed or refused as a whole, because the protocol's answer is nothing but the id of an option. So the call
// is allowed, the agent is told about the refused hunks in a prompt of the same turn, and the stored state of its copy
// excludes them.
import { randomUUID } from 'node:crypto';
import type {
	AgentForm,
	FormAnswer,
	FormValue,
	PermissionAnswer,
	PermissionRequest,
} from '../../agents/session/events.ts';
import { formContent } from '../../agents/session/forms.ts';
import type { FormPolicy, PermissionPolicy } from '../../agents/session/permissions.ts';
import { SerialQueue, untilAborted } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import {
	type Allowance,
	type ApprovalRules,
	allowOnce,
	type RefusalReason,
	type Ruling,
	refusal,
	ruleOn,
} from '../model/approvalPolicy.ts';
import type { ApprovalAnswer } from '../model/approvals.ts';
import type { FormState } from '../model/formSteps.ts';
import { findSecrets } from '../model/secrets.ts';

type FormContent = Record<string, FormValue>;

type AskRuling = Pick<Extract<Ruling, { kind: 'ask' }>, 'allowances' | 'decides'>;

/** With `again`, the question is asked again. Only a form ends with content. */
type QuestionEnd = ApprovalAnswer | 'unanswered' | 'again' | FormContent;

export interface ApprovalQuestionsOptions {
	rules(): ApprovalRules;
	/** Called before the user is asked, and when a request has been decided. */
	onAsk(request: PermissionRequest, asked: { question: string } & AskRuling): void;
	onDecide(request: PermissionRequest, how: ApprovalAnswer | 'unanswered' | 'setting' | 'before' | RefusalReason): void;
	/** Called when the user allows something for the whole conversation. */
	onAllowance(allowances: readonly Allowance[]): void;
	/** Called before the user is asked to fill in a form, and with the outcome. */
	onForm(form: AgentForm, state: FormState): void;
}

/**
 * Returns whether the user has agreed to a change of their files, at this level. An approval due to the sandbox is no
 * agreement.
 */
export function isAgreement(
	how: Parameters<ApprovalQuestionsOptions['onDecide']>[1],
	level: ApprovalRules['setting'],
): boolean {
	return how === 'setting'
		? level !== 'allow-in-sandbox'
		: how === 'once' || how === 'conversation' || how === 'before';
}

export class ApprovalQuestions {
	private readonly options: ApprovalQuestionsOptions;
	private waiting: { question: string; form?: AgentForm; answer(answer: QuestionEnd): void } | undefined;
	/** Asks one thing after another: only one can be answered, and the answer may allow what the next one asks for. */
	private readonly queue = new SerialQueue();

	constructor(options: ApprovalQuestionsOptions) {
		this.options = options;
	}

	/**
	 * Takes the user's answer to a question, by the id from `onAsk`. Ignores an answer if the question is not waiting.
	 */
	answer(question: string, answer: ApprovalAnswer): void {
		if (this.waiting?.question === question) {
			this.waiting.answer(answer);
		}
	}

	/**
	 * Submits the answers to a form that waits. Returns why they are not sent: an answer is missing or invalid, or
	 * contains a key, which no agent gets.
	 */
	fillIn(question: string, values: Readonly<FormContent>): 'unfit' | 'key' | undefined {
		const { form, answer } = this.waiting?.question === question ? this.waiting : {};
		const content = form && formContent(form, values);
		if (!form || !answer || !content) {
			return form && 'unfit';
		}
		if (Object.values(content).some(value => typeof value === 'string' && findSecrets(value).length > 0)) {
			return 'key';
		}
		answer(content);
		return undefined;
	}

	/** Reports a form that was declined without a question. */
	refuse(form: AgentForm, reason: string | undefined): void {
		this.options.onForm(form, { id: randomUUID(), approval: { state: 'refused', ...defined({ reason }) } });
	}

	readonly askForm: FormPolicy = (form, signal) => this.queue.run(() => this.askFormNow(form, signal));

	readonly decide: PermissionPolicy = (request, signal) => this.queue.run(() => this.decideNow(request, signal));

	private async askFormNow(...[form, signal]: Parameters<FormPolicy>): Promise<FormAnswer> {
		const { onForm } = this.options;
		const question = randomUUID();
		onForm(form, { id: question, approval: { state: 'waiting', question } });
		const answer = await this.wait(question, signal, form);
		if (typeof answer === 'object') {
			onForm(form, { id: question, approval: { state: 'once' }, content: answer });
			return { action: 'accept', content: answer };
		}
		const isUnanswered = answer === 'unanswered';
		onForm(form, { id: question, approval: { state: isUnanswered ? 'unanswered' : 'no' } });
		return { action: isUnanswered ? 'cancel' : 'decline' };
	}

	/** Asks a waiting question again, because its content has changed. */
	askAgain(question: string): boolean {
		const waiting = this.waiting?.question === question ? this.waiting : undefined;
		waiting?.answer('again');
		return waiting !== undefined;
	}

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
			// A call may be asked about again, and the first answer must not count for the second question.
			const question = randomUUID();
			onAsk(request, { question, ...ruling });
			answer = await this.wait(question, signal);
		} while (answer === 'again' || typeof answer === 'object');
		onDecide(request, answer);
		if (answer === 'conversation') {
			onAllowance(ruling.allowances);
		}
		return answer === 'once' || answer === 'conversation' ? allow : refuse;
	}

	/**
	 * Waits for an answer. A question that is withdrawn, for example when the user stops the agent, counts as unanswered.
	 */
	private async wait(question: string, signal: AbortSignal, form?: AgentForm): Promise<QuestionEnd> {
		const { promise, resolve } = Promise.withResolvers<QuestionEnd>();
		const answer = (end: QuestionEnd) => {
			this.waiting = undefined;
			resolve(end);
		};
		this.waiting = { question, ...defined({ form }), answer };
		await untilAborted(promise, signal).catch(() => answer('unanswered'));
		return promise;
	}
}
