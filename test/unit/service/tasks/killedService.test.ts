import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { removeFolder } from '../../../../src/base/removeFolder.ts';
import { agentsReportSchema, sandboxProblem } from '../../../../src/contract/agents.ts';
import { controlPaths } from '../../../../src/contract/control.ts';
import { workFolderOf } from '../../../../src/service/stateFolder.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { shellAgentArguments } from '../../../support/shellAgent.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { isAlive, waitFor } from '../../../support/waitFor.ts';
import { createTask, finalTask } from '../helpers.ts';

describe('an agent without a sandbox whose service is killed', () => {
	before(function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
	});
	let repository: TemporaryRepository;
	let stateFolder: string;
	let service: ServiceProcess;
	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		stateFolder = await mkdtemp(path.join(os.tmpdir(), 'errand-killed-'));
	});
	afterEach(async () => {
		await service.stop();
		await repository.remove();
		await removeFolder(workFolderOf(stateFolder));
		await rm(stateFolder, { recursive: true, force: true });
	});

	const start = (args: string[]) =>
		ServiceProcess.start({
			stateFolder,
			handover: {
				upstreams: [{ slug: 'none', url: 'http://127.0.0.1:9/v1', models: ['one'] }],
				tasks: { agents: [{ id: 'own', command: process.execPath, args }] },
			},
			// A sandbox is first tried in a folder for temporary files. Where there is none, there is no sandbox.
			environment: { TMPDIR: path.join(stateFolder, 'missing') },
		});

	const startedFile = (id: string) => path.join(workFolderOf(stateFolder), `${id}-0`, 'process.json');

	/** Starts a task whose agent runs a line of shell, and resolves with the processes that it names in the file `pids`. */
	async function startAgent(line: string): Promise<{ id: string; pids: number[] }> {
		service = await start(shellAgentArguments(line));
		const { sandbox } = agentsReportSchema.parse(await (await service.fetch(controlPaths.agents)).json());
		const consent = { kind: 'unsandboxed', repoUrl: repository.path, problem: sandboxProblem(sandbox) };
		assert.equal((await service.fetch(controlPaths.consents, { json: consent })).status, 200);
		const fields = { prompt: 'Try it', repoUrl: repository.path, selectedAgent: 'own', selectedModel: 'one' };
		const { id } = await createTask(service, fields);
		const file = path.join(workFolderOf(stateFolder), `${id}-0`, 'tree', 'pids');
		const text = await waitFor('the agent', async () => {
			const written = await readFile(file, 'utf8').catch(() => '');
			return written.endsWith('\n') && written;
		});
		// The service writes down whom it has started, while the agent is at work already.
		await waitFor('the agent to be written down', () => existsSync(startedFile(id)));
		return { id, pids: text.trim().split(' ').map(Number) };
	}

	it('is ended with everything that it started at the next start, and nothing else is', async () => {
		const other = spawn('/bin/sh', ['-c', 'sleep 100'], { detached: true, stdio: 'ignore' });
		try {
			const line = [
				'sleep 1000 & one=$!',
				'setsid sleep 1000 & two=$!',
				// It has no marker, but is in the group of the agent.
				'env -i sleep 1000 & three=$!',
				'trap "" TERM',
				'echo $$ $one $two $three >pids; while :; do sleep 1; done',
			].join('\n');
			const { id, pids } = await startAgent(line);
			assert.equal(pids.length, 4);
			await service.crash();
			assert.deepEqual(await Promise.all(pids.map(isAlive)), [true, true, true, true]);
			service = await start([]);
			assert.deepEqual(await Promise.all(pids.map(isAlive)), [false, false, false, false]);
			assert.match((await finalTask(service, id)).error ?? '', /^Interrupted/);
			assert.ok(await isAlive(other.pid ?? 0));
		} finally {
			process.kill(-(other.pid ?? 0), 'SIGKILL');
		}
	});

	it('is not ended in place of another process that has its id by then', async () => {
		const { id } = await startAgent('echo $$ >pids; sleep 1000');
		await service.crash();
		const other = spawn('/bin/sh', ['-c', 'sleep 100'], { detached: true, stdio: 'ignore' });
		try {
			const file = startedFile(id);
			const recorded = JSON.parse(await readFile(file, 'utf8')) as { pid: number; start: string };
			assert.match(recorded.start, /^[0-9a-f-]{36} \d+$/);
			await writeFile(file, JSON.stringify({ ...recorded, pid: other.pid }));
			service = await start([]);
			assert.ok(await isAlive(other.pid ?? 0));
		} finally {
			process.kill(-(other.pid ?? 0), 'SIGKILL');
		}
	});
});
