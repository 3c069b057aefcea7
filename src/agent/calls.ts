import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import { defined } from '../base/defined.ts';
import { describeError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { oneLine } from '../base/plainText.ts';
import type { InputItem } from '../contract/responses.ts';
import { asText, hasText, MAXIMUM_ARGUMENTS } from './conversation.ts';
import { ToolFailure, TurnFailure } from './failures.ts';
import { nestedInstructions } from './instructions.ts';
import type { FunctionCall } from './model/model.ts';
import type { BackgroundCommands } from './tools/background.ts';
import { coerce } from './tools/coerce.ts';
import { MAXIMUM_RESULT } from './tools/outputBuffer.ts';
import {
	type CallDisplay,
	cutMiddle,
	parametersOf,
	type Tool,
	type ToolContext,
	type ToolResult,
} from './tools/tool.ts';

/** The tools that the model may call, and the folder in which they work. */
export interface TurnTools {
	tools: readonly Tool[];
	/** The folder of the session, without links. */
	folder: string;
	/** Asks whether a call that needs permission may run. If undefined, every call may. */
	isAllowed: ((call: ShownCall) => Promise<boolean>) | undefined;
}

/** A call as it is reported to the client. */
export interface ShownCall {
	toolCallId: string;
	title: string;
	kind: Tool['kind'];
	locations: { path: string }[];
	rawInput: Record<string, unknown>;
	/** The change or action of the call, if it can be described. */
	content?: ToolCallContent[];
}

interface CallsOptions extends TurnTools {
	model: string;
	commands: BackgroundCommands;
	signal: AbortSignal;
	update(update: SessionUpdate): Promise<void>;
	delegate: ToolContext['delegate'];
	imageProblem: ToolContext['imageProblem'];
	conversation(): readonly InputItem[];
}

interface UsableCall {
	tool: Tool;
	input: Record<string, unknown>;
}

interface Outcome {
	title: string;
	/** The result for the model. */
	text: string;
	image: string | undefined;
	/** The instructions of the folders that the call was about, which the model has not been told. */
	instructions: string;
	/** The part of the surroundings that the call may have changed. */
	changes: 'files' | 'anything' | undefined;
}

/** The maximum number of calls in one reply that are executed. */
export const MAXIMUM_CALLS = 64;

/** The number of replies in a row, cut off or without a usable call, after which the run ends. */
export const MAXIMUM_UNUSABLE = 6;

/**
 * The number of times that a call has the same result before the model is told, and before the run ends. A command may
 * be waiting for something, so it may be repeated more often.
 */
const REPEATS_TOLD = 3;
const MAXIMUM_REPEATS = 5;
const MAXIMUM_COMMAND_REPEATS = 10;

/** The maximum characters of a title. A whole command is among the arguments that are shown. */
const MAXIMUM_TITLE = 1_000;

/** The maximum characters of the name of a tool or a call, and of the description of a problem. */
const MAXIMUM_NAME = 80;
const MAXIMUM_PROBLEM = 1_000;

const CUT =
	'Your reply reached its maximum length within this call, so the call was not run. Make it smaller: write a long file in several steps, the first with write and the others with edit.';

/** Executes the model's calls in one turn, and detects when they make no progress. */
export class Calls {
	private readonly options: CallsOptions;
	/** The number of unusable replies in a row. */
	private unusable = 0;
	/** The number of replies that had a call with the same result, by call and result. */
	private readonly repeats = new Map<string, number>();
	/** Every key that `repeats` has ever had. */
	private readonly known = new Set<string>();

	constructor(options: CallsOptions) {
		this.options = options;
	}

	/**
	 * Executes the calls of one reply in order and passes on each result. If the reply `isCut`, the last call is not run.
	 * Throws a TurnFailure if the calls of too many replies in a row were unusable, or the same one came too often.
	 */
	async answer(calls: readonly FunctionCall[], isCut: boolean, onResult: (result: InputItem) => void): Promise<void> {
		const { model, signal } = this.options;
		const done = new Set<string>();
		let isUsable = false;
		let endless: string | undefined;
		for (const call of calls.slice(0, MAXIMUM_CALLS)) {
			signal.throwIfAborted();
			const read = isCut && call === calls.at(-1) ? CUT : this.read(call);
			const result = (output: string, instructions = ''): InputItem => ({
				type: 'function_call_output',
				call_id: call.call_id,
				output: asText(cutMiddle(output, MAXIMUM_RESULT) + instructions),
			});
			if (typeof read === 'string') {
				await this.refuse(call, read);
				onResult(result(read));
				continue;
			}
			isUsable = true;
			const outcome = await this.run(call, read);
			const { title, text, image, instructions } = outcome;
			const count = this.repeated(done, call, read, outcome);
			const isCommand = read.tool.kind === 'execute';
			if (count >= (isCommand ? MAXIMUM_COMMAND_REPEATS : MAXIMUM_REPEATS)) {
				endless ??= `${count} times with the same result (${oneLine(title, MAXIMUM_NAME)})`;
			}
			if (image !== undefined && count < REPEATS_TOLD) {
				onResult({ type: 'function_call_output', call_id: call.call_id, output: image });
				continue;
			}
			onResult(result(count < REPEATS_TOLD ? text : `${text}\n${repeatedWords(count, isCommand)}`, instructions));
		}
		if (endless !== undefined) {
			throw new TurnFailure(
				`The model ${model} made the same call ${endless}, so it was stopped. Say in other words what it is to do, or choose another model.`,
			);
		}
		if (isUsable) {
			this.unusable = 0;
		} else {
			this.countUnusable(`called tools ${MAXIMUM_UNUSABLE} times in a row in a way that cannot be used`);
		}
	}

	/** Counts an unusable reply. After too many in a row, throws a TurnFailure that says what the model did. */
	countUnusable(what: string, step = 'Choose another model.'): void {
		if (++this.unusable >= MAXIMUM_UNUSABLE) {
			throw new TurnFailure(`The model ${this.options.model} ${what}. ${step}`);
		}
	}

	/** Restarts the count of repeated results, because earlier results are no longer in the conversation. */
	forgetRepeats(): void {
		this.repeats.clear();
	}

	/**
	 * Returns the current result of a tool that only reads, or undefined if it fails. `conversation` is what the model will
	 * have been told before it.
	 */
	async readAgain(name: string, given: unknown, conversation: readonly InputItem[]): Promise<string | undefined> {
		const tool = this.options.tools.find(known => known.name === name);
		const input = tool?.schema.safeParse(given);
		if (tool === undefined || !input?.success) {
			return undefined;
		}
		try {
			const { text } = await tool.run(input.data, { ...this.options, showText: async () => {} });
			return text + (await this.instructionsOf(tool, input.data, conversation));
		} catch {
			return undefined;
		}
	}

	private async instructionsOf(
		tool: Tool,
		input: Record<string, unknown>,
		conversation: readonly InputItem[],
	): Promise<string> {
		const { folder } = this.options;
		const { paths = [] } = tool.show(input, { folder });
		return nestedInstructions(folder, paths, text => hasText(conversation, text));
	}

	/** Returns the call as its tool accepts it, or the message to the model about an unusable one. */
	private read({ name, arguments: given }: FunctionCall): UsableCall | string {
		const { tools } = this.options;
		const tool = tools.find(known => known.name === name);
		if (tool === undefined) {
			return `There is no tool "${oneLine(name, MAXIMUM_NAME)}". There are: ${tools.map(known => known.name).join(', ')}.`;
		}
		if (given.length > MAXIMUM_ARGUMENTS) {
			return `The arguments of "${name}" have more than ${MAXIMUM_ARGUMENTS} characters. Do it in several steps.`;
		}
		const value = parseJson(given);
		if (value === undefined) {
			return `The arguments of "${name}" cannot be used: they are not valid JSON.`;
		}
		const { data, error } = tool.schema.safeParse(coerce(value ?? {}, parametersOf(tool)));
		if (data !== undefined) {
			return { tool, input: data };
		}
		const said = error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`).join('; ');
		return `The arguments of "${name}" cannot be used: ${cutMiddle(said, MAXIMUM_PROBLEM)}.`;
	}

	/** Shows an unusable call. */
	private async refuse({ name, call_id: id }: FunctionCall, problem: string): Promise<void> {
		await this.options.update({
			sessionUpdate: 'tool_call',
			toolCallId: shownId(id),
			title: `Unusable call of ${oneLine(name, MAXIMUM_NAME)}`,
			kind: 'other',
			status: 'failed',
			content: [textContent(problem)],
		});
	}

	private async run(call: FunctionCall, { tool, input }: UsableCall): Promise<Outcome> {
		const { folder, isAllowed, update, signal } = this.options;
		const shown = shownCall(call, tool, tool.show(input, { folder }), input);
		const { toolCallId, title } = shown;
		const { needsPermission } = tool;
		const isChange = typeof needsPermission === 'function' ? needsPermission(input) : needsPermission;
		const asks = isAllowed !== undefined && isChange;
		const show: typeof update = tool.isSilent ? async () => {} : update;
		await show({ ...shown, sessionUpdate: 'tool_call', status: 'pending' });
		const changes = tool.kind === 'edit' ? ('files' as const) : ('anything' as const);
		const done = async (status: 'completed' | 'failed', outcome: ToolResult) => {
			const { text, image, content = [textContent(text)] } = outcome;
			await show({ sessionUpdate: 'tool_call_update', toolCallId, status, content });
			const isDone = status === 'completed';
			return {
				title,
				text,
				image,
				instructions: isDone ? await this.instructionsOf(tool, input, this.options.conversation()) : '',
				changes: isDone && isChange ? changes : undefined,
			};
		};
		try {
			if (asks) {
				const content = await tool.preview?.(input, { folder });
				if (!(await isAllowed({ ...shown, ...defined({ content }) }))) {
					return await done('failed', { text: 'This was not allowed. Do without it, or say what it would be for.' });
				}
				if (!isDeepStrictEqual(content, await tool.preview?.(input, { folder }))) {
					throw new ToolFailure(
						'The file has changed since this was shown to the user. Read it again, then try again.',
					);
				}
			}
			await show({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
			const outcome = await tool.run(input, {
				...this.options,
				showText: text => show({ sessionUpdate: 'tool_call_update', toolCallId, content: [textContent(text)] }),
			});
			return await done(outcome.isFailure ? 'failed' : 'completed', outcome);
		} catch (error) {
			if (signal.aborted || error instanceof TurnFailure) {
				throw error;
			}
			// The system refuses some arguments with an error of its own, for example a command that is too long.
			return done('failed', {
				text: error instanceof ToolFailure ? error.message : `The call failed: ${describeError(error)}`,
			});
		}
	}

	/**
	 * Counts a call with its result, once for each reply: until the next one, the model does not know the result. After a
	 * changed file, or a new command, repeating other calls does not count; repeating the same change does. Calls of a tool
	 * that only shows something are the same, whatever it shows, until another tool is called.
	 */
	private repeated(
		done: Set<string>,
		call: FunctionCall,
		{ tool, input }: UsableCall,
		{ text, changes }: Outcome,
	): number {
		const hash = createHash('sha256').update(JSON.stringify([call.name, input, text]));
		const key = tool.isSilent ? tool.name : (changes === 'files' ? CHANGE : '') + hash.digest('base64');
		if (!tool.isSilent) {
			for (const silent of this.options.tools.filter(({ isSilent }) => isSilent)) {
				this.repeats.delete(silent.name);
			}
		}
		if (changes === 'files' || (changes === 'anything' && !this.known.has(key))) {
			for (const other of [...this.repeats.keys()].filter(repeated => !repeated.startsWith(CHANGE))) {
				this.repeats.delete(other);
			}
		}
		const count = (this.repeats.get(key) ?? 0) + (done.has(key) ? 0 : 1);
		this.repeats.set(key, count);
		this.known.add(key);
		done.add(key);
		return count;
	}
}

/** Marks the keys of file changes. */
const CHANGE = 'change ';

function repeatedWords(count: number, isCommand: boolean): string {
	const step = isCommand
		? 'If you wait for something, let the command itself wait, or run it in the background and wait with output. Otherwise do'
		: 'It will be the same again: do';
	return `(You have made this call ${count} times with the same result. ${step} something else, or say what keeps you from it.)`;
}

function textContent(text: string): ToolCallContent {
	return { type: 'content', content: { type: 'text', text } };
}

/** The ids of a model's calls need not be unique in a session. */
const shownId = (id: string): string => `${id}-${randomUUID().slice(0, 8)}`;

function shownCall(
	{ call_id: id }: FunctionCall,
	tool: Tool,
	{ title, paths = [], kind = tool.kind }: CallDisplay,
	rawInput: Record<string, unknown>,
): ShownCall {
	return {
		toolCallId: shownId(id),
		title: cutMiddle(title, MAXIMUM_TITLE),
		kind,
		locations: paths.map(path => ({ path })),
		rawInput,
	};
}
