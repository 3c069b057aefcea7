// The loop of Errand's own agent: it asks the model, has the tools run that it calls, and asks again. The conversation
// is a list of the responses endpoint's items to which items are only added, so that a service can read the beginning
// of each request from its cache, until older results are shortened or a summary takes their place.
import { randomUUID } from 'node:crypto';
import type { SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import { append } from '../base/append.ts';
import { ClientError } from '../base/errors.ts';
import type { InputItem } from '../contract/responses.ts';
import { askModel, isEmpty } from './askModel.ts';
import { Calls, MAXIMUM_CALLS, MAXIMUM_UNUSABLE, type TurnTools } from './calls.ts';
import { Context, type TurnModel } from './context.ts';
import { asMeant, asSentBack, missingResults, noteItem, promptItems, tokensOf, withOwnIds } from './conversation.ts';
import { ToolFailure, TurnFailure } from './failures.ts';
import { callsIn, type ModelReply, textIn } from './model/model.ts';
import { announcesWork, looksLikeCall } from './replyText.ts';
import { BackgroundCommands } from './tools/background.ts';

/** The maximum number of requests for one prompt. */
const MAXIMUM_STEPS = 200;

/** The maximum tokens that the model reads and writes for one prompt, as far as the service counts them. */
const MAXIMUM_TOKENS = 20_000_000;

/** The callbacks that report the progress of a turn. */
export interface TurnEvents {
	update(update: SessionUpdate): Promise<void>;
	/** Called with the conversation after each step. */
	save(items: readonly InputItem[]): Promise<void>;
}

/** The prompt that requests only a summary of the conversation. */
export const COMPACT = '/compact';

const TOO_MANY = `This call was not done: there were too many calls in one reply. Make at most ${MAXIMUM_CALLS}.`;

/** The work on one prompt: asks the model, executes its calls, and asks again, until it makes no more calls. */
export class Turn {
	private readonly turnModel: TurnModel;
	private readonly turnTools: TurnTools;
	private readonly events: TurnEvents;
	private readonly signal: AbortSignal;
	private readonly context: Context;
	private readonly calls: Calls;
	private readonly commands = new BackgroundCommands();
	private tokens = 0;
	private wasReminded = false;

	/** `items` is the conversation so far. `signal` aborts when the prompt is cancelled. */
	constructor(
		turnModel: TurnModel,
		turnTools: TurnTools,
		events: TurnEvents,
		{ items, signal }: { items: readonly InputItem[]; signal: AbortSignal },
	) {
		this.turnModel = turnModel;
		this.turnTools = turnTools;
		this.events = events;
		this.signal = signal;
		const { update } = events;
		this.calls = new Calls({
			...{ ...turnTools, model: turnModel.model.name, commands: this.commands, signal, update },
			delegate: (prompt, onStep) => this.delegate(prompt, onStep),
			conversation: () => this.context.items,
			imageProblem: () => this.context.imageProblem(),
		});
		this.context = new Context(items, {
			turnModel,
			tools: turnTools.tools,
			ask: asked => this.ask(asked, async () => {}),
			readAgain: (...again) => this.calls.readAgain(...again),
			showStep: (title, work) => this.showStep(title, work),
		});
	}

	/** `images` are `data:` URLs. Throws a TurnFailure, or a ClientError of the model's service. */
	async run(prompt: string, images: readonly string[] = []): Promise<StopReason> {
		const { signal, context } = this;
		append(context.items, missingResults(context.items, 'This call was interrupted.'));
		try {
			if (prompt === COMPACT) {
				return await this.compact();
			}
			context.begin(promptItems(prompt, images));
			return await this.work();
		} catch (error) {
			if (signal.aborted) {
				return 'cancelled';
			}
			throw error;
		} finally {
			await this.commands.end();
			append(context.items, missingResults(context.items, 'This call was interrupted.'));
			await this.events.save(context.items);
		}
	}

	private async work(): Promise<StopReason> {
		const { signal, context } = this;
		const { save } = this.events;
		for (let step = 0; step < MAXIMUM_STEPS; step++) {
			signal.throwIfAborted();
			const { isCut, ...answer } = await this.askForStep();
			const meant = answer.items.map(item => asMeant(item, this.turnTools.tools));
			const reply = withOwnIds(meant, context.items);
			const calls = callsIn(reply);
			if (calls.length === 0) {
				append(
					context.items,
					reply.filter(({ type }) => type !== 'reasoning' || !isCut),
				);
				const text = textIn(reply);
				if (isCut) {
					await this.goOnAfterCut(text === '');
				} else if (looksLikeCall(text, this.turnTools.tools)) {
					await this.goOnAfterText();
				} else if (!this.wasReminded && announcesWork(text)) {
					this.wasReminded = true;
					await this.goOn(
						'Your reply announces work, but has no call, so nothing was done. Do it now, or say what is done.',
						'The reply announced work without doing it, and the model was asked to do it',
					);
				} else {
					return 'end_turn';
				}
				continue;
			}
			append(context.items, reply.map(asSentBack));
			await save(context.items);
			await this.calls.answer(calls, isCut, result => context.items.push(result));
			append(context.items, missingResults(context.items, TOO_MANY));
			await save(context.items);
			if (this.tokens > MAXIMUM_TOKENS) {
				return 'max_tokens';
			}
		}
		return 'max_turn_requests';
	}

	/** Asks for the next step. If the service refuses the conversation as too long, it is shortened, and sent again. */
	private async askForStep(): Promise<ModelReply> {
		const { model } = this.turnModel;
		const isFirst = callsIn(this.context.items).length === 0;
		for (;;) {
			const { items } = this.context;
			await this.context.fit();
			if (this.context.items !== items) {
				this.calls.forgetRepeats();
			}
			try {
				const reply = await this.ask(this.context.items, text => this.say('agent_message_chunk', text));
				if (isFirst && callsIn(reply.items).length === 0 && looksLikeCall(textIn(reply.items), this.turnTools.tools)) {
					throw new TurnFailure(
						`The model ${model.name} writes calls of tools as text, so it cannot be used for agents. Choose a model that can call tools.`,
					);
				}
				if (isEmpty(reply)) {
					throw new TurnFailure(`The model ${model.name} answered with nothing. Try again, or choose another model.`);
				}
				return reply;
			} catch (error) {
				if (!ClientError.is(error, 'too-large') || !this.context.mayBeTooLong()) {
					throw error;
				}
				this.context.refused();
			}
		}
	}

	private async ask(items: readonly InputItem[], onText: (text: string) => Promise<void>): Promise<ModelReply> {
		const { model, instructions, contextLength } = this.turnModel;
		const { tools } = this.turnTools;
		const reply = await askModel(
			model,
			{
				...{ instructions, items, tools, signal: this.signal, onText },
				onThought: text => this.say('agent_thought_chunk', text),
			},
			sentence => this.showStep(sentence, async () => ''),
		);
		const { usage } = reply;
		const used = usage ? usage.inputTokens + usage.outputTokens : 0;
		if (used > 0 && contextLength !== undefined) {
			await this.events.update({ sessionUpdate: 'usage_update', used, size: contextLength });
		}
		this.tokens += (usage?.inputTokens ?? tokensOf(items)) + (usage?.outputTokens ?? tokensOf(reply.items));
		return reply;
	}

	private async goOnAfterCut(isEmptyReply: boolean): Promise<void> {
		const end = isEmptyReply
			? 'before it said or called anything. Think less before you act.'
			: 'so its end is missing. Go on exactly where it ended, and write less in one reply.';
		await this.goOn(
			`Your reply reached its maximum length, ${end}`,
			'The reply reached its maximum length, and the model was asked to go on',
		);
		this.calls.countUnusable(
			`wrote ${MAXIMUM_UNUSABLE} replies in a row that were cut off at its maximum length`,
			'Raise its maximum output, or choose another model.',
		);
	}

	private async goOnAfterText(): Promise<void> {
		await this.goOn(
			'Your reply has a call as text, so nothing was run. Call the tool itself, or end without a call.',
			'The reply had a call as text, and the model was asked to call the tool itself',
		);
		this.calls.countUnusable(`wrote calls of tools as text ${MAXIMUM_UNUSABLE} times in a row`);
	}

	/** Asks the model to go on, in a `note` to it and a step for the user. */
	private async goOn(note: string, title: string): Promise<void> {
		this.context.items.push(noteItem(note));
		await this.showStep(title, async () => '');
		await this.events.save(this.context.items);
	}

	private async compact(): Promise<StopReason> {
		const { context } = this;
		const before = tokensOf(context.items);
		if (before === 0) {
			await this.say('agent_message_chunk', 'There is nothing to summarise yet.');
			return 'end_turn';
		}
		await context.summarise();
		const after = tokensOf(context.items);
		await this.say(
			'agent_message_chunk',
			`A summary replaces the conversation: about ${before} tokens became ${after}.`,
		);
		return 'end_turn';
	}

	/** Answers as described for `ToolContext.delegate`, within the limits of this turn. */
	private async delegate(prompt: string, onStep: (title: string) => Promise<void>): Promise<string> {
		let items: readonly InputItem[] = [];
		const tools = this.turnTools.tools.filter(({ kind }) => kind === 'read' || kind === 'search');
		const helper = new Turn(
			this.turnModel,
			{ ...this.turnTools, tools },
			{
				update: async update => (update.sessionUpdate === 'tool_call' ? onStep(update.title) : undefined),
				save: async saved => {
					items = [...saved];
				},
			},
			{ items, signal: this.signal },
		);
		helper.tokens = this.tokens;
		try {
			const reason = await helper.run(prompt);
			this.signal.throwIfAborted();
			const answer = textIn(
				items.slice(items.findLastIndex(({ type }) => type === 'function_call_output') + 1).filter(isSaid),
			);
			return reason === 'end_turn' ? answer : `The helper reached its limit before it was done. ${answer}`.trim();
		} catch (error) {
			throw error instanceof TurnFailure ? new ToolFailure(`The helper failed. ${error.message}`) : error;
		} finally {
			this.tokens = helper.tokens;
		}
	}

	private async say(kind: 'agent_message_chunk' | 'agent_thought_chunk', text: string): Promise<void> {
		await this.events.update({ sessionUpdate: kind, content: { type: 'text', text } });
	}

	/** Shows a step that the model has not called for. Its text, if any, is shown once `work` has resolved with it. */
	private async showStep(title: string, work: () => Promise<string>): Promise<void> {
		const { update } = this.events;
		const toolCallId = `step-${randomUUID()}`;
		await update({ sessionUpdate: 'tool_call', toolCallId, title, kind: 'think', status: 'in_progress' });
		let text = '';
		let status: 'completed' | 'failed' = 'failed';
		try {
			text = await work();
			status = 'completed';
		} finally {
			const content = text === '' ? [] : [{ type: 'content' as const, content: { type: 'text' as const, text } }];
			await update({ sessionUpdate: 'tool_call_update', toolCallId, status, content });
		}
	}
}

const isSaid = (item: InputItem): boolean => 'role' in item && item.role === 'assistant';
