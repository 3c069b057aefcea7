// The shapes that callers of the client meet. Part of its stable interface.
import type { Annotation, Usage } from '../contract/chat.ts';
import type { LogEntry, Task } from '../contract/tasks.ts';

export type ChatStreamEvent =
	| { type: 'text'; text: string }
	| { type: 'reasoning'; text: string }
	/** `arguments` is a fragment of the call's JSON text. */
	| { type: 'toolCall'; index: number; id?: string; name?: string; arguments: string }
	| { type: 'annotations'; annotations: Annotation[] }
	| { type: 'served'; provider?: string; model?: string; id?: string }
	| { type: 'usage'; usage: Usage }
	| { type: 'finish'; reason: string; nativeReason?: string };

export type FollowEvent =
	| { type: 'connected'; fromIndex: number }
	/** `sentAt` is ISO 8601. */
	| { type: 'log'; index: number; entry: LogEntry; sentAt: string | undefined }
	| { type: 'status'; status: string; error: string | undefined }
	/** Entries `from` to `to`, both inclusive, could not be had. */
	| { type: 'gap'; from: number; to: number }
	| { type: 'reconnecting'; nextIndex: number; attempt: number; delayMs: number; cause: string }
	| { type: 'complete'; status: string; totalLogs: number | null; message: string | undefined };

export interface TaskPage {
	tasks: Task[];
	hasMore: boolean;
	offset: number;
	limit: number;
}
