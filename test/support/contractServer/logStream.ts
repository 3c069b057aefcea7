import { checkedQuery, oneOf, queryInteger } from './checks.ts';
import { eventReply, type ReceivedRequest, Refusal, type Reply, type SentEvent } from './exchange.ts';
import { moment, type Task, taskIds } from './taskFixtures.ts';
import { isActive, type TaskStore } from './taskStore.ts';

/**
 * Streams the log of a task from an index on. An active task runs to its end meanwhile, unless it is a special task
 * whose first stream breaks off. Status events are sent when the status changes, not every two seconds.
 */
export function logStream(store: TaskStore, task: Task, { query, headers }: ReceivedRequest): Reply {
	checkedQuery(query, 'fromIndex', 'includeStatus');
	const fromIndex = queryInteger(query['fromIndex'], 'fromIndex', 0, { from: 0 });
	oneOf('true', 'false')(query['includeStatus'] ?? 'true', 'includeStatus');
	if (headers.accept !== 'text/event-stream') {
		throw new Refusal(406, 'Accept must be text/event-stream');
	}
	const isFirst = !store.streams.has(task.id);
	store.streams.set(task.id, (store.streams.get(task.id) ?? 0) + 1);
	const log = store.log(task.id);
	const entries = log
		.map((entry, index) => ({
			event: 'log',
			data: { index, log: entry, timestamp: moment(2000 + index * 10) },
		}))
		.slice(fromIndex);
	const status = (value: string): SentEvent[] =>
		query['includeStatus'] === 'false'
			? []
			: [{ event: 'status', data: { status: value, error: task['error'] ?? null } }];
	const start: SentEvent[] = [
		{
			event: 'connected',
			data: { taskId: task.id, fromIndex, message: 'Connected to the log', timestamp: moment(1990) },
		},
		...(isActive(task) ? status(task.status) : []),
	];
	if (isFirst && task.id === taskIds.cut) {
		return eventReply([...start, ...entries.slice(0, Math.ceil(log.length / 2) - fromIndex)]);
	}
	if (isFirst && task.id === taskIds.streamError) {
		const error = { event: 'error', data: { error: 'The log could not be read', details: 'shard 3 is away' } };
		return eventReply([...start, ...entries.slice(0, 2), error]);
	}
	const lastStatus = status(isActive(task) ? 'saving' : task.status);
	if (isActive(task)) {
		store.finish(task);
	}
	const sent =
		isFirst && task.id === taskIds.late
			? entries.slice(0, -1)
			: isFirst && task.id === taskIds.gap
				? entries.filter(({ data }) => data.index !== 2)
				: entries;
	const complete = {
		status: task.status,
		totalLogs: log.length,
		message: `Task ended as ${task.status}`,
		timestamp: moment(2990),
	};
	return eventReply([...start, ...sent, ...lastStatus, { event: 'complete', data: complete }]);
}
