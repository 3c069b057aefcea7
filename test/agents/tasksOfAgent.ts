import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { controlPaths } from '../../src/contract/control.ts';
import { workFolderOf } from '../../src/service/stateFolder.ts';
import { agentPrograms } from '../support/agentPrograms.ts';
import { AgentTasks, type AgentTaskView } from '../support/agentTasks.ts';
import { readTask } from '../unit/service/helpers.ts';

/** Adds the tests of what an agent does as the agent of tasks. Each agent has a file of its own, so that they run in parallel. */
export function testTasksOf(agent: string): void {
	describe(`${agent} as the agent of tasks`, () => {
		let tasks: AgentTasks;

		beforeEach(async () => {
			tasks = await AgentTasks.start({ agent, programs: agentPrograms() });
		});
		afterEach(() => tasks?.stop());

		it('is found and tried', () => tasks.checkIsFoundAndTried());

		it('edits, runs the tests, mends what failed, and its work arrives in the repository as a branch', () =>
			tasks.checkMends());

		it('goes on with its own session in a follow-up', () => tasks.checkGoesOn());

		it('is stopped in the middle with everything that it started, and what it did can be kept', async () => {
			const { service } = tasks;
			const id = await tasks.checkStops();
			const branchName = await tasks.checkKeeps(id);
			const after = (await readTask(service, id)) as AgentTaskView;
			assert.equal(after.status, 'stopped');
			assert.equal(after.branchName, branchName);
			assert.equal(after.errand.canKeep, undefined);
			assert.equal((await service.fetch(controlPaths.keepWork, { json: { taskId: id } })).status, 409);
		});

		it('leaves nothing running when the service is killed, and what it did can be kept after the next start', async () => {
			const id = await tasks.atWork();
			const { stateFolder } = tasks.service;
			await tasks.service.crash();
			await tasks.nothingRuns();
			await tasks.startService(stateFolder);
			const task = (await readTask(tasks.service, id)) as AgentTaskView;
			assert.equal(task.status, 'error');
			assert.match(task.error ?? '', /^Interrupted/);
			assert.equal(task.errand.canKeep, true);
			await tasks.checkKeeps(id);
			await tasks.service.stop();
			await removeState(stateFolder);
		});

		it('is ended with a sentence when it has spent what it may', async () => {
			await tasks.service.stop();
			await tasks.startService(undefined, { maxCost: 0.003 });
			const { id } = await tasks.create('mend');
			const task = await tasks.final(id);
			assert.equal(task.status, 'error');
			assert.match(task.error ?? '', /limit of US\$ 0\.003/);
			assert.ok(tasks.model.requests.length <= 4, `${tasks.model.requests.length} calls`);
			assert.equal((await tasks.messagesOf(id, 'agent_limit')).length, 1);
		});
	});
}

async function removeState(stateFolder: string): Promise<void> {
	for (const folder of [stateFolder, workFolderOf(stateFolder)]) {
		await rm(folder, { recursive: true, force: true });
	}
}
