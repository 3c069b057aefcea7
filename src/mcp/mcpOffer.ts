import * as vscode from 'vscode';
import { DisposableOwner } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { decideWhole, logEvents, searchWhole } from '../client/plainAnswers.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { EditorOutcome, PipeParsed } from '../contract/editorPipe.ts';
import type { LocalService } from '../localService/api.ts';
import type { Keys } from '../models/api.ts';
import { ASKED_SCHEME } from '../platform/ids.ts';
import { errorText } from '../platform/notify.ts';
import { refusedByUser } from '../platform/refusalMessages.ts';
import { AgentQuestions } from './agentQuestions.ts';
import type { TasksForPrograms } from './api.ts';
import { type OpenPipe, openPipe, type PipeAnswers } from './pipe.ts';
import { continueQuestion, decideQuestion, searchQuestion, startQuestion, stopQuestion } from './questionMessages.ts';
import type { Question } from './server/access.ts';

/** The services by which the calls of other agents are answered. */
export interface McpDependencies {
	connect: {
		/** Returns the active connection with its client and its name for the user. */
		active(): Promise<{ client: Client; connection: Connection; label: string }>;
	};
	keys: Pick<Keys, 'ensure'>;
	localService: Pick<LocalService, 'agentSettings'>;
	tasks: { programs: TasksForPrograms };
	logger: Logger;
}

/**
 * Answers the calls of the MCP server's process to this window, on the active connection, with the user's consent if
 * they spend something.
 */
export class McpOffer extends DisposableOwner {
	private readonly dependencies: McpDependencies;
	private readonly questions = new AgentQuestions();
	private opening: Promise<OpenPipe> | undefined;

	constructor(dependencies: McpDependencies) {
		super();
		this.dependencies = dependencies;
		this.disposables.add(vscode.workspace.registerTextDocumentContentProvider(ASKED_SCHEME, this.questions));
	}

	/** Opens the pipe of this window, only once. */
	pipe(): Promise<OpenPipe> {
		this.opening ??= openPipe({
			answers: this.answers(),
			explain: async error => {
				const active = await this.dependencies.connect.active().catch(() => undefined);
				return errorText(error, active?.label ?? 'Errand');
			},
			logger: this.dependencies.logger,
		}).then(opened => {
			this.disposables.add({ dispose: () => opened.close() });
			return opened;
		});
		this.opening.catch(() => {
			this.opening = undefined;
		});
		return this.opening;
	}

	private answers(): PipeAnswers {
		const { active } = this.dependencies.connect;
		const tasks = this.dependencies.tasks.programs;
		return {
			list: async query => (await active()).client.tasks.list(query),
			get: async ({ id }) => (await active()).client.tasks.get(id),
			follow: (asked, signal) => this.follow(asked, signal),
			changes: asked => tasks.changes(asked),
			diff: asked => tasks.diff(asked),
			start: (asked, signal) =>
				this.act(() => tasks.start(asked, shown => this.questions.ask(startQuestion(shown), signal))),
			continue: ({ id, prompt }, signal) =>
				this.act(() => tasks.continueTask(id, prompt, shown => this.questions.ask(continueQuestion(shown), signal))),
			stop: ({ id }, signal) =>
				this.act(() => tasks.stop(id, shown => this.questions.ask(stopQuestion(shown), signal))),
			decide: (asked, signal) =>
				this.actOnModel(
					label => decideQuestion(label, asked),
					signal,
					client => decideWhole(client, asked, signal),
				),
			search: ({ query }, signal) =>
				this.actOnModel(
					label => searchQuestion(label, query),
					signal,
					async client =>
						searchWhole(client, query, (await this.dependencies.localService.agentSettings()).provider, signal),
				),
		};
	}

	private async *follow(asked: PipeParsed<'follow'>, signal: AbortSignal) {
		yield* logEvents((await this.dependencies.connect.active()).client, asked, signal);
	}

	/** Refuses if nobody can be asked. */
	private async act<Value>(run: () => Promise<EditorOutcome<Value>>): Promise<EditorOutcome<Value>> {
		if (!vscode.workspace.isTrusted) {
			return {
				done: false,
				reason: vscode.l10n.t(
					'Other agents can only read in an untrusted workspace. The user can trust it (“Workspaces: Manage Workspace Trust”).',
				),
			};
		}
		const { hindrance } = this.questions;
		return hindrance === undefined ? run() : { done: false, reason: hindrance };
	}

	/**
	 * Sends a request to a model of the active connection. A request shown for one connection is never sent to another.
	 */
	private actOnModel<Value>(
		questionFor: (label: string) => Question,
		signal: AbortSignal,
		run: (client: Client) => Promise<Value>,
	): Promise<EditorOutcome<Value>> {
		return this.act(async () => {
			const { client, connection, label } = await this.dependencies.connect.active();
			if (!(await this.questions.ask(questionFor(label), signal))) {
				return { done: false, reason: refusedByUser() };
			}
			return (await this.dependencies.keys.ensure(connection, 'inference'))
				? { done: true, value: await run(client) }
				: { done: false, reason: vscode.l10n.t('{0} has no key, so nothing was sent.', label) };
		});
	}
}
