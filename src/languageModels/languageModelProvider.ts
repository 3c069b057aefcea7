import * as vscode from 'vscode';
import { systemClock, untilAborted } from '../base/async.ts';
import { defined } from '../base/defined.ts';
import { ClientError, describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { pauses } from '../base/pauses.ts';
import type { ChatView, RequestRules } from '../chat/api.ts';
import type { Client } from '../client/types.ts';
import type { ChatRequest } from '../contract/chatRequest.ts';
import type { Connection } from '../contract/connection.ts';
import { type CommandId, commands, internalCommands } from '../platform/ids.ts';
import { type Explanation, showExplanation } from '../platform/notify.ts';
import { ModelAccess } from './access.ts';
import { messageProblemText, otherConnectionText, replyProblemText } from './messages.ts';
import { countTokens } from './model/countTokens.ts';
import { ReplyReader, ReplyRefusal } from './model/replyReader.ts';
import { toChatRequest } from './model/toChatRequest.ts';
import { type Message, type MessagePart, MessageRefusal } from './model/toMessages.ts';
import type { ModelList } from './modelList.ts';
import type { OfferedModel } from './offeredModels.ts';
import type { UseLedger } from './useLedger.ts';

/** The services that answer requests of other extensions. */
export interface ModelRequestParts {
	/** Resolves with a client of the active connection. Starts the local service for the local connection. */
	active(): Promise<{ client: Pick<Client, 'chat'>; connection: Connection; label: string }>;
	/** Loads the rules of the chat. */
	rules: ChatView['requestRules'];
	logger: Logger;
}

export interface LanguageModelProviderOptions extends ModelRequestParts {
	ledger: UseLedger;
	/** Called when the editor must read the models again. */
	changed(): void;
}

/** Offers the chat models of the active connection to the editor's chat and to other extensions. */
export class LanguageModelProvider
	implements Omit<vscode.LanguageModelChatProvider<OfferedModel>, 'onDidChangeLanguageModelChatInformation'>
{
	private readonly list: ModelList;
	private readonly options: LanguageModelProviderOptions;
	readonly access = new ModelAccess();
	/** Set while a notification about the key is shown, so that many failing requests show one. */
	private isKeyTold = false;

	constructor(list: ModelList, options: LanguageModelProviderOptions) {
		this.list = list;
		this.options = options;
	}

	/**
	 * Resolves with no models if the key is missing: silently, or after asking for it. Rejects with an error whose
	 * message is a sentence, which the editor shows in its list of models.
	 */
	async provideLanguageModelChatInformation({
		silent,
	}: vscode.PrepareLanguageModelChatModelOptions): Promise<OfferedModel[]> {
		const rules = await this.options.rules();
		let label = '';
		try {
			const connection = await this.list.connection();
			label = connection.label ?? connection.name;
			return await this.list.read(connection, { silent, rules });
		} catch (error) {
			const explanation = rules.explain(error, undefined, label);
			if (!silent) {
				void showExplanation(explanation);
			}
			throw new Error(explanation.message, { cause: error });
		}
	}

	async provideLanguageModelChatResponse(
		model: OfferedModel,
		messages: readonly vscode.LanguageModelChatRequestMessage[],
		options: vscode.ProvideLanguageModelChatResponseOptions,
		progress: vscode.Progress<vscode.LanguageModelResponsePart>,
		token: vscode.CancellationToken,
	): Promise<void> {
		const stopped = new AbortController();
		const subscription = token.onCancellationRequested(() => stopped.abort());
		const rules = await this.options.rules();
		const call: Call = { model, rules, signal: stopped.signal, label: model.connection, request: undefined };
		try {
			if (token.isCancellationRequested) {
				throw new vscode.CancellationError();
			}
			await this.answer(call, { messages, options }, progress);
		} catch (error) {
			throw stopped.signal.aborted ? new vscode.CancellationError() : this.failure(error, call);
		} finally {
			subscription.dispose();
		}
	}

	async provideTokenCount(
		_model: OfferedModel,
		text: string | vscode.LanguageModelChatRequestMessage,
	): Promise<number> {
		const parts = typeof text === 'string' ? [{ kind: 'text' as const, text }] : readParts(text.content);
		return countTokens(parts);
	}

	private async answer(
		call: Call,
		{
			messages,
			options,
		}: {
			messages: readonly vscode.LanguageModelChatRequestMessage[];
			options: vscode.ProvideLanguageModelChatResponseOptions;
		},
		progress: vscode.Progress<vscode.LanguageModelResponsePart>,
	): Promise<void> {
		const { model, rules, signal } = call;
		const asked = toChatRequest(model.model, model.limits, {
			messages: messages.map(readMessage),
			tools: options.tools ?? [],
			mustCall: options.toolMode === vscode.LanguageModelChatToolMode.Required,
			options: options.modelOptions ?? {},
		});
		call.request = asked;
		const { client, connection, label } = await untilAborted(this.options.active(), signal);
		call.label = label;
		if (connection.name !== model.connection) {
			throw vscode.LanguageModelError.NotFound(otherConnectionText(model.name, label));
		}
		const { name, detail = '' } = model;
		const question = { connection: connection.name, label, model: name, served: detail };
		if (!(await untilAborted(this.access.isAllowed(question), signal))) {
			throw vscode.LanguageModelError.NoPermissions(
				vscode.l10n.t(
					'Not sent: you haven’t allowed others to use Errand’s models. Change this with the setting errand.languageModels.access.',
				),
			);
		}
		const ruled = await untilAborted(rules.apply(asked), signal);
		if (ruled.kind === 'refused') {
			throw vscode.LanguageModelError.Blocked(ruled.explanation.message);
		}
		// The user may have chosen another connection while the question was open; its rules do not apply to this one.
		if (ruled.connection.name !== connection.name) {
			throw vscode.LanguageModelError.NotFound(
				otherConnectionText(model.name, ruled.connection.label ?? ruled.connection.name),
			);
		}
		call.request = ruled.request;
		const reader = new ReplyReader();
		const pause = pauses();
		try {
			for await (const event of client.chat.stream(ruled.request, { signal })) {
				const text = reader.add(event);
				if (text !== '') {
					progress.report(new vscode.LanguageModelTextPart(text));
				}
				await pause();
			}
			for (const { id, name: tool, input } of reader.end()) {
				progress.report(new vscode.LanguageModelToolCallPart(id, tool, input));
			}
		} finally {
			this.count(model, reader, rules, ruled.connection);
		}
	}

	/** Counts the use by a reply, even by one that was broken off, and remembers its provider. */
	private count(model: OfferedModel, reader: ReplyReader, rules: RequestRules, connection: Connection): void {
		const { provider, usage, model: served = model.model } = reader.told;
		if (usage === undefined && !reader.hasBegun) {
			return;
		}
		const prompt = usage?.prompt_tokens;
		const completion = usage?.completion_tokens;
		const counted = defined({ prompt, completion, cached: usage?.prompt_tokens_details?.cached_tokens });
		const cost = rules.cost(connection, { model: model.model, usage: counted, ...defined({ provider }) });
		const { ledger, logger, changed } = this.options;
		const reply = {
			connection: connection.name,
			model: served,
			inputTokens: prompt ?? 0,
			outputTokens: completion ?? 0,
		};
		ledger.add(systemClock.now(), { ...reply, cost, ...defined({ provider }) }).catch((error: unknown) => {
			logger.log('warn', 'what a request of others has used could not be written down', {
				reason: describeError(error),
			});
		});
		if (provider !== undefined && this.list.noteServed(model, provider)) {
			changed();
		}
	}

	/** Returns the error for the caller, and tells the user about a key that is missing or was refused. */
	private failure(error: unknown, { model, rules, label, request }: Call): Error {
		if (error instanceof vscode.LanguageModelError) {
			return error;
		}
		if (error instanceof MessageRefusal) {
			return new Error(messageProblemText(error.problem));
		}
		if (error instanceof ReplyRefusal) {
			return new Error(replyProblemText(error.problem, model.name));
		}
		const { code, status } = ClientError.is(error) ? error : {};
		this.options.logger.log('warn', 'a request of others to a model failed', {
			reason: describeError(error),
			connection: model.connection,
			...defined({ code, status }),
		});
		const explanation = rules.explain(error, request, label);
		if (explanation.action && ABOUT_KEYS.has(explanation.action.command)) {
			void this.tellOfKey(explanation);
		}
		const [upstream] = ClientError.is(error) ? error.upstreams : [];
		return languageModelError(upstream?.code ?? code, explanation.message);
	}

	private async tellOfKey(explanation: Explanation): Promise<void> {
		if (!this.isKeyTold) {
			this.isKeyTold = true;
			await showExplanation(explanation).finally(() => {
				this.isKeyTold = false;
			});
		}
	}
}

/** A request of another extension in progress. */
interface Call {
	model: OfferedModel;
	rules: RequestRules;
	signal: AbortSignal;
	/** The connection's name for the user. */
	label: string;
	/** The request, once it has been built. */
	request: ChatRequest | undefined;
}

const ABOUT_KEYS: ReadonlySet<CommandId> = new Set([commands.manageKeys, internalCommands.changeServerKey]);

/** The editor's interface has names for some kinds of failures, which extensions check. */
function languageModelError(code: ClientError['code'] | undefined, message: string): Error {
	switch (code) {
		case 'no-key':
		case 'unauthorised':
		case 'plan-required':
		case 'forbidden':
			return vscode.LanguageModelError.NoPermissions(message);
		case 'not-found':
			return vscode.LanguageModelError.NotFound(message);
		case 'payment-required':
		case 'rate-limited':
			return vscode.LanguageModelError.Blocked(message);
		default:
			return new Error(message);
	}
}

/** The role that the editor's own chat gives to its instructions. The stable interface has no name for it. */
const SYSTEM_ROLE = 3;

function readMessage({ role, content }: vscode.LanguageModelChatRequestMessage): Message {
	const parts = readParts(content);
	if (role === vscode.LanguageModelChatMessageRole.Assistant) {
		return { role: 'assistant', parts };
	}
	return { role: Number(role) === SYSTEM_ROLE ? 'system' : 'user', parts };
}

function readParts(content: readonly unknown[]): MessagePart[] {
	return content.map(readPart);
}

function readPart(part: unknown): MessagePart {
	if (part instanceof vscode.LanguageModelTextPart) {
		return { kind: 'text', text: part.value };
	}
	if (part instanceof vscode.LanguageModelToolCallPart) {
		return { kind: 'call', id: part.callId, name: part.name, input: part.input };
	}
	if (part instanceof vscode.LanguageModelToolResultPart) {
		return { kind: 'result', id: part.callId, parts: readParts(part.content) };
	}
	if (part instanceof vscode.LanguageModelDataPart) {
		return { kind: 'data', type: part.mimeType, bytes: part.data };
	}
	if (part instanceof vscode.LanguageModelPromptTsxPart) {
		return { kind: 'text', text: JSON.stringify(part.value) ?? '' };
	}
	// The stable interface has no class for a model's thoughts, but a reply of another model may have included some.
	const isThinking = typeof part === 'object' && part !== null && 'value' in part && 'metadata' in part;
	return { kind: isThinking ? 'thinking' : 'other' };
}
