import type { CallToolResult, InputRequiredResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { AskedOutcome } from '../../contract/editorPipe.ts';
import type { Access, Action } from './access.ts';

/** How often a client that shows progress is told that a call still waits, in milliseconds. */
const WAITING_MS = 10_000;

/** A result, or a question that the client answers before it calls again. */
export type ToolResult = CallToolResult | InputRequiredResult;

/** What the files with the tools are given. */
export interface Tools {
	access: Access;
	/** Registers a tool. An error of it becomes a sentence. */
	add<Schema extends z.ZodObject>(
		name: string,
		tool: { title: string; description: string; inputSchema: Schema; annotations: ToolAnnotations },
		run: (asked: z.output<Schema>, context: ServerContext) => Promise<ToolResult>,
	): void;
	/** Does something once the user has said yes, and answers with what `answer` makes of its value. */
	act<Value>(
		prepared: Action<Value> | Extract<AskedOutcome<never>, { done: false }>,
		context: ServerContext,
		answer: (value: Value) => CallToolResult,
	): Promise<ToolResult>;
}

/** Tells progress to a client that has asked for it. `done` has to grow. */
export async function tellProgress(context: ServerContext, done: number, message: string): Promise<void> {
	const progressToken = context.mcpReq._meta?.progressToken;
	if (progressToken !== undefined && !context.mcpReq.signal.aborted) {
		await context.mcpReq.notify({
			method: 'notifications/progress',
			params: { progressToken, progress: done, message },
		});
	}
}

/** Tells again and again that something is going on, so that a client that gives up on silence goes on waiting. */
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
