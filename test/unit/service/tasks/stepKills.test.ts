import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TEST_LIMIT_MS } from '../../../../scripts/stages/limits.ts';
import { removeFolder } from '../../../../src/base/removeFolder.ts';
import { agentsReportSchema, sandboxProblem } from '../../../../src/contract/agents.ts';
import { controlPaths } from '../../../../src/contract/control.ts';
import { type TaskStep, taskStepsSchema } from '../../../../src/contract/taskSteps.ts';
import { workFolderOf } from '../../../../src/service/stateFolder.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { steppingAgentArguments } from '../../../support/steppingAgent.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { createTask, errorOf, finalTask } from '../helpers.ts';

/** `ERRAND_TEST_KILLS=100` for a longer look. */
const KILLS = Number(process.env['ERRAND_TEST_KILLS'] ?? 3);
/** From the first step of a run on. */
const LONGEST_LIFE_MS = 700;
const LINES = 60;

describe('a service that is killed while it writes the states of steps', function () {
	this.timeout(TEST_LIMIT_MS + KILLS * 20_000);
	before(function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
	});

	it('has a valid chain until the last step that it tells, from which the task goes on', async () => {
		const stateFolder = await mkdtemp(path.join(os.tmpdir(), 'errand-kills-'));
		const repository = await TemporaryRepository.create();
		const start = () =>
			ServiceProcess.start({
				stateFolder,
				handover: {
					upstreams: [{ slug: 'none', url: 'http://127.0.0.1:9/v1', models: ['one'] }],
					tasks: { agents: [{ id: 'own', command: process.execPath, args: steppingAgentArguments() }] },
				},
				// A sandbox is first tried in a folder for temporary files. Where there is none, there is no sandbox.
				environment: { TMPDIR: path.join(stateFolder, 'missing') },
			});
		let service = await start();
		try {
			const { sandbox } = agentsReportSchema.parse(await (await service.fetch(controlPaths.agents)).json());
			const consent = { kind: 'unsandboxed', repoUrl: repository.path, problem: sandboxProblem(sandbox) };
			assert.equal((await service.fetch(controlPaths.consents, { json: consent })).status, 200);
			const fields = { repoUrl: repository.path, selectedAgent: 'own', selectedModel: 'one' };
			const { id } = await createTask(service, { ...fields, prompt: linesOf('0') });
			const git = (...args: string[]) =>
				execFileSync('git', ['--git-dir', path.join(workFolderOf(stateFolder), `${id}-0`, 'steps'), ...args], {
					encoding: 'utf8',
					stdio: 'pipe',
				}).trim();
			const stepsOf = async (): Promise<TaskStep[]> => {
				const steps: TaskStep[] = [];
				for (let from: number | null = 0; from !== null; ) {
					const page = await service.fetch(`/api/tasks/${id}/steps?fromIndex=${from}`);
					const read = taskStepsSchema.parse(await page.json());
					steps.push(...read.steps);
					from = read.nextIndex;
				}
				return steps;
			};
			for (let kill = 1, known = 0; kill <= KILLS; kill++) {
				await waitFor('a step', async () => (await stepsOf()).length > known);
				await delay(Math.random() * LONGEST_LIFE_MS);
				const told = await stepsOf();
				await service.crash();
				service = await start();
				assert.match((await finalTask(service, id)).error ?? '', /^Interrupted/);
				const steps = await stepsOf();
				assert.deepEqual(steps.slice(0, told.length), told, `after kill ${kill}`);
				git('fsck', '--strict', '--no-dangling', '--no-progress');
				const runs = git('for-each-ref', '--format=%(refname)', `refs/errand/steps/${id}`).split('\n');
				const chains = runs.map(run => git('rev-list', '--first-parent', '--reverse', run).split('\n'));
				for (const { tree, title } of steps) {
					assert.ok(
						chains.some(chain => chain.includes(tree)),
						title,
					);
					// The steps of one call have its content, and those of several calls that of the last.
					assert.equal(git('show', `${tree}:count`), /echo (\S+) >/.exec(title)?.[1], title);
				}
				// A state of which nothing is told yet is at most the last one of the run that was killed.
				const last = chains.find(chain => chain.includes(steps.at(-1)?.tree ?? ''));
				assert.ok(last !== undefined && last.indexOf(steps.at(-1)?.tree ?? '') >= last.length - 2);
				known = steps.length;
				const fromStep = Math.floor(Math.random() * known);
				const next = { currentPrompt: linesOf(`${kill}`), selectedAgent: 'own', selectedModel: 'one', fromStep };
				const reply = await service.fetch(`/api/tasks/${id}/continue`, { json: next });
				assert.equal(reply.status, 200, reply.ok ? '' : await errorOf(reply, reply.status));
			}
			const before = (await stepsOf()).length;
			await waitFor('a step of the last run', async () => (await stepsOf()).length > before);
		} finally {
			await service.stop();
			await repository.remove();
			await removeFolder(workFolderOf(stateFolder));
			await rm(stateFolder, { recursive: true, force: true });
		}
	});
});

/** Returns the tool calls of one run, each of which writes some files of different sizes. */
function linesOf(run: string): string {
	const lines = Array.from({ length: LINES }, (_, number) => {
		const name = `${run}-${number}`;
		return `echo ${name} > count; mkdir -p d${number % 7}; seq ${number * 500} > d${number % 7}/${name}`;
	});
	return `Count\n\n${lines.join('\n')}`;
}
