import { isDeepStrictEqual } from 'node:util';
import type { SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { BackgroundCommands } from './background.ts';

export interface ToolContext {
	/** The folder of the session, without links. Nothing outside it is read or written. */
	folder: string;
	/** Aborts when the prompt is cancelled. */
	signal: AbortSignal;
	update(update: SessionUpdate): Promise<void>;
	/** The background commands, which end with the turn. */
	commands: BackgroundCommands;
	/** Returns a sentence if the model cannot be shown an image. */
	imageProblem(): string | undefined;
	/** Replaces the text shown for the call. */
	showText(text: string): Promise<void>;
	/**
	 * Lets a helper with a conversation of its own, which can only read, answer the prompt. `onStep` receives the title
	 * of each of its calls. Rejects with a ToolFailure if it reaches no end.
	 */
	delegate(prompt: string, onStep: (title: string) => Promise<void>): Promise<string>;
}

/** The parts of a call that are shown before it runs. */
export interface CallDisplay {
	title: string;
	/** The kind of the call, if it is not that of the tool. */
	kind?: ToolKind;
	/** The absolute paths that the call is about. */
	paths?: readonly string[];
}

export interface ToolResult {
	/** The result for the model. */
	text: string;
	/** The `data:` URL of an image that the model sees in place of the text. */
	image?: string;
	/** The content that is shown with the call. */
	content?: ToolCallContent[];
	/** True if the tool did not do what was asked. */
	isFailure?: boolean;
}

export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
	name: string;
	/** Tells the model what the tool does and when to use it. */
	description: string;
	schema: Schema;
	/** A helper gets the tools that read or search, and clients ask about a call by its kind. */
	kind: ToolKind;
	/** True for a tool whose calls are not shown, because their effect is visible. */
	isSilent?: boolean;
	/** True if the tool, or a call of it, changes something, so that the user may have to agree. */
	needsPermission: boolean | ((input: z.output<Schema>) => boolean);
	show(input: z.output<Schema>, context: Pick<ToolContext, 'folder'>): CallDisplay;
	/** Resolves with what the call would do, for the user who is asked. Throws a ToolFailure if it could not be done. */
	preview?(input: z.output<Schema>, context: Pick<ToolContext, 'folder'>): Promise<ToolCallContent[]>;
	/** Throws a ToolFailure with a message for the model. */
	run(input: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
}

/** Declares a tool with the types of its own schema. */
export function defineTool<Schema extends z.ZodObject>(tool: Tool<Schema>): Tool {
	return tool as unknown as Tool;
}

/** The keywords of a schema that models are not told: they respect most bounds anyway, and hear of one that they break. */
const UNTOLD = [
	'default',
	'minimum',
	'maximum',
	'minLength',
	'maxLength',
	'minItems',
	'maxItems',
	'propertyNames',
] as const;

/** Returns the schema of a tool's arguments as the model gets it. It is short, as every request contains it. */
export function parametersOf({ schema }: Tool): Record<string, unknown> {
	const { $schema: _, ...parameters } = z.toJSONSchema(schema, {
		io: 'input',
		override({ jsonSchema }) {
			for (const untold of UNTOLD) {
				delete jsonSchema[untold];
			}
			if (isDeepStrictEqual(jsonSchema.additionalProperties, {})) {
				delete jsonSchema.additionalProperties;
			}
		},
	}) as Record<string, unknown>;
	return parameters;
}

/** Cuts the middle out of a text that is too long, and marks the cut. */
export function cutMiddle(text: string, maximum: number): string {
	if (text.length <= maximum) {
		return text;
	}
	const half = Math.floor(maximum / 2);
	const left = text.slice(0, half).toWellFormed();
	const right = text.slice(-half).toWellFormed();
	return `${left}\n[… ${text.length - 2 * half} characters were left out …]\n${right}`;
}
