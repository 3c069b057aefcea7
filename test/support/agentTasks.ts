// Tasks of a real agent on a small repository, with a real local service and a scripted model.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { defined } from '../../src/base/defined.ts';
import { type AgentsReport, type AgentTrial, monthlyUseSchema } from '../../src/contract/agents.ts';
import { controlPaths } from '../../src/contract/control.ts';
import { createTask, finalTask, logOf, stopTask, TASK_LIMIT_MS, type TaskView } from '../unit/service/helpers.ts';
import { ScriptedModel, type Step } from './scriptedModel.ts';
import { ServiceProcess } from './serviceProcess.ts';
import { TemporaryRepository } from './temporaryRepository.ts';
import { waitFor } from './waitFor.ts';

const TEST_FILE = `import test from 'node:test';
import assert from 'node:assert/strict';
import { mul } from '../src/math.js';

test('mul', () => assert.equal(mul(3, 4), 12));
`;

/** A command of this process only, so that test files that run at the same time do not see each other's. */
const LONG_COMMAND = `sleep ${1_000_000 + process.pid}`;

/** The steps that the model tells the agent to do, by the name of the script in the prompt. */
const SCRIPTS = {
	/** The agent makes a mistake, sees the test fail, and fixes it. */
	mend: [
		{ do: 'read', path: 'src/math.js' },
		{ do: 'edit', path: 'src/math.js', from: 'a + b;', to: 'a + b;\n\nexport const mul = (a, b) => a + b;' },
		{ do: 'write', path: 'test/mul.test.js', content: TEST_FILE },
		{ do: 'run', command: 'node --test' },
		{ do: 'edit', path: 'src/math.js', from: 'mul = (a, b) => a + b;', to: 'mul = (a, b) => a * b;' },
		{ do: 'run', command: 'node --test' },
		{ do: 'say', text: 'Added mul with a test.' },
	],
	more: [
		{ do: 'read', path: 'src/math.js' },
		{
			do: 'edit',
			path: 'src/math.js',
			from: '(a, b) => a * b;',
			to: '(a, b) => a * b;\n\nexport const sub = (a, b) => a - b;',
		},
		{ do: 'say', text: 'Added sub.' },
	],
	/** The agent replaces an installed package with another one. */
	forge: [
		{
			do: 'run',
			command: `rm -r node_modules/dep && cp -r dep node_modules/dep && echo "export const made = 'forged by an agent';" > node_modules/dep/main.js && cat node_modules/dep/main.js`,
		},
		{ do: 'write', path: 'notes.txt', content: 'done\n' },
		{ do: 'say', text: 'Done.' },
	],
	/** The agent runs the tests, and tries to change an installed package. */
	tamper: [
		{ do: 'run', command: 'npm test' },
		{ do: 'run', command: 'echo forged > node_modules/dep/main.js || echo could not be changed' },
		{ do: 'write', path: 'notes.txt', content: 'done\n' },
		{ do: 'say', text: 'Done.' },
	],
	/** The agent reads a submodule and tries to write to it. */
	submodule: [
		{ do: 'run', command: 'cat library/README.md; echo more >>library/README.md || echo "cannot be written"' },
		{ do: 'write', path: 'notes.txt', content: 'done\n' },
		{ do: 'say', text: 'Read it.' },
	],
	slow: [
		{ do: 'write', path: 'begun.txt', content: 'begun\n' },
		{ do: 'run', command: `setsid ${LONG_COMMAND} & ${LONG_COMMAND}` },
		{ do: 'say', text: 'Waited.' },
	],
} satisfies Record<string, Step[]>;

export interface AgentTaskView extends TaskView {
	errand: {
		sandboxed?: boolean;
		inputTokens?: number;
		outputTokens?: number;
		cost?: number;
		canKeep?: boolean;
		mcpServers?: string[];
		models?: { turn: number; model: string; provider?: string; calls?: number }[];
	};
}

export interface AgentTasksOptions {
	/** The agent's id. */
	agent: string;
	/** The folders of its programs. */
	programs: readonly string[];
	/** The form in which its model is asked; chat completions by default. */
	kind?: 'messages' | 'responses';
	/** Further scripts. */
	scripts?: Readonly<Record<string, readonly Step[]>>;
}

/** Every test that starts one must call `stop`. */
export class AgentTasks {
	readonly repository: TemporaryRepository;
	readonly model: ScriptedModel;
	private readonly options: AgentTasksOptions;
	private running: ServiceProcess | undefined;

	private constructor(options: AgentTasksOptions, repository: TemporaryRepository, model: ScriptedModel) {
		this.options = options;
		this.repository = repository;
		this.model = model;
	}

	static async start(options: AgentTasksOptions): Promise<AgentTasks> {
		const repository = await TemporaryRepository.create();
		await repository.write('src/math.js', 'export const add = (a, b) => a + b;\n');
		await repository.write('package.json', '{ "type": "module" }\n');
		await repository.commitAll('Sample');
		const { tree } = insidePlaces(path.basename(repository.path));
		const model = await ScriptedModel.start({ scripts: { ...SCRIPTS, ...options.scripts }, tree });
		const tasks = new AgentTasks(options, repository, model);
		await tasks.startService();
		return tasks;
	}

	get service(): ServiceProcess {
		return this.running ?? assert.fail('no service runs');
	}

	/** Starts a service after the previous one has ended. `tasks` are settings of the handover. */
	async startService(stateFolder?: string, tasks: object = {}): Promise<void> {
		this.running = await ServiceProcess.start({
			handover: {
				upstreams: [
					{
						slug: 'scripted',
						url: this.model.url,
						prices: { input: 1, output: 2 },
						...defined({ kind: this.options.kind }),
					},
				],
				tasks,
			},
			environment: { PATH: [...this.options.programs, process.env['PATH']].join(path.delimiter) },
			...(stateFolder === undefined ? {} : { stateFolder }),
		});
	}

	async stop(): Promise<void> {
		await this.running?.stop();
		await this.model.stop();
		await this.repository.remove();
	}

	create(script: keyof typeof SCRIPTS, fields: object = {}): Promise<TaskView> {
		return createTask(this.service, { ...this.request(script), ...fields });
	}

	/** Returns the request for a task. */
	request(script: string): object {
		return {
			prompt: `Work [[script ${script}]]`,
			repoUrl: this.repository.path,
			selectedAgent: this.options.agent,
			selectedModel: this.model.name,
		};
	}

	/** The folder of the clone, as programs in the sandbox see it. */
	get seenTree(): string {
		return insidePlaces(path.basename(this.repository.path)).tree;
	}

	async final(id: string): Promise<AgentTaskView> {
		return (await finalTask(this.service, id)) as AgentTaskView;
	}

	async completed(id: string) {
		const task = await this.final(id);
		assert.equal(task.status, 'completed', task.error ?? '');
		return { ...task, branchName: task.branchName ?? assert.fail('no branch') };
	}

	async messagesOf(id: string, step: string): Promise<string[]> {
		return (await logOf(this.service, id)).filter(({ log }) => log.step === step).map(({ log }) => log.message);
	}

	/** Starts a task and resolves with its id as soon as the agent runs the long command of the script `slow`. */
	async atWork(): Promise<string> {
		const { id } = await this.create('slow');
		await waitFor(
			'the long command',
			() => this.model.requests.some(({ step }) => step === 1) && isRunning(LONG_COMMAND),
			TASK_LIMIT_MS,
		);
		return id;
	}

	async nothingRuns(): Promise<void> {
		await waitFor('the end of its processes', async () => !(await isRunning(LONG_COMMAND)));
	}

	async checkIsFoundAndTried(): Promise<void> {
		const report = (await (await this.service.fetch(controlPaths.agents)).json()) as AgentsReport;
		assert.equal(report.sandbox.works, true);
		const { agent } = this.options;
		assert.equal(report.agents.find(({ id }) => id === agent)?.problem, undefined);
		const reply = await this.service.fetch(controlPaths.tryAgent, { json: { id: agent } });
		const trial = (await reply.json()) as AgentTrial;
		assert.ok(trial.ok, JSON.stringify(trial));
	}

	/** Checks a task of the script `mend`: its steps, the work that came home, and the reported cost. */
	async checkMends(): Promise<void> {
		const { model, repository } = this;
		const { id } = await this.create('mend');
		const task = await this.completed(id);
		const [failed, passed] = model.results.filter(result => /\bpass \d/.test(result));
		assert.match(failed ?? '', /fail 1/);
		assert.match(passed ?? '', /fail 0/);
		const math = await repository.git('cat-file', 'blob', `${task.branchName}:src/math.js`);
		assert.match(math, /mul = \(a, b\) => a \* b;/);
		assert.equal(task.diffStats?.totalFilesChanged, 2);
		const { sandboxed, inputTokens, outputTokens, cost } = task.errand;
		const calls = model.requests.length;
		assert.deepEqual(
			{ sandboxed, inputTokens, outputTokens },
			{ sandboxed: true, inputTokens: calls * 1_000, outputTokens: calls * 100 },
		);
		assert.ok(Math.abs((cost ?? 0) - calls * 0.0012) < 1e-9);
		assert.ok(model.requests.every(request => request.model === model.name));
		assert.ok((await this.messagesOf(id, 'agent_tool')).some(message => message.includes('src/math.js')));
		assert.ok((await this.messagesOf(id, 'agent_message')).includes('Added mul with a test.'));
		assert.equal((await this.messagesOf(id, 'agent_model')).length, calls);
	}

	/** Checks that a follow-up continues on the same branch and in the same session of the agent. */
	async checkGoesOn(): Promise<void> {
		const { id } = await this.create('mend');
		const first = await this.completed(id);
		const response = await this.service.fetch(`/api/tasks/${id}/continue`, {
			json: { currentPrompt: 'More [[script more]]' },
		});
		assert.equal(response.status, 200, await response.text());
		const again = await this.completed(id);
		assert.equal(again.branchName, first.branchName);
		assert.match(await this.repository.git('cat-file', 'blob', `${again.branchName}:src/math.js`), /sub = /);
		const executing = await this.messagesOf(id, 'agent_executing');
		assert.ok(executing.includes('The agent continues its earlier session.'), executing.join('\n'));
		await this.checkCounts(again);
	}

	/** Checks that every call of a task's two turns is counted, in the task itself and in the sum of the month. */
	private async checkCounts({ errand }: AgentTaskView): Promise<void> {
		const calls = this.model.requests.length;
		assert.equal(errand.inputTokens, calls * 1_000);
		assert.ok(Math.abs((errand.cost ?? 0) - calls * 0.0012) < 1e-9);
		const { models = [] } = errand;
		assert.deepEqual(
			models.map(({ turn, model, provider }) => [turn, model, provider]),
			[1, 2].map(turn => [turn, this.model.name, 'scripted']),
		);
		assert.equal(
			models.reduce((sum, used) => sum + (used.calls ?? 0), 0),
			calls,
		);
		const reply = await this.service.fetch(controlPaths.costs);
		const { months } = monthlyUseSchema.parse(await reply.json());
		assert.deepEqual(
			months.map(({ tasks, models: used }) => [tasks, used.map(one => [one.model, one.provider, one.calls])]),
			[[1, [[this.model.name, 'scripted', calls]]]],
		);
	}

	/** Checks that a task stopped in the middle of a command ends with everything that it started. */
	async checkStops(): Promise<string> {
		const id = await this.atWork();
		const task = (await stopTask(this.service, id)) as AgentTaskView;
		assert.equal(task.status, 'stopped');
		await this.nothingRuns();
		assert.equal(task.errand.canKeep, true);
		return id;
	}

	/** Commits the work of a task that was ended, and checks that it is the first step of the script `slow`. */
	async checkKeeps(taskId: string): Promise<string> {
		const response = await this.service.fetch(controlPaths.keepWork, { json: { taskId } });
		assert.equal(response.status, 200);
		const { branchName } = (await response.json()) as { branchName: string };
		assert.equal(await this.repository.git('cat-file', 'blob', `${branchName}:begun.txt`), 'begun\n');
		return branchName;
	}
}

async function isRunning(words: string): Promise<boolean> {
	for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
		const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
		if (line.replaceAll('\0', ' ').startsWith(words)) {
			return true;
		}
	}
	return false;
}
