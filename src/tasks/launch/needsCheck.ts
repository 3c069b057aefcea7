import * as vscode from 'vscode';
import { ClientError } from '../../base/errors.ts';
import type { Consent, TaskCheck, TaskCheckRequest } from '../../contract/agents.ts';
import { inertText } from '../../platform/inertText.ts';
import { explainError } from '../../platform/notify.ts';
import { consentsOf, type NeedsAnswers, type NeedsLook } from '../model/taskNeeds.ts';

export interface NeedsCheckDependencies {
	/** The connection's label. */
	label: string;
	/** Asks the local service. Undefined for a connection to another service. */
	checkTask: ((request: TaskCheckRequest) => Promise<TaskCheck>) | undefined;
	/** Called when the service has answered. */
	onAnswer(): void;
}

/** What the local service says that one launch needs, and what the user answers to that. */
export class NeedsCheck {
	private readonly dependencies: NeedsCheckDependencies;
	private asked: { repoUrl: string; question: string; look: NeedsLook; answer: Promise<void> } | undefined;
	private given: NeedsAnswers = {};

	constructor(dependencies: NeedsCheckDependencies) {
		this.dependencies = dependencies;
	}

	get look(): NeedsLook {
		return this.asked?.look ?? { kind: 'not-asked' };
	}

	get answers(): NeedsAnswers {
		return this.given;
	}

	/** Asks once for each question. An answer by the user holds for its repository alone. */
	ask(request: TaskCheckRequest): void {
		const { checkTask } = this.dependencies;
		const question = JSON.stringify(request);
		if (!checkTask || this.asked?.question === question) {
			return;
		}
		if (this.asked && this.asked.repoUrl !== request.repoUrl) {
			this.given = {};
		}
		const asked = {
			repoUrl: request.repoUrl,
			question,
			look: { kind: 'asking' } as NeedsLook,
			answer: Promise.resolve(),
		};
		this.asked = asked;
		asked.answer = this.read(checkTask, request).then(look => {
			asked.look = look;
			if (this.asked === asked) {
				this.dependencies.onAnswer();
			}
		});
	}

	/** The next question is asked even if it is the same. */
	forget(): void {
		if (this.asked) {
			this.asked.question = '';
		}
	}

	answer(answers: NeedsAnswers): void {
		this.given = { ...this.given, ...answers };
	}

	/** Resolves when the service has answered the latest question, or could not be asked. */
	async settled(): Promise<void> {
		if (this.look.kind === 'asking') {
			const title = vscode.l10n.t('Asking {0} what the task needs…', this.dependencies.label);
			await vscode.window.withProgress(
				{ location: vscode.ProgressLocation.Notification, title: inertText(title) },
				() => this.asked?.answer ?? Promise.resolve(),
			);
		}
	}

	/** What the service is to be told when the task starts. */
	consents(): Consent[] {
		return this.asked ? consentsOf(this.asked.look, this.given, this.asked.repoUrl) : [];
	}

	private async read(
		checkTask: (request: TaskCheckRequest) => Promise<TaskCheck>,
		request: TaskCheckRequest,
	): Promise<NeedsLook> {
		try {
			return { kind: 'known', check: await checkTask(request) };
		} catch (error) {
			// An older service that is still running has no agents that need anything.
			if (ClientError.is(error, 'not-found')) {
				return { kind: 'not-asked' };
			}
			return { kind: 'failed', reason: explainError(error, this.dependencies.label).message };
		}
	}
}
