import assert from 'node:assert/strict';
import type { FollowEvent } from '../../../src/client/types.ts';
import { conformance } from './harness.ts';
import { all, create, createOnce, json, named, stream } from './taskCalls.ts';

const STREAM = 'cloud-tasks/get-cloud-url-api-tasks-taskid-stream/prose';

conformance('task logs', verifies => {
	verifies(
		[
			'cloud-tasks/authentication/2',
			'cloud-tasks/events/1',
			'cloud-tasks/events/2',
			'cloud-tasks/log-entry-in-the-stream/1',
			'cloud-tasks/log-entry-in-the-stream/2',
			'cloud-tasks/log-entry-in-the-stream/3',
			'cloud-tasks/log-entry-in-the-stream/4',
			'cloud-tasks/log-entry-in-the-stream/5',
			'cloud-tasks/log-entry-in-the-stream/6',
			'cloud-tasks/events/4',
			'cloud-tasks/events/prose/1',
			...[1, 5, 6, 9].map(position => `${STREAM}/${position}`),
		],
		'the stream is text/event-stream; each event has a type and JSON data; connected comes first, with its fields; each log entry has index, time and documented fields and values; indexes have no gap; the observed steps come in order; complete has the final status and totalLogs, and the stream closes',
		async implementation => {
			const { id } = await createOnce(implementation, 'Log');
			const events = await all(implementation, id);
			assert.ok(events.every(({ name }) => ['connected', 'log', 'status', 'complete'].includes(name ?? '')));
			const [connected] = events;
			assert.equal(connected?.name, 'connected');
			assert.equal(connected?.data['taskId'], id);
			assert.equal(connected?.data['fromIndex'], 0);
			assert.ok(connected?.data['message'] && connected.data['timestamp']);

			const logs = named(events, 'log');
			for (const [index, { data }] of logs.entries()) {
				assert.equal(data['index'], index);
				const entry = data['log'] as Record<string, string>;
				assert.ok(['info', 'error', 'success', 'warning', 'system'].includes(entry['type'] ?? ''));
				const contents = ['agentResponse', 'ansi', 'system', 'message', 'plain-text'];
				assert.ok(contents.includes(entry['contentType'] ?? ''));
				assert.equal(typeof entry['message'], 'string');
				assert.equal(new Date(entry['timestamp'] ?? '').toISOString(), entry['timestamp']);
				assert.ok(entry['agent'] && entry['step']);
				assert.ok(!Number.isNaN(Date.parse(String(data['timestamp']))));
			}
			const steps = [...new Set(logs.map(({ data }) => (data['log'] as { step: string }).step))];
			const observed = ['git_cloning', 'git_cloned', 'agent_executing', 'git_committed'];
			assert.deepEqual(
				steps.filter(step => observed.includes(step)),
				observed,
			);

			const last = events.at(-1);
			assert.equal(last?.name, 'complete');
			assert.equal(last?.data['status'], 'completed');
			assert.equal(last?.data['totalLogs'], logs.length);
			assert.ok(last?.data['message'] && last.data['timestamp']);
		},
	);

	verifies(
		['unspecified/cloud-tasks/12', 'cloud-tasks/authentication/7', `${STREAM}/2`, `${STREAM}/8`],
		'fromIndex resumes at that entry; only logs and status are streamed: no keys, tokens or user ids',
		async implementation => {
			const { id } = await createOnce(implementation, 'Resume');
			const followed: FollowEvent[] = [];
			for await (const event of implementation.client.tasks.follow(id)) {
				followed.push(event);
			}
			const entries = followed.filter(event => event.type === 'log');
			assert.ok(entries.length > 5);
			assert.equal(followed.at(-1)?.type, 'complete');
			for (const fromIndex of [0, 3, entries.length - 1, entries.length, entries.length + 5]) {
				const events = await all(implementation, id, `?fromIndex=${fromIndex}`);
				assert.equal(events[0]?.data['fromIndex'], fromIndex);
				assert.deepEqual(
					named(events, 'log').map(({ data }) => (data['log'] as { message: string }).message),
					entries.slice(fromIndex).map(({ entry }) => entry.message),
				);
				assert.equal(events.at(-1)?.data['totalLogs'], entries.length);
				const text = JSON.stringify(events);
				assert.ok(!text.includes(implementation.key) && !text.includes('userId'));
			}
		},
	);

	verifies(
		['cloud-tasks/errors/1', 'cloud-tasks/errors/prose/2', `${STREAM}/1`],
		'an unknown task: 404, Task not found',
		async implementation => {
			const { error } = await json<{ error: string }>(implementation, '/api/tasks/no-such-task/stream', 404);
			assert.equal(error, 'Task not found');
		},
	);

	verifies(
		['cloud-tasks/events/3', 'cloud-tasks/limits/3', `${STREAM}/3`],
		'status comes about every 2 s, unless it is said otherwise',
		async implementation => {
			const { id } = await create(implementation, implementation.prompts.slowTask);
			const times: number[] = [];
			for await (const { name, data, at } of stream(implementation, id)) {
				if (name === 'status' && data['status'] === 'processing') {
					times.push(at);
					if (times.length === 3) {
						break;
					}
				}
			}
			await implementation.client.tasks.stop(id);
			const seconds = ((times[2] ?? 0) - (times[0] ?? 0)) / 1_000;
			assert.ok(seconds > 3 && seconds < 12, `${seconds} s for two more`);
		},
	);

	verifies(
		[`${STREAM}/4`, `${STREAM}/10`],
		'a log that is left goes on for others, and ends for them when the task does',
		async implementation => {
			const { client } = implementation;
			const { id } = await create(implementation, implementation.prompts.slowTask);
			const leaving = new AbortController();
			const response = await implementation.fetch(`/api/tasks/${id}/stream`, {
				headers: { accept: 'text/event-stream' },
				signal: leaving.signal,
			});
			const reader = response.body?.getReader();
			assert.ok(((await reader?.read())?.value?.length ?? 0) > 0);
			leaving.abort();
			await assert.rejects(async () => {
				while (!(await reader?.read())?.done) {
					// What was under way is read to its end.
				}
			});
			const other = all(implementation, id);
			await client.tasks.stop(id);
			assert.equal((await other).at(-1)?.data['status'], 'stopped');
		},
	);
});
