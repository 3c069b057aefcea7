import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SessionUpdate, StopReason, ToolCallContent } from '@agentclientprotocol/sdk';
import { append } from '../base/append.ts';
import { defined } from '../base/defined.ts';
import { describeError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import type { InputItem } from '../contract/responses.ts';
import { CHARACTERS_PER_TOKEN, missingResults, shorten, tokensOf, withOwnIds } from './conversation.ts';
import {
	MAXIMUM_ARGUMENTS,
	MAXIMUM_BROKEN_CALLS,
	MAXIMUM_CALLS,
	MAXIMUM_CONVERSATION,
	MAXIMUM_RESULT,
	MAXIMUM_STEPS,
	MAXIMUM_TOKENS,
} from './limits.ts';
import { callsIn, type FunctionCall, type Model, textIn } from './model/model.ts';
import { type CallShown, cutMiddle, parametersOf, type Tool, ToolFailure, type ToolResult } from './tools/tool.ts';
import { TurnFailure } from './turnFailure.ts';

/** The model, and the instructions that every request to it carries. */
export interface TurnModel {
	model: Model;
	/** The tokens that the model takes in one request, or undefined if that is not known. */
	contextLength: number | undefined;
	instructions: string;
}

/** The tools that the model may call, and the folder in which they work. */
export interface TurnTools {
	tools: readonly Tool[];
	/** The folder of the session, without links. */
	folder: string;
	/** Asks whether a call may run that needs permission. Undefined: every call may. */
	isAllowed: ((call: ShownCall) => Promise<boolean>) | undefined;
}

/** The callbacks by which a turn reports what it does. */
export interface TurnEvents {
	update(update: SessionUpdate): Promise<void>;
	/** Called with the conversation after each step. */
	save(items: readonly InputItem[]): Promise<void>;
}

/** A call as it is reported to the client. */
export interface ShownCall {
	toolCallId: string;
	title: string;
	kind: Tool['kind'];
	locations: { path: string }[];
	rawInput: Record<string, unknown>;
	/** What it would do, if that can be said. */
	content?: ToolCallContent[];
}

/** The characters of a title. A whole command is among the arguments that are shown. */
const MAXIMUM_TITLE = 1_000;

/** The part of the model's length that a request may take. The rest is for the reply, and for what was estimated wrongly. */
const REQUEST_SHARE = 0.75;

/** One prompt: asks the model, does what it calls for, and asks again, until it calls for nothing. */
export class Turn {
	private readonly turnModel: TurnModel;
	private readonly turnTools: TurnTools;
	private readonly events: TurnEvents;
	private readonly signal: AbortSignal;
	private items: InputItem[];
	private tokens = 0;
	private broken = 0;

	/** `items` are the conversation so far. `signal` aborts when the prompt is cancelled. */
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
		this.items = [...items];
	}

	/** Throws a TurnFailure, or a ClientError of the model's service. */
	async run(prompt: string): Promise<StopReason> {
		const { signal } = this;
		const { save } = this.events;
		append(this.items, missingResults(this.items, 'This call was interrupted.'));
		this.items.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] });
		try {
			for (let step = 0; step < MAXIMUM_STEPS; step++) {
				signal.throwIfAborted();
				const reply = withOwnIds(await this.ask(), this.items);
				append(this.items, reply);
				const calls = callsIn(reply);
				if (calls.length === 0) {
					return 'end_turn';
				}
				await save(this.items);
				for (const call of calls.slice(0, MAXIMUM_CALLS)) {
					this.items.push(await this.answer(call));
				}
				const tooMany = `This call was not done: there were too many calls in one reply. Make at most ${MAXIMUM_CALLS}.`;
				append(this.items, missingResults(this.items, tooMany));
				await save(this.items);
				if (this.tokens > MAXIMUM_TOKENS) {
					return 'max_tokens';
				}
			}
			return 'max_turn_requests';
		} catch (error) {
			if (signal.aborted) {
				return 'cancelled';
			}
			throw error;
		} finally {
			append(this.items, missingResults(this.items, 'This call was interrupted.'));
			await save(this.items);
		}
	}

	private async ask(): Promise<InputItem[]> {
		const { model, contextLength, instructions } = this.turnModel;
		const { tools } = this.turnTools;
		const { signal } = this;
		const isFirst = !this.items.some(item => item.type === 'function_call');
		const { items, usage, isCut } = await model.reply({
			instructions,
			items: await this.withinLength(),
			tools,
			signal,
			onText: text => this.say('agent_message_chunk', text),
			onThought: text => this.say('agent_thought_chunk', text),
		});
		const used = usage ? usage.inputTokens + usage.outputTokens : 0;
		if (used > 0 && contextLength !== undefined) {
			await this.events.update({ sessionUpdate: 'usage_update', used, size: contextLength });
		}
		this.tokens += (usage?.inputTokens ?? tokensOf(this.items)) + (usage?.outputTokens ?? tokensOf(items));
		if (isFirst && callsIn(items).length === 0 && looksLikeCall(textIn(items), tools)) {
			throw new TurnFailure(
				`The model ${model.name} writes calls of tools as text, so it cannot be used for agents. Choose a model that can call tools.`,
			);
		}
		if (isCut && callsIn(items).length === 0) {
			throw new TurnFailure(
				`The reply of ${model.name} was cut off at its maximum length. Raise the model's maximum output, or choose another model.`,
			);
		}
		if (items.length === 0) {
			throw new TurnFailure(`The model ${model.name} answered with nothing. Try again, or choose another model.`);
		}
		return items;
	}

	private async withinLength(): Promise<readonly InputItem[]> {
		const { contextLength = MAXIMUM_CONVERSATION, model, instructions } = this.turnModel;
		const { tools } = this.turnTools;
		const described = JSON.stringify(tools.map(tool => [tool.description, parametersOf(tool)]));
		const fixed = Math.ceil((instructions.length + described.length) / CHARACTERS_PER_TOKEN);
		const { items, shortened, fits } = shorten(this.items, Math.floor(contextLength * REQUEST_SHARE) - fixed);
		if (!fits) {
			throw new TurnFailure(
				`The conversation has become longer than ${model.name} can take (${contextLength} tokens). Start a new task for what is left, or choose a model with a greater length.`,
			);
		}
		if (shortened > 0) {
			this.items = items;
			await this.say(
				'agent_thought_chunk',
				`${shortened === 1 ? 'One earlier result was' : `${shortened} earlier results were`} shortened, to stay within the model's length.\n`,
			);
		}
		return items;
	}

	private async answer(call: FunctionCall): Promise<InputItem> {
		const { tools, isAllowed, folder } = this.turnTools;
		const { update } = this.events;
		const { signal } = this;
		signal.throwIfAborted();
		const result = (output: string): InputItem => ({
			type: 'function_call_output',
			call_id: call.call_id,
			output: cutMiddle(output, MAXIMUM_RESULT),
		});
		const tool = tools.find(({ name }) => name === call.name);
		const isLong = call.arguments.length > MAXIMUM_ARGUMENTS;
		const read = isLong ? undefined : tool?.schema.safeParse(parseJson(call.arguments));
		if (tool === undefined || !read?.success) {
			return result(this.brokenCall(call, read?.error?.issues ?? []));
		}
		this.broken = 0;
		const shown = shownCall(call, tool, tool.show(read.data, { folder }), read.data);
		const asks = isAllowed !== undefined && tool.needsPermission;
		const show: typeof update = tool.isSilent ? async () => {} : update;
		await show({ ...shown, sessionUpdate: 'tool_call', status: 'pending' });
		const done = async (status: 'completed' | 'failed', outcome: ToolResult) => {
			const { toolCallId } = shown;
			const { text, content = [{ type: 'content' as const, content: { type: 'text' as const, text } }] } = outcome;
			await show({ sessionUpdate: 'tool_call_update', toolCallId, status, content });
			return result(text);
		};
		try {
			if (asks) {
				const content = await tool.preview?.(read.data, { folder });
				if (!(await isAllowed({ ...shown, ...defined({ content }) }))) {
					return await done('failed', { text: 'This was not allowed. Do without it, or say what it would be for.' });
				}
				if (!isDeepStrictEqual(content, await tool.preview?.(read.data, { folder }))) {
					throw new ToolFailure(
						'The file has changed since this was shown to the user. Read it again, then try again.',
					);
				}
			}
			await show({ sessionUpdate: 'tool_call_update', toolCallId: shown.toolCallId, status: 'in_progress' });
			const outcome = await tool.run(read.data, { folder, signal, update });
			return await done(outcome.isFailure ? 'failed' : 'completed', outcome);
		} catch (error) {
			if (signal.aborted || error instanceof TurnFailure) {
				throw error;
			}
			// The system refuses some arguments with an error of its own, such as a command that is too long.
			return done('failed', {
				text: error instanceof ToolFailure ? error.message : `The call failed: ${describeError(error)}`,
			});
		}
	}

	/** Returns what the model is told of a call that cannot be read. Throws a TurnFailure once it has been told often enough. */
	private brokenCall({ name, arguments: given }: FunctionCall, issues: readonly Issue[]): string {
		const { model } = this.turnModel;
		const { tools } = this.turnTools;
		if (++this.broken > MAXIMUM_BROKEN_CALLS) {
			throw new TurnFailure(
				`The model ${model.name} called tools ${this.broken} times in a row in a way that cannot be read. Choose another model.`,
			);
		}
		if (!tools.some(tool => tool.name === name)) {
			return `There is no tool "${name}". There are: ${tools.map(tool => tool.name).join(', ')}.`;
		}
		if (given.length > MAXIMUM_ARGUMENTS) {
			return `The arguments of "${name}" have more than ${MAXIMUM_ARGUMENTS} characters. Do it in several steps.`;
		}
		const said =
			parseJson(given) === undefined
				? 'they are not valid JSON'
				: issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`).join('; ');
		return `The arguments of "${name}" cannot be used: ${said}.`;
	}

	private async say(kind: 'agent_message_chunk' | 'agent_thought_chunk', text: string): Promise<void> {
		await this.events.update({ sessionUpdate: kind, content: { type: 'text', text } });
	}
}

interface Issue {
	path: PropertyKey[];
	message: string;
}

function shownCall(
	call: FunctionCall,
	{ kind }: Tool,
	{ title, paths = [] }: CallShown,
	rawInput: Record<string, unknown>,
): ShownCall {
	return {
		// The ids of models' calls need not be unique in a session.
		toolCallId: `${call.call_id}-${randomUUID().slice(0, 8)}`,
		title: cutMiddle(title, MAXIMUM_TITLE),
		kind,
		locations: paths.map(path => ({ path })),
		rawInput,
	};
}

/**
 * Returns whether a reply in words is a call of one of the tools, as written by models that were not made for calling
 * tools.
 */
function looksLikeCall(text: string, tools: readonly Tool[]): boolean {
	const body = text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1);
	const value = parseJson(body) as { name?: unknown; function?: unknown } | null | undefined;
	const name = typeof value?.function === 'string' ? value.function : value?.name;
	return tools.some(tool => tool.name === name);
}
