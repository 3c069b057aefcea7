import assert from 'node:assert/strict';
import { taskServerSchema } from '../../../../src/contract/mcpServers.ts';
import { TaskLog } from '../../../../src/service/tasks/taskLog.ts';
import { TaskServers } from '../../../../src/service/tasks/taskServers.ts';
import { useTaskRunner } from './useTaskRunner.ts';

describe('the MCP servers of a run', () => {
	const local = useTaskRunner();
	const servers = [
		taskServerSchema.parse({
			...{ name: 'one', declaration: { command: 'x' }, inputs: { key: 'secret' }, variables: {}, packages: '/p' },
		}),
	];

	/** Returns the names of the servers of a task's run, and what its log says. */
	function names(kept: TaskServers, mcpServers: string[], isSandboxed = true, id = 'task') {
		const task = local.store.get(id) ?? local.store.create({ ...local.task(), id, mcpServers });
		const [execution] = local.store.executions(task);
		const log = new TaskLog(local.store, task, execution ?? assert.fail());
		const run = { task, isSandboxed, folder: '/homes', log };
		return { isServed: kept.forRun(run) !== undefined, said: local.logOf(task) };
	}

	it('are named in the log, and nothing else of them is', () => {
		const kept = new TaskServers();
		kept.keep('task', servers);
		const { isServed, said } = names(kept, ['one']);
		assert.ok(isServed);
		assert.deepEqual(said, ['The agent can use these MCP servers, each in a sandbox of its own: one.']);
	});

	it('are none without a sandbox, and none that another service was given, which the log says', () => {
		const kept = new TaskServers();
		kept.keep('task', servers);
		const outside = names(kept, ['one'], false);
		assert.ok(!outside.isServed);
		assert.match(
			outside.said[0] ?? '',
			/^The agent gets none of the MCP servers of this task \(one\): without a sandbox/,
		);
		const gone = names(new TaskServers(), ['one'], true, 'other');
		assert.ok(!gone.isServed);
		assert.match(gone.said[0] ?? '', /^The MCP servers of this task are gone \(one\)/);
	});

	it('are none of a task that has none, of which nothing is said', () => {
		assert.deepEqual(names(new TaskServers(), []), { isServed: false, said: [] });
	});
});
