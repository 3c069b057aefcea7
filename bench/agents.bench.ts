import path from 'node:path';
import process from 'node:process';
import { insidePlaces } from '../src/agents/sandbox/places.ts';
import { agentPrograms } from '../test/support/agentPrograms.ts';
import { ScriptedModel } from '../test/support/scriptedModel.ts';
import { ServiceProcess } from '../test/support/serviceProcess.ts';
import { TemporaryRepository } from '../test/support/temporaryRepository.ts';
import { waitFor } from '../test/support/waitFor.ts';
import { createTask, eventsOf, finalTask, type LogView, TASK_LIMIT_MS } from '../test/unit/service/helpers.ts';
import { promptOf, startByHand } from './agentStart.ts';
import { descendants, proportionalMegabytes } from './processMemory.ts';
import { type BenchRow, median } from './row.ts';

const AGENTS = ['opencode', 'pi'];
const ROUNDS = 7;
const RUNNING = [4, 8];
/** pi is the smallest of the agents, so the number measured fits into the memory of most machines. */
const SMALL_AGENT = 'pi';
const MAXIMUM_RATIO = 1.15;
const MAXIMUM_MEGABYTES = 30;
const SCRIPTS = {
	begin: [{ do: 'say', text: 'Begun.\nAnd done.' }],
	wait: [
		{ do: 'run', command: 'sleep 617' },
		{ do: 'say', text: 'Waited.' },
	],
} as const;

export async function rows(): Promise<BenchRow[]> {
	process.env['PATH'] = [...agentPrograms(), process.env['PATH']].join(path.delimiter);
	const repository = await TemporaryRepository.create();
	const { tree } = insidePlaces(path.basename(repository.path));
	const model = await ScriptedModel.start({ scripts: SCRIPTS, tree });
	try {
		const bench = new AgentBench(repository, model);
		const starts: BenchRow[] = [];
		for (const agent of AGENTS) {
			starts.push(await bench.start(agent));
		}
		return [...starts, await bench.memory()];
	} finally {
		await model.stop();
		await repository.remove();
	}
}

class AgentBench {
	private readonly repository: TemporaryRepository;
	private readonly model: ScriptedModel;

	constructor(repository: TemporaryRepository, model: ScriptedModel) {
		this.repository = repository;
		this.model = model;
	}

	/** Measures the time from the finished clone to the first message of the agent. */
	async start(agent: string): Promise<BenchRow> {
		const times = { byHand: [] as number[], ours: [] as number[] };
		for (let round = 0; round < ROUNDS; round++) {
			times.byHand.push((await startByHand(agent, this.repository, this.model)).milliseconds);
			times.ours.push(await this.startAsTask(agent));
		}
		const [floor, own] = [median(times.byHand), median(times.ours)];
		return {
			goal: '17',
			what: `a task of ${agent}: from "cloned" to the first line of its first message in the log`,
			ours: `${own.toFixed(0)} ms`,
			peers: `started by hand in the same sandbox ${floor.toFixed(0)} ms = 1`,
			ratio: (own / floor).toFixed(2),
			met: own / floor <= MAXIMUM_RATIO ? 'yes' : 'no',
		};
	}

	private async startAsTask(agent: string): Promise<number> {
		const service = await this.service();
		try {
			const { id } = await this.create(service, agent, 'begin');
			let cloned: number | undefined;
			for await (const { name, data } of eventsOf(await service.fetch(`/api/tasks/${id}/stream`))) {
				const { step, message } = name === 'log' ? (JSON.parse(data) as LogView).log : { step: '', message: '' };
				if (step === 'git_cloned') {
					cloned ??= performance.now();
				} else if (step === 'agent_message' && cloned !== undefined) {
					const time = performance.now() - cloned;
					await finalTask(service, id);
					return time;
				} else if (step === 'task_ended') {
					throw new Error(message);
				}
			}
			throw new Error('The log has ended without a message.');
		} finally {
			await service.stop();
		}
	}

	/** Measures the memory of the service and its programs in the sandboxes for each running task, without the agents. */
	async memory(): Promise<BenchRow> {
		const service = await this.service(Math.max(...RUNNING));
		try {
			// The first task loads everything that all others share.
			const { id } = await this.create(service, SMALL_AGENT, 'begin');
			await finalTask(service, id);
			const before = await proportionalMegabytes(service.pid);
			const parts: { service: number; inside: number }[] = [];
			let started = 0;
			for (const count of RUNNING) {
				for (; started < count; started++) {
					await this.create(service, SMALL_AGENT, 'wait');
				}
				await waitFor(
					`${count} tasks at work`,
					async () => (await descendants(service.pid, /^sleep 617/)).length === count,
					TASK_LIMIT_MS,
				);
				const programs = await descendants(service.pid, /^\S*node \/run\/errand\//);
				if (programs.length !== count) {
					throw new Error(`${programs.length} programs serve the relay of ${count} tasks.`);
				}
				const inside = await Promise.all(programs.map(proportionalMegabytes));
				const sum = inside.reduce((total, megabytes) => total + megabytes, 0);
				parts.push({ service: ((await proportionalMegabytes(service.pid)) - before) / count, inside: sum / count });
			}
			const [worst = { service: Number.NaN, inside: Number.NaN }] = parts.toSorted(
				(one, other) => other.service + other.inside - one.service - one.inside,
			);
			const total = worst.service + worst.inside;
			return {
				goal: '17',
				what: `memory for each running task, the worse of ${RUNNING.join(' and ')} at once (PSS, without the agent)`,
				ours: `${total.toFixed(1)} MB (service ${worst.service.toFixed(1)}, its program in the sandbox ${worst.inside.toFixed(1)})`,
				peers: `the service with none ${before.toFixed(0)} MB`,
				ratio: `${(total / MAXIMUM_MEGABYTES).toFixed(2)} of the limit`,
				met: total < MAXIMUM_MEGABYTES ? 'yes' : 'no',
			};
		} finally {
			await service.stop();
		}
	}

	private service(runningTasks = 1): Promise<ServiceProcess> {
		return ServiceProcess.start({
			bundle: true,
			runningTasks,
			handover: { upstreams: [{ slug: 'scripted', url: this.model.url }] },
		});
	}

	private create(service: ServiceProcess, agent: string, script: keyof typeof SCRIPTS) {
		return createTask(service, {
			prompt: promptOf(script),
			repoUrl: this.repository.path,
			selectedAgent: agent,
			selectedModel: this.model.name,
		});
	}
}
