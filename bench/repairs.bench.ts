import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientContext, client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { OWN_AGENT } from '../src/agents/catalogue/ownAgent.ts';
import { insidePlaces } from '../src/agents/sandbox/places.ts';
import type { SandboxedCommand } from '../src/agents/sandbox/wrap.ts';
import { runChild, startChild } from '../src/base/childProcess.ts';
import { agentPrograms } from '../test/support/agentPrograms.ts';
import { quoted } from '../test/support/scriptedModel.ts';
import { TemporaryRepository } from '../test/support/temporaryRepository.ts';
import { prepareAgentSandbox } from './agentSandbox.ts';
import { mistakes } from './repairMistakes.ts';
import { NO_REPAIR, promptFor, type RemoteModel, type RepairCase, RepairModel, type Taken } from './repairModel.ts';
import { filesOf, type Problem, pathOf, problems, testOf } from './repairProblems.ts';
import type { BenchRow } from './row.ts';

const AGENTS = [OWN_AGENT, 'pi', 'opencode'];

/** The processes of each agent, which make its repairs one after another, and the most of all that run at a time. */
const GROUPS = 4;
const PROCESSES = 6;

/**
 * The milliseconds for one repair, which is then cancelled, and for all. They take four minutes on a machine with nothing
 * else to do; a busy one must not take its last repairs from the slowest agent.
 */
const REPAIR_MS = 140_000;
const BENCH_MS = 600_000;
const CANCEL_MS = 5_000;

/** The tries for a new session, for which some agents start a program that may fail on a busy machine. */
const SESSION_TRIES = 3;

/** The tokens in of a task of one call. */
const MAXIMUM_HELLO = 1_200;

/** The name of the folder with the repositories of one process. */
const TREE = 'repairs';

/** The repairs of the scripted model, and those of a real one. */
const SCRIPTED: readonly RepairCase[] = mistakes.map((mistake, index) => {
	const named = problems.find(({ name }) => name === mistake.problem);
	return { problem: named ?? (problems[index % problems.length] as Problem), mistake };
});
const REAL: readonly RepairCase[] = problems.map(problem => ({ problem }));

/**
 * Measures goal 23. A real model makes repairs too if ERRAND_BENCH_MODEL_URL, which ends in `/v1`, and
 * ERRAND_BENCH_MODEL name one, with its key in ERRAND_BENCH_MODEL_KEY.
 */
export async function rows(): Promise<BenchRow[]> {
	process.env['PATH'] = [...agentPrograms(), process.env['PATH']].join(path.delimiter);
	const { ERRAND_BENCH_MODEL_URL: url, ERRAND_BENCH_MODEL: name, ERRAND_BENCH_MODEL_KEY: key } = process.env;
	const scripted = await measure(SCRIPTED);
	return [...scripted, ...(url && name ? await measure(REAL, { url, name, key }) : [NOT_MEASURED])];
}

async function measure(cases: readonly RepairCase[], remote?: RemoteModel): Promise<BenchRow[]> {
	const bench = new RepairBench(cases, await mkdtemp(path.join(os.tmpdir(), 'errand-repairs-')), remote);
	try {
		return await bench.run();
	} finally {
		await bench.remove();
	}
}

class RepairBench {
	private readonly cases: readonly RepairCase[];
	private readonly folder: string;
	private readonly remote: RemoteModel | undefined;
	private readonly models = new Map<string, RepairModel>();
	private readonly repaired = new Map(AGENTS.map(agent => [agent, new Set<number>()]));
	private readonly deadline = AbortSignal.timeout(BENCH_MS);

	/** `folder` is an empty folder, which `remove` removes. */
	constructor(cases: readonly RepairCase[], folder: string, remote: RemoteModel | undefined) {
		this.cases = cases;
		this.folder = folder;
		this.remote = remote;
	}

	async remove(): Promise<void> {
		await Promise.all([...this.models.values()].map(model => model.stop()));
		await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
	}

	async run(): Promise<BenchRow[]> {
		for (const [index, repair] of this.cases.entries()) {
			await this.makeRepository(index, repair);
		}
		for (const agent of AGENTS) {
			const folderOf = (index: number) => this.folderOf(agent, index);
			const { cases, remote } = this;
			this.models.set(agent, await RepairModel.start({ cases, folderOf, ...(remote && { remote }) }));
		}
		// The last mistakes take the most time, so they come first, each in another process.
		const groups = Array.from({ length: GROUPS }, (_, group) => GROUPS - 1 - group);
		const queue = groups.flatMap(group => [...this.models].map(([agent, model]) => ({ agent, model, group })));
		await Promise.all(
			Array.from({ length: PROCESSES }, async () => {
				for (let job = queue.shift(); job !== undefined && !this.deadline.aborted; job = queue.shift()) {
					await this.repairSome(job.agent, job.model, job.group);
				}
			}),
		);
		return this.report();
	}

	/** Returns the folder of a process of an agent, in which `tree` has its repositories. */
	private processFolder(agent: string, group: number): string {
		return path.join(this.folder, agent, String(group));
	}

	private folderOf(agent: string, index: number) {
		const name = `${index}-${this.cases[index]?.problem.name}`;
		return {
			here: path.join(this.processFolder(agent, index % GROUPS), 'tree', name),
			inside: `${insidePlaces(TREE).tree}/${name}`,
		};
	}

	/** Makes the repository of a repair with one commit, once for each agent. */
	private async makeRepository(index: number, { problem, mistake }: RepairCase): Promise<void> {
		const inFile = mistake?.inFile ?? ((text: string) => text);
		const repository = await TemporaryRepository.create();
		try {
			for (const [name, text] of Object.entries(filesOf(problem))) {
				await repository.write(name, name === pathOf(problem) ? inFile(text) : text);
			}
			await repository.commitAll('Begin');
			for (const agent of AGENTS) {
				await cp(repository.path, this.folderOf(agent, index).here, { recursive: true });
			}
		} finally {
			await repository.remove();
		}
	}

	/** Has one process of an agent make some repairs, one after another, and finds out which of them are made. */
	private async repairSome(agent: string, model: RepairModel, group: number): Promise<void> {
		const some = [...this.cases.entries()].filter(([index]) => index % GROUPS === group).reverse();
		const { agent: command, shell } = await prepareAgentSandbox({
			...{ agent, folder: this.processFolder(agent, group), name: TREE, port: model.port, model: model.name },
			insideProgram: path.resolve('dist/sandbox.js'),
		});
		await this.withAgent(command, async context => {
			if (group === 0) {
				await this.prompt(context, insidePlaces(TREE).tree, 'Say hello.');
			}
			for (const [index, { problem }] of some) {
				await this.prompt(context, this.folderOf(agent, index).inside, promptFor(index, problem));
			}
		});
		// The test is run as it was, whatever the agent has made of it.
		const lines = some.map(([index, { problem }]) => {
			const test = `node --input-type=module -e ${quoted(testOf(problem))} >/dev/null 2>&1`;
			return `cd ${quoted(this.folderOf(agent, index).inside)} && ${test} && echo ${index}`;
		});
		let output = '';
		await runChild({
			...{ ...shell(`${lines.join('; ')}; true`), cwd: '/', signal: new AbortController().signal },
			onOutput: (_, bytes) => {
				output += bytes;
			},
		});
		for (const index of output.match(/\d+/g) ?? []) {
			this.repaired.get(agent)?.add(Number(index));
		}
	}

	private async withAgent(command: SandboxedCommand, use: (context: ClientContext) => Promise<void>): Promise<void> {
		const child = startChild({ ...command, cwd: '/', signal: new AbortController().signal });
		child.stderr.resume();
		const connection = client({ name: 'errand-bench' })
			.onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
				const optionId = options.find(({ kind }) => kind === 'allow_once')?.optionId;
				return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
			})
			.onNotification(methods.client.session.update, () => {})
			.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
		try {
			const { agent } = connection;
			await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
			// A prompt ends within some seconds after the deadline, but a new session may never begin.
			await Promise.race([use(agent), once(this.deadline, 'abort').then(() => delay(2 * CANCEL_MS))]);
		} finally {
			connection.close();
			await child.end();
		}
	}

	/** Has an agent work on a prompt until it ends, for whatever reason, or takes too long. */
	private async prompt(context: ClientContext, cwd: string, text: string): Promise<void> {
		if (this.deadline.aborted) {
			return;
		}
		const sessionId = await this.newSession(context, cwd);
		const limit = AbortSignal.any([AbortSignal.timeout(REPAIR_MS), this.deadline]);
		const ended = context
			.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
			.catch(() => {});
		await Promise.race([ended, once(limit, 'abort')]);
		if (limit.aborted) {
			await context.notify(methods.agent.session.cancel, { sessionId });
			await Promise.race([ended, delay(CANCEL_MS)]);
		}
	}

	private async newSession(context: ClientContext, cwd: string, tries = SESSION_TRIES): Promise<string> {
		try {
			return (await context.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
		} catch (error) {
			if (tries > 1 && !this.deadline.aborted) {
				return this.newSession(context, cwd, tries - 1);
			}
			throw error;
		}
	}

	private report(): BenchRow[] {
		const seen = AGENTS.map(agent => new Seen(agent, this.repaired.get(agent) ?? new Set(), this.models.get(agent)));
		const [own, ...peers] = seen as [Seen, ...Seen[]];
		for (const [index, { problem, mistake }] of this.cases.entries()) {
			const what = mistake?.title ?? problem.name;
			console.log(`${String(index).padStart(2)}  ${what}: ${seen.map(one => one.describe(index)).join('; ')}`);
		}
		// A repair that was not tried must not count against an agent, and a bench that throws keeps its last rows.
		if (this.deadline.aborted) {
			const reason = 'the time of a bench was over before every agent had tried every repair';
			if (this.remote) {
				return [{ ...NOT_MEASURED, reason }];
			}
			throw new Error(reason);
		}
		const all = [...this.cases.keys()];
		const ratios = peers.map(peer => {
			const byBoth = all.filter(index => own.repaired.has(index) && peer.repaired.has(index));
			return { agent: peer.agent, ratio: own.tokens(byBoth) / peer.tokens(byBoth) };
		});
		const isFirst = peers.every(peer => own.repaired.size >= peer.repaired.size);
		const by = this.remote ? `by ${this.remote.name}` : 'in each of which the model makes another recorded mistake';
		const rows: BenchRow[] = [
			{
				goal: '23',
				what: `${all.length} repairs ${by}: done; calls; of them again; tokens in and out (bytes / 4)`,
				ours: own.summary(all),
				peers: peers.map(peer => `${peer.agent} ${peer.summary(all)}`).join('; '),
				ratio: `tokens where both did it: ${ratios.map(({ agent, ratio }) => `${ratio.toFixed(2)} of ${agent}'s`).join(', ')}`,
				met: isFirst && ratios.every(({ ratio }) => ratio <= 1) ? 'yes' : 'no',
			},
		];
		return this.remote ? rows : [...rows, helloRow(own, peers)];
	}
}

/** The results of one agent. */
class Seen {
	readonly agent: string;
	readonly repaired: ReadonlySet<number>;
	private readonly model: RepairModel | undefined;

	constructor(agent: string, repaired: ReadonlySet<number>, model: RepairModel | undefined) {
		this.agent = agent;
		this.repaired = repaired;
		this.model = model;
	}

	sum(indexes: readonly number[], read: (taken: Taken) => number): number {
		return indexes.reduce((total, index) => total + (this.model ? read(this.model.taken(index)) : Number.NaN), 0);
	}

	tokens(indexes: readonly number[]): number {
		return this.sum(indexes, ({ tokensIn, tokensOut }) => tokensIn + tokensOut);
	}

	describe(index: number): string {
		return `${this.agent} ${this.repaired.has(index) ? 'done' : 'NOT DONE'} ${this.numbers([index])}`;
	}

	summary(indexes: readonly number[]): string {
		return `${this.repaired.size}; ${this.numbers(indexes)}`;
	}

	private numbers(indexes: readonly number[]): string {
		const [calls, retries, tokensIn, tokensOut] = (['calls', 'retries', 'tokensIn', 'tokensOut'] as const).map(name =>
			this.sum(indexes, taken => taken[name]).toLocaleString('en'),
		);
		return `${calls}; ${retries}; ${tokensIn} and ${tokensOut}`;
	}
}

function helloRow(own: Seen, peers: readonly Seen[]): BenchRow {
	const tokensOf = (seen: Seen) => seen.sum([NO_REPAIR], ({ tokensIn }) => tokensIn);
	const described = (seen: Seen) => tokensOf(seen).toLocaleString('en');
	return {
		goal: '23',
		what: '"Say hello.": tokens in (bytes / 4)',
		ours: described(own),
		peers: peers.map(peer => `${peer.agent} ${described(peer)}`).join('; '),
		ratio: `${(tokensOf(own) / MAXIMUM_HELLO).toFixed(2)} of the limit`,
		met: tokensOf(own) <= MAXIMUM_HELLO ? 'yes' : 'no',
	};
}

const NOT_MEASURED: BenchRow = {
	goal: '23',
	what: '30 repairs by a real model',
	ours: 'not measured',
	peers: '',
	ratio: '',
	met: 'no',
	reason: 'no model was named: ERRAND_BENCH_MODEL_URL, ERRAND_BENCH_MODEL',
};
