import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { filePathSchema, type LogEventOfTask, nameSchema } from '../../contract/editorPipe.ts';
import { integerBetween, integerFrom } from '../../contract/ranges.ts';
import { TASK_STATUS_FILTERS } from '../../contract/tasks.ts';
import { dataResult, outsideDiff, outsideText, taskView } from './results.ts';
import { type Tools, taskId, tellProgress } from './tools.ts';

/** The maximum number of tasks on a page of the list. */
const MAXIMUM_LISTED = 50;
const MAXIMUM_ENTRIES = 200;
/** The size of the texts of one part of a log, in UTF-8. */
const MAXIMUM_LOG_BYTES = 64 * 1024;
/** Most clients give up on a call after a minute. */
const MAXIMUM_WAIT_SECONDS = 50;
const MAXIMUM_DIFF = 60_000;
const LISTED_FILES = 300;
/** The minimum time between two reports of progress, in milliseconds. */
const PROGRESS_MS = 250;

/** The hints for tools that only read. The service may be one on the network, with texts that others have written. */
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

export function registerReadingTools({ access, add }: Tools): void {
	add(
		'list_tasks',
		{
			title: 'List tasks',
			description: 'Lists the tasks of the user’s connection, the newest first. Costs nothing.',
			inputSchema: z.strictObject({
				status: z.enum(TASK_STATUS_FILTERS).optional().describe('Only tasks in this state.'),
				limit: integerBetween(1, MAXIMUM_LISTED).default(20).describe('How many tasks at most.'),
				offset: integerFrom(0).default(0).describe('How many tasks to leave out.'),
			}),
			annotations: READS,
		},
		async ({ status, limit, offset }, { mcpReq }) => {
			const query = { limit, offset, ...defined({ status }) };
			const page = await access.read('list', query, mcpReq.signal);
			const tasks = page.tasks.slice(0, limit).map(task => taskView(task, 'short'));
			return dataResult({ tasks, has_more: page.hasMore, offset }, { isOutside: tasks.length > 0 });
		},
	);
	add(
		'get_task',
		{
			title: 'Get a task',
			description: 'Returns one task: its state, prompt, repository, branch and result. Costs nothing.',
			inputSchema: z.strictObject({ task_id: taskId }),
			annotations: READS,
		},
		async ({ task_id: id }, { mcpReq }) =>
			dataResult(taskView(await access.read('get', { id }, mcpReq.signal), 'whole')),
	);
	add(
		'follow_task',
		{
			title: 'Follow a task’s log',
			description:
				'Reads a part of a task’s log from an index, and waits for further entries while the task is active. Call it again with next_index until has_ended is true. Costs nothing.',
			inputSchema: z.strictObject({
				task_id: taskId,
				from_index: integerFrom(0).default(0).describe('The first entry to read.'),
				max_entries: integerBetween(1, MAXIMUM_ENTRIES).default(100).describe('How many entries at most.'),
				wait_seconds: integerBetween(1, MAXIMUM_WAIT_SECONDS)
					.default(20)
					.describe('How long to wait for further entries at most.'),
			}),
			annotations: READS,
		},
		async ({ task_id: id, from_index: from, max_entries: entries, wait_seconds: seconds }, context) => {
			const { signal } = context.mcpReq;
			let toldAt = 0;
			const part = await readLog(
				(fromIndex, own) => access.follow({ id, fromIndex }, own),
				from,
				{ entries, waitMs: seconds * 1000 },
				signal,
				read => {
					const now = Date.now();
					if (now - toldAt >= PROGRESS_MS) {
						toldAt = now;
						const last = outsideText(read.entries.at(-1)?.text ?? '', 120);
						void tellProgress(context, read.entries.length, last).catch(() => {});
					}
				},
			);
			return dataResult({ task_id: id, ...part });
		},
	);
	add(
		'task_changes',
		{
			title: 'Read what a task has changed',
			description:
				'Lists the files that an ended task has changed on its branch. With a path, returns the diff of that file. Neither touches the user’s files. Costs nothing.',
			inputSchema: z.strictObject({
				task_id: taskId,
				path: filePathSchema.optional().describe('A file of the list, for its diff.'),
				result: nameSchema
					.optional()
					.describe('Which result of a task with several agents, as the list names it. The first one without it.'),
			}),
			annotations: READS,
		},
		async ({ task_id: id, path, result }, { mcpReq }) => {
			if (path === undefined) {
				const { results } = await access.read('changes', { id }, mcpReq.signal);
				const chosen = results.filter(entry => result === undefined || entry.result === result);
				const listed = chosen.map(({ files, total, ...entry }) => ({
					...entry,
					branch: outsideText(entry.branch),
					total_files: total,
					files: files.slice(0, LISTED_FILES).map(file => ({ ...file, path: outsideText(file.path, 1_000) })),
				}));
				return dataResult({ task_id: id, results: listed });
			}
			const asked = { id, path, ...defined({ result }) };
			const { text, isCut } = await access.read('diff', asked, mcpReq.signal);
			const diff = outsideDiff(text, MAXIMUM_DIFF);
			const is_cut = isCut || text.length > MAXIMUM_DIFF;
			return dataResult({ task_id: id, path: outsideText(path, 1_000), diff, is_cut });
		},
	);
}

/** The maximum length of the text of one entry, in characters. */
const MAXIMUM_ENTRY = 4_000;

interface LogPart {
	entries: { index: number; type: string | undefined; step: string | undefined; text: string; cut_from?: number }[];
	/** The index of the entry with which the next call must begin. */
	next_index: number;
	/** The last state that the log has reported. */
	status: string | undefined;
	/** True if the log has ended, because the task has. */
	has_ended: boolean;
	/** Why the part ends here. */
	ends_because: 'the log has ended' | 'enough entries' | 'enough text' | 'time is over';
	/** Indexes that the service could no longer return. */
	missing?: { from: number; to: number }[];
}

/**
 * Reads a part of a log within limits. `onEntry` is called after each entry with the part read so far. Rejects with the
 * errors of the events, and with the signal's reason.
 */
async function readLog(
	follow: (fromIndex: number, signal: AbortSignal) => AsyncIterable<LogEventOfTask>,
	fromIndex: number,
	{ entries, waitMs }: { entries: number; waitMs: number },
	signal: AbortSignal,
	onEntry: (part: LogPart) => void,
): Promise<LogPart> {
	const part: LogPart = {
		entries: [],
		next_index: fromIndex,
		status: undefined,
		has_ended: false,
		ends_because: 'time is over',
	};
	const time = AbortSignal.timeout(waitMs);
	let bytes = 0;
	try {
		for await (const event of follow(fromIndex, AbortSignal.any([signal, time]))) {
			switch (event.type) {
				case 'status':
					part.status = outsideText(event.status);
					break;
				case 'gap':
					part.missing = [...(part.missing ?? []), { from: event.from, to: event.to }];
					part.next_index = Math.max(part.next_index, event.to + 1);
					break;
				case 'complete':
					return { ...part, status: outsideText(event.status), has_ended: true, ends_because: 'the log has ended' };
				case 'log': {
					const { index, entry } = event;
					const message = entry.message ?? '';
					const text = outsideText(message, MAXIMUM_ENTRY);
					part.entries.push({
						index,
						type: entry.type === undefined ? undefined : outsideText(entry.type),
						step: entry.step === undefined ? undefined : outsideText(entry.step),
						text,
						...defined({ cut_from: message.length > MAXIMUM_ENTRY ? message.length : undefined }),
					});
					part.next_index = index + 1;
					bytes += Buffer.byteLength(text);
					onEntry(part);
					if (part.entries.length >= entries || bytes >= MAXIMUM_LOG_BYTES) {
						return { ...part, ends_because: bytes >= MAXIMUM_LOG_BYTES ? 'enough text' : 'enough entries' };
					}
				}
			}
		}
	} catch (error) {
		signal.throwIfAborted();
		if (!time.aborted) {
			throw error;
		}
	}
	signal.throwIfAborted();
	return part;
}
