import { furtherAgentPrograms } from '../support/agentPrograms.ts';
import { AgentTasks } from '../support/agentTasks.ts';
import { skipWithoutSandbox } from '../support/sandbox.ts';

for (const agent of ['codex', 'qwen', 'kilo', 'claude']) {
	describe(`${agent} as the agent of tasks`, () => {
		let tasks: AgentTasks;

		before(async function () {
			await skipWithoutSandbox(this);
		});
		beforeEach(async () => {
			tasks = await AgentTasks.start({ agent, programs: furtherAgentPrograms() });
		});
		afterEach(() => tasks?.stop());

		it('is found and tried', () => tasks.checkIsFoundAndTried());

		it('edits, runs the tests, mends what failed, and its work comes home as a branch', () => tasks.checkMends());

		it('goes on with its own session in a follow-up', () => tasks.checkGoesOn());

		it('is stopped in the middle with everything that it started, and what it did can be kept', async () => {
			await tasks.checkKeeps(await tasks.checkStops());
		});
	});
}
