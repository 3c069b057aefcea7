import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { childEnvironment } from '../../../src/base/childEnvironment.ts';
import { nullLogger } from '../../../src/base/logger.ts';
import { createApp } from '../../../src/service/server.ts';
import type { Agent } from '../../../src/service/tasks/agent.ts';
import { registerTaskRoutes } from '../../../src/service/tasks/taskRoutes.ts';
import { stepNode } from '../../../src/tasks/model/stepNode.ts';
import { bringStep } from '../../../src/tasks/results/stepCommits.ts';
import { forgetResult } from '../../../src/tasks/results/taskBranch.ts';
import { COMPILE_CACHE } from '../../support/programs.ts';
import { steppingAgentArguments } from '../../support/steppingAgent.ts';
import { NO_SERVICES } from '../service/tasks/shellTaskAgent.ts';
import { useTaskRunner } from '../service/tasks/useTaskRunner.ts';

describe('the states of a task’s steps in the user’s repository', () => {
	const local = useTaskRunner();

	it('are those that the service has kept, each after the one before it, from the start of the branch', async () => {
		const agent: Agent = {
			...local.shell('', 'stepping'),
			isBuiltIn: false,
			launch: async () => ({
				...{ command: process.execPath, args: steppingAgentArguments(), programs: [], files: {}, modes: [] },
				...{ env: childEnvironment(process.env, COMPILE_CACHE), usesAccount: false },
			}),
		};
		const openModels = () => ({
			...{ maxCost: undefined, tellCost: () => {}, allCounted: async () => {} },
			handle: (_request: unknown, response: { end(): void }) => response.end(),
			search: () => Promise.reject(new Error('not asked')),
		});
		const runner = local.runnerOf({
			services: { ...NO_SERVICES, allowsUnsandboxed: async () => true, openModels } as typeof NO_SERVICES,
		});
		const app = createApp(nullLogger);
		const folder = path.join(local.folder, 'work');
		registerTaskRoutes(app, { store: local.store, runner, agents: async () => [agent], folder, logger: nullLogger });
		const lines = ['echo 1 > one.txt', 'echo 2 > two.txt', 'rm one.txt'];
		const { id } = runner.create(local.task(lines.join('\n'), [{ agent: 'stepping', model: 'none' }]), [agent]);
		const start = (await local.repository.git('rev-parse', 'HEAD')).trim();
		await local.completed(id);

		const place = { gitPath: 'git', directory: local.repository.path, credentials: {} };
		const bring = (index: number) =>
			bringStep(place, stepNode(id, index), async (_, file) => {
				const reply = await app.request(`/api/tasks/${id}/steps/${index}/bundle`);
				await writeFile(file, Buffer.from(await reply.arrayBuffer()));
			});
		const [first, last] = [await bring(0), await bring(2)];
		assert.deepEqual([first.base, first.before, last.base], [start, start, start]);
		const changed = (from: string, to: string) => local.repository.git('diff', '--name-status', from, to);
		assert.equal(await changed(first.before, first.after), 'A\tone.txt\n');
		assert.equal(await changed(last.before, last.after), 'D\tone.txt\n');
		assert.equal(await changed(last.base, last.after), 'A\ttwo.txt\n');
		await forgetResult(place, id);
		assert.equal(await local.repository.git('for-each-ref', 'refs/errand/steps'), '');
	});
});
