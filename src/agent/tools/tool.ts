import type { SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { BackgroundCommands } from './background.ts';

/** What a tool works with. */
export interface ToolContext {
	/** The folder of the session, without links. Nothing outside of it is read or written. */
	folder: string;
	/** Aborts when the prompt is cancelled. */
	signal: AbortSignal;
	update(update: SessionUpdate): Promise<void>;
	/** The commands in the background, which end with the turn. */
	commands: BackgroundCommands;
	/** Replaces the text that is shown of the call. */
	showText(text: string): Promise<void>;
	/**
	 * Has a helper with a conversation of its own answer, which can only read. `onStep` gets the title of each of its calls.
	 * Rejects with a ToolFailure if it comes to no end.
	 */
	delegate(prompt: string, onStep: (title: string) => Promise<void>): Promise<string>;
}

/** What is shown of a call before it runs. */
export interface CallShown {
	title: string;
	/** The absolute paths that it is about. */
	paths?: readonly string[];
}

export interface ToolResult {
	/** What the model gets. */
	text: string;
	/** What is shown beside the call. */
	content?: ToolCallContent[];
	/** Whether it did not do what it was asked for. */
	isFailure?: boolean;
}

/** A function that the model can call. */
export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
	name: string;
	/** For the model: what it does and when to use it. */
	description: string;
	schema: Schema;
	kind: ToolKind;
	/** True for a tool whose calls are not shown, because their effect shows itself. */
	isSilent?: boolean;
	/** Whether it changes something, so that the user may have to agree. */
	needsPermission: boolean;
	show(input: z.output<Schema>, context: Pick<ToolContext, 'folder'>): CallShown;
	/** Resolves with what the call would do, for somebody who is asked. Throws a ToolFailure if it could not be done. */
	preview?(input: z.output<Schema>, context: Pick<ToolContext, 'folder'>): Promise<ToolCallContent[]>;
	/** Throws a ToolFailure with what the model should know. */
	run(input: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
}

/** Declares a tool with the types of its own schema. */
export function defineTool<Schema extends z.ZodObject>(tool: Tool<Schema>): Tool {
	return tool as unknown as Tool;
}

/** Bounds that a model keeps without being told. It is told once it does not. */
const UNTOLD = ['minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** Returns the schema of a tool's arguments as the model gets it. Every request has it, so it is short. */
export function parametersOf({ schema }: Tool): Record<string, unknown> {
	const { $schema: _, ...parameters } = z.toJSONSchema(schema, {
		io: 'input',
		override({ jsonSchema }) {
			for (const bound of UNTOLD) {
				delete jsonSchema[bound];
			}
			if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
				delete jsonSchema.maximum;
			}
		},
	}) as Record<string, unknown>;
	return parameters;
}

/** Cuts the middle out of a text that is too long, and says so there. */
export function cutMiddle(text: string, maximum: number): string {
	if (text.length <= maximum) {
		return text;
	}
	const half = Math.floor(maximum / 2);
	const left = text.slice(0, half).toWellFormed();
	const right = text.slice(-half).toWellFormed();
	return `${left}\n[… ${text.length - 2 * half} characters were left out …]\n${right}`;
}
