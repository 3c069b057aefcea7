// The local service behind its HTTP.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readDiscovery } from '../../../src/contract/control.ts';
import { upstreamHandoverSchema } from '../../../src/contract/upstreams.ts';
import { type Service, startService } from '../../../src/service/service.ts';
import { workFolderOf } from '../../../src/service/stateFolder.ts';
import { openDatabase } from '../../../src/service/store/database.ts';
import { TaskStore } from '../../../src/service/store/taskStore.ts';
import { entry, newTask } from '../../support/taskStoreSuite.ts';
import type { Target } from '../fuzzer.ts';
import { assertAnswer, exchange, ModelServers, type RawRequest, readRequest } from './http.ts';

/** A service in this process with a model server of each form. */
class RunningService {
	private readonly folder = mkdtempSync(path.join(os.tmpdir(), 'errand-fuzz-'));
	private service: Service | undefined;
	private servers: ModelServers | undefined;
	/** The headers that its clients send. */
	headers: Record<string, string> = {};

	async start(): Promise<this> {
		this.servers = await ModelServers.start();
		const stateFolder = path.join(this.folder, 'state');
		fill(stateFolder);
		this.service = await startService({
			...{ stateFolder, port: 0, idleSeconds: 3_600, runningTasks: 1, tokenFile: undefined },
			...{ programFile: path.resolve('src/service/entry.ts'), version: '0.0.0' },
			handover: upstreamHandoverSchema.parse({ upstreams: this.servers.upstreams, findOllama: false }),
		});
		const { token = '' } = (await readDiscovery(stateFolder)) ?? {};
		this.headers = {
			host: new URL(this.address).host,
			authorization: `Bearer ${token}`,
			'content-type': 'application/json',
		};
		return this;
	}

	async ask(asked: RawRequest) {
		const answer = await exchange(this.address, asked);
		this.servers?.forget();
		return answer;
	}

	private get address(): string {
		return this.service?.address ?? '';
	}

	async stop(): Promise<void> {
		await this.service?.stop();
		await this.servers?.stop();
		for (const folder of [this.folder, workFolderOf(path.join(this.folder, 'state'))]) {
			rmSync(folder, { recursive: true, force: true });
		}
	}
}

/** Makes a task of one agent with a step, and one of two agents. Both have ended. */
function fill(stateFolder: string): void {
	mkdirSync(stateFolder, { mode: 0o700 });
	const database = openDatabase(path.join(stateFolder, 'state.sqlite'));
	const store = new TaskStore(database);
	const demo = { agent: 'demo', model: 'demo' };
	for (const [id, agents] of [
		['one', [demo]],
		['two', [demo, demo]],
	] as const) {
		const task = store.create(newTask(id, { repoUrl: '/nowhere', agents }));
		for (const position of agents.keys()) {
			store.update(id, position, { status: 'completed', branchName: `errand/${id}-${position}` }, [entry('Done.')]);
		}
		store.steps.add(task, {
			...{ step: 0, agent: 0, tool: 'edit', title: 'Edit', tree: 'a'.repeat(40), approximate: false },
			...{ files: [{ path: 'a', status: 'added' }], fileCount: 1, linesAdded: 1, linesRemoved: 0 },
		});
	}
	database.close();
}

let running: Promise<RunningService> | undefined;

/** Those that would end the service, never end themselves, or install and run programs. */
const LEFT_OUT = /\/(?:shutdown|lease|install|try|stream)\b/;

const serviceRoutes: Target = {
	name: 'serviceRoutes',
	iterations: 220,
	async run(input) {
		running ??= new RunningService().start();
		const service = await running;
		const asked = readRequest(input, service.headers);
		const named = asked.isPlain ? asked.target : asked.bytes.toString('latin1');
		if (LEFT_OUT.test(decodeURIComponent(named.replace(/%(?![\da-f]{2})|%[89a-f]/gi, '')))) {
			return 'left out';
		}
		const outcome = assertAnswer(asked, await service.ask(asked));
		const alive = await service.ask(readRequest(Buffer.from('GET /v1/models'), service.headers));
		assert.equal(alive?.status, 200, 'the service does not live on');
		return outcome;
	},
	async stop() {
		await (await running)?.stop();
		running = undefined;
	},
};

export const serviceTargets: readonly Target[] = [serviceRoutes];
