import type { CallToolResult, InputRequiredResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { nameSchema, type PipeArguments } from '../../contract/editorPipe.ts';
import type { Access, ActingCall, ActionValues } from './access.ts';

/** The interval at which a client that shows progress is told that a call still waits, in milliseconds. */
const WAITING_MS = 10_000;

export const taskId = nameSchema.describe('The id of the task, as list_tasks and start_task give it.');

/** A result, or a question that the client answers before it calls again. */
export type ToolResult = CallToolResult | InputRequiredResult;

/** The services that are passed to the files with the tools. */
export interface Tools {
	access: Access;
	/** Registers a tool. Its errors become sentences. */
	add<Schema extends z.ZodObject>(
		name: string,
		tool: { title: string; description: string; inputSchema: Schema; annotations: ToolAnnotations },
		run: (asked: z.output<Schema>, context: ServerContext) => Promise<ToolResult>,
	): void;
	/** Carries out an action once the user has said yes, and returns the answer that `answer` makes from its value. */
	act<Call extends ActingCall>(
		call: Call,
		asked: PipeArguments<Call>,
		context: ServerContext,
		answer: (value: ActionValues[Call]) => CallToolResult,
	): Promise<ToolResult>;
}

/** Reports progress to a client that has asked for it. `done` must grow. */
export async function tellProgress(context: ServerContext, done: number, message: string): Promise<void> {
	const progressToken = context.mcpReq._meta?.progressToken;
	if (progressToken !== undefined && !context.mcpReq.signal.aborted) {
		await context.mcpReq.notify({
			method: 'notifications/progress',
			params: { progressToken, progress: done, message },
		});
	}
}

/** Reports at intervals that the call is in progress, so that a client that gives up on silence keeps waiting. */
export async function tellingProgress<T>(context: ServerContext, message: string, run: () => Promise<T>): Promise<T> {
	let told = 0;
	const tell = () => void tellProgress(context, ++told, message).catch(() => {});
	tell();
	const timer = setInterval(tell, WAITING_MS);
	try {
		return await run();
	} finally {
		clearInterval(timer);
	}
}
