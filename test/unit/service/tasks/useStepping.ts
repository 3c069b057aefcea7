import path from 'node:path';
import { childEnvironment } from '../../../../src/base/childEnvironment.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import { type TaskStep, taskStepsSchema } from '../../../../src/contract/taskSteps.ts';
import { createApp } from '../../../../src/service/server.ts';
import type { Agent } from '../../../../src/service/tasks/agent.ts';
import { USER_SETTINGS } from '../../../../src/service/tasks/relay/taskGateway.ts';
import type { RunServices } from '../../../../src/service/tasks/runServices.ts';
import { registerTaskRoutes } from '../../../../src/service/tasks/taskRoutes.ts';
import type { QueueLimits } from '../../../../src/service/tasks/taskRunner.ts';
import { COMPILE_CACHE } from '../../../support/programs.ts';
import { steppingAgentArguments } from '../../../support/steppingAgent.ts';
import { NO_SERVICES } from './shellTaskAgent.ts';
import { useTaskRunner } from './useTaskRunner.ts';

export const STEPPING_SERVICES: RunServices = {
	...NO_SERVICES,
	allowsUnsandboxed: async () => true,
	openModels: () => ({
		maxCost: undefined,
		settings: USER_SETTINGS,
		tellCost: () => {},
		allCounted: async () => {},
		handle: (_request, response) => response.end(),
		search: () => Promise.reject(new Error('not asked')),
	}),
};

/**
 * Sets up what `useTaskRunner` does, with an agent that runs each line of its prompt as a tool call
 * (steppingAgent.ts), and with the routes of tasks.
 */
export function useStepping() {
	const local = useTaskRunner();
	const agent: Agent = {
		...local.shell('', 'stepping'),
		isBuiltIn: false,
		launch: async () => ({
			command: process.execPath,
			args: steppingAgentArguments(),
			programs: [],
			env: childEnvironment(process.env, COMPILE_CACHE),
			files: {},
			modes: [],
			usesAccount: false,
		}),
	};

	const serve = (limits: QueueLimits = {}, services = STEPPING_SERVICES) => {
		const runner = local.runnerOf({ services }, limits);
		const app = createApp(nullLogger);
		const folder = path.join(local.folder, 'work');
		registerTaskRoutes(app, { store: local.store, runner, agents: async () => [agent], folder, logger: nullLogger });
		return { runner, app, get: async (address: string) => await app.request(address) };
	};
	type Served = ReturnType<typeof serve>;

	const stepsOf = async ({ get }: Pick<Served, 'get'>, id: string): Promise<TaskStep[]> =>
		taskStepsSchema.parse(await (await get(`/api/tasks/${id}/steps`)).json()).steps;

	/** Creates a task whose agents, one by default, run these lines. */
	const begin = ({ runner }: Pick<Served, 'runner'>, lines: readonly string[], agents = 1) => {
		const choice = { agent: 'stepping', model: 'none' };
		const others = Array.from({ length: agents - 1 }, () => choice);
		return runner.create(
			local.task(lines.join('\n'), [choice, ...others]),
			Array.from({ length: agents }, () => agent),
		).id;
	};

	return { local, agent, serve, stepsOf, begin };
}
