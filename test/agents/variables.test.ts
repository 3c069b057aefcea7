import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sandboxProblem, type TaskCheck } from '../../src/contract/agents.ts';
import { controlPaths, DISCOVERY_FILE, discoverySchema } from '../../src/contract/control.ts';
import type { UpstreamHandoverInput } from '../../src/contract/upstreams.ts';
import { handOver } from '../../src/localService/serviceCalls.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { useFolder } from '../unit/agents/useFolder.ts';
import { createTask, finalTask } from '../unit/service/helpers.ts';

describe('the variables of agents that the settings name', () => {
	const folder = useFolder();
	let repository: TemporaryRepository;
	let service: ServiceProcess;
	let program: string;

	const handover = (variables: Record<string, string>): UpstreamHandoverInput => ({
		upstreams: [{ slug: 'server', url: 'http://127.0.0.1:9/v1', models: ['one'] }],
		tasks: {
			agents: [
				{ id: 'mine', command: program, args: ['env > seen.txt'], env: ['OF_MINE', 'OF_BOTH', 'OF_THE_SERVICE'] },
				{ id: 'other', command: program, args: ['true'], env: ['OF_OTHER', 'OF_BOTH'] },
			],
			variables,
		},
	});

	beforeEach(async () => {
		program = folder.at('agent/shellAgent.ts');
		await mkdir(folder.at('agent'));
		await writeFile(folder.at('agent/package.json'), '{ "type": "module", "name": "agent" }');
		const source = await readFile('test/support/shellAgent.ts', 'utf8');
		await writeFile(program, `#!/usr/bin/env -S node --disable-warning=ExperimentalWarning\n${source}`);
		await chmod(program, 0o755);
		repository = await TemporaryRepository.create();
		await repository.commitAll('Sample');
	});
	afterEach(async () => {
		await service.stop();
		await repository.remove();
	});

	/** Runs the agent `mine`, which writes down its environment, and returns that. */
	async function environmentOfMine(): Promise<string[]> {
		const repoUrl = repository.path;
		const asked = { repoUrl, agents: ['mine'] };
		const check = (await (await service.fetch(controlPaths.taskCheck, { json: asked })).json()) as TaskCheck;
		if (check.asksForUnsandboxed) {
			const json = { kind: 'unsandboxed', repoUrl, problem: sandboxProblem(check.sandbox) };
			assert.equal((await service.fetch(controlPaths.consents, { json })).status, 200);
		}
		const { id } = await createTask(service, { prompt: 'Go', repoUrl, selectedAgent: 'mine', selectedModel: 'one' });
		const task = await finalTask(service, id);
		assert.equal(task.status, 'completed', task.error ?? '');
		return (await repository.git('show', `${task.branchName}:seen.txt`)).split('\n');
	}

	it('reach it alone, by standard input and later by the control pipe, and are in no file of the service', async () => {
		service = await ServiceProcess.start({
			handover: handover({ OF_MINE: 'first-value', OF_OTHER: 'value-of-other', OF_BOTH: 'value-of-both' }),
			environment: { OF_THE_SERVICE: 'value-of-the-service', PATH: process.env['PATH'] ?? '' },
		});
		const first = await environmentOfMine();
		assert.deepEqual(first.filter(line => line.startsWith('OF_')).sort(), [
			'OF_BOTH=value-of-both',
			'OF_MINE=first-value',
		]);
		const text = await readFile(path.join(service.stateFolder, DISCOVERY_FILE), 'utf8');
		await handOver(discoverySchema.parse(JSON.parse(text)), handover({ OF_MINE: 'second-value' }));
		const second = await environmentOfMine();
		assert.deepEqual(
			second.filter(line => line.startsWith('OF_')),
			['OF_MINE=second-value'],
		);
		const report = JSON.stringify(await (await service.fetch(controlPaths.agents)).json());
		assert.match(report, /"unsetVariables":\["OF_BOTH","OF_THE_SERVICE"\]/);
		assert.doesNotMatch(report, /second-value/);
		for (const name of await readdir(service.stateFolder, { recursive: true })) {
			const content = await readFile(path.join(service.stateFolder, name)).catch(() => Buffer.alloc(0));
			assert.ok(!/(first|second)-value|value-of-/.test(content.toString('latin1')), name);
		}
	});
});
