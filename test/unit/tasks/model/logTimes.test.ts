import assert from 'node:assert/strict';
import type { TaskResult } from '../../../../src/contract/taskResults.ts';
import type { LogEntry } from '../../../../src/contract/tasks.ts';
import { LogTimes } from '../../../../src/tasks/model/logTimes.ts';

const one: TaskResult[] = [{ key: 'task', taskId: 'task', branch: 'errand/a', agent: undefined }];
const race = (...agents: string[]): TaskResult[] =>
	agents.map((agent, at) => ({ key: `task:${at}`, taskId: 'task', branch: `errand/${at}`, agent }));

const at = (second: number) => new Date(Date.UTC(2026, 10, 22, 10, 0, second)).toISOString();

const entryOf = (message: string, fields: Partial<LogEntry>): LogEntry => ({
	...{ type: undefined, contentType: undefined, timestamp: undefined, agent: undefined, step: undefined },
	...{ message, ...fields },
});

function durationsOf(results: readonly TaskResult[], ...entries: LogEntry[]) {
	const times = new LogTimes(results);
	for (const entry of entries) {
		times.add(entry, undefined);
	}
	return times.durations();
}

describe('the times of several agents in one log', () => {
	it('belong to the agent whose label an entry has', () => {
		const durations = durationsOf(
			race('agent-a', 'agent-a'),
			entryOf('[1] begins', { agent: 'agent-a', timestamp: at(0) }),
			entryOf('[2] begins', { agent: 'agent-a', timestamp: at(1) }),
			entryOf('[1] ends', { agent: 'agent-a', timestamp: at(4) }),
			entryOf('[2] ends', { agent: 'agent-a', timestamp: at(11) }),
		);
		assert.deepEqual(durations, [4000, 10_000]);
	});

	it('belong to the agent that an entry names, where only one has that name', () => {
		const named = [0, 5].map(second => entryOf('x', { agent: 'agent-b', timestamp: at(second) }));
		assert.deepEqual(durationsOf(race('agent-a', 'agent-b'), ...named), [undefined, 5000]);
		assert.deepEqual(durationsOf(race('agent-b', 'agent-b'), ...named), [undefined, undefined]);
	});

	it('are none where the log has none', () => {
		assert.deepEqual(durationsOf(one, entryOf('x', {}), entryOf('y', { timestamp: 'never' })), [undefined]);
	});
});
