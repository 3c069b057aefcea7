// npm run soak -- [minutes] [--seed=<number>] [--without-faults]: uses everything for hours while everything goes wrong,
// and judges in quiet times between, and at the end, whether what Errand promises has held.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeError } from '../../src/base/errors.ts';
import { reloadWindow } from '../support/editor.ts';
import { integrityProblems } from '../support/teamIntegrity.ts';
import { seededRandom } from '../support/upstreamServer.ts';
import { type Activity, Dice, type Finding, Tally } from './activity.ts';
import { ChatActivity } from './chatActivity.ts';
import { type Fault, faultsOf } from './faults.ts';
import { Descriptors, leftInRepositories, leftOnMachine } from './left.ts';
import { McpActivity } from './mcpActivity.ts';
import { Memory } from './memory.ts';
import { SoakModel } from './model.ts';
import { enterOwnNetwork } from './network.ts';
import { reportOf } from './report.ts';
import { runServedTasks, type Site } from './site.ts';
import { openSites, type Sites, setClock } from './sites.ts';
import { TaskActivity } from './taskActivity.ts';

const ROUND_MS = 4 * 60_000;
const FAULTS_APART_S = [6, 25] as const;
const SETTLE_MS = 15_000;
const ANSWER_LIMIT_MS = 60_000;
/** What does not get on by itself is left, and tried again as a user would. */
const STEP_LIMIT_MS = 150_000;
const CHECK_LIMIT_MS = 420_000;
const FAULT_LIMIT_MS = 180_000;

const { values, positionals } = parseArgs({
	options: { seed: { type: 'string' }, 'without-faults': { type: 'boolean' } },
	allowPositionals: true,
});
const minutes = Number(positionals[0] ?? 120);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const withFaults = values['without-faults'] !== true;

/** What one user does, one thing after another. Programs have no window. */
interface Lane {
	site?: Site;
	activities: readonly Activity[];
}

class Soak {
	readonly tally = new Tally();
	readonly findings: Finding[] = [];
	readonly faults = new Tally();
	readonly memory: Memory;
	private readonly lanes: readonly Lane[];
	private readonly sites: Sites;
	private readonly model: SoakModel;
	private readonly dice: Dice;
	private readonly possible: readonly Fault[];
	/** The kinds of faults that have their turn before any has another. */
	private due: string[] = [];
	private readonly descriptors = new Descriptors();

	constructor(sites: Sites, model: SoakModel, programs: readonly McpActivity[], dice: Dice, tally: Tally) {
		this.sites = sites;
		this.model = model;
		this.dice = dice;
		this.tally = tally;
		this.memory = new Memory(sites);
		this.possible = faultsOf({ sites, dice, tally });
		const { local, team, misbehaving } = sites;
		const lane = (site: Site, kinds: ConstructorParameters<typeof ChatActivity>[3]): Lane => ({
			site,
			activities: [new ChatActivity(site, model, tally, kinds), new TaskActivity(site, tally)],
		});
		this.lanes = [
			lane(local, ['plain', 'agent', 'encrypted']),
			lane(team, ['plain']),
			lane(misbehaving, ['plain', 'encrypted']),
			...programs.map(one => ({ activities: [one] })),
		];
	}

	async outcomes(): Promise<Record<string, Record<string, number>>> {
		const told = this.lanes.flatMap(({ activities }) => activities).filter(one => one.outcomes !== undefined);
		return Object.fromEntries(await Promise.all(told.map(async one => [one.name, (await one.outcomes?.()) ?? {}])));
	}

	async run(milliseconds: number): Promise<void> {
		const began = performance.now();
		await this.rest();
		while (performance.now() - began < milliseconds) {
			const until = Math.min(performance.now() + ROUND_MS, began + milliseconds);
			await this.disturb(until);
			await this.rest();
		}
		this.findings.push(...this.memory.findings(), ...this.descriptors.findings());
		for (const place of [...this.sites.windows, this.sites.programs]) {
			this.findings.push(...(await leftInRepositories(place)));
		}
		const problems = await integrityProblems(this.sites.service.pool);
		this.findings.push(...problems.map((what): Finding => ({ promise: 'final', what })));
	}

	/** Uses everything at once, with faults. */
	private async disturb(until: number): Promise<void> {
		this.model.isCalm = !withFaults;
		await Promise.all([
			...this.lanes.map(async ({ site, activities }) => {
				for (let turn = 0; performance.now() < until; turn++) {
					const one = activities[turn % activities.length];
					await this.step(one).catch(async error => {
						this.tally.count('steps that a fault has cut short');
						note(`${one?.name}: ${firstLineOf(error)}`);
						await site?.picture();
					});
				}
			}),
			withFaults ? this.drawFaults(until) : undefined,
		]);
	}

	/** Each kind of fault has its turn once what it happens to has no other. */
	private async drawFaults(until: number): Promise<void> {
		const running = new Map<string, Promise<void>>();
		while (performance.now() < until) {
			await delay(this.dice.between(...FAULTS_APART_S) * 1_000);
			const free = this.possible.filter(({ target }) => !running.has(target));
			if (this.due.length === 0) {
				this.due = this.dice.shuffled(new Set(this.possible.map(({ kind }) => kind)));
			}
			const kind = this.due.find(one => free.some(fault => fault.kind === one));
			this.due = this.due.filter(one => one !== kind);
			const chosen = this.dice.anyOf(free.filter(fault => fault.kind === kind));
			if (chosen === undefined) {
				continue;
			}
			note(`fault: ${chosen.kind} (${chosen.target})`);
			this.faults.count(chosen.kind);
			const run = within(FAULT_LIMIT_MS, chosen.run())
				.catch(error => note(`${chosen.kind} (${chosen.target}) has failed: ${describeError(error)}`))
				.finally(() => running.delete(chosen.target));
			running.set(chosen.target, run);
		}
		await Promise.all(running.values());
	}

	/** Lets everything come to rest, does each activity once more, which must succeed now, and judges all so far. */
	private async rest(): Promise<void> {
		const before = this.findings.length;
		this.model.isCalm = true;
		if (this.sites.clockFile !== undefined) {
			setClock(this.sites.clockFile, '+0');
		}
		await delay(withFaults ? SETTLE_MS : 0);
		await Promise.all(
			this.lanes.map(async ({ site, activities }) => {
				if (site !== undefined) {
					await this.revive(site);
				}
				for (const activity of activities) {
					await this.step(activity).catch(error => {
						const what = `nothing disturbed it, and “${activity.name}” has failed: ${firstLineOf(error)}`;
						this.findings.push({ promise: 'alive', what });
					});
					const findings = await within(CHECK_LIMIT_MS, activity.check()).catch((error): Finding[] => {
						return [{ promise: 'alive', what: `“${activity.name}” cannot be judged: ${firstLineOf(error)}` }];
					});
					// What is gone is gone at each look.
					this.findings.push(...findings.filter(({ what }) => this.findings.every(known => known.what !== what)));
				}
			}),
		);
		await this.memory.look();
		for (const site of this.sites.windows) {
			this.descriptors.look(`extension host (${site.name})`, site.probe.hostProcess);
		}
		this.descriptors.look('local service', this.sites.ownService.pid);
		for (const { child } of [...this.sites.service.frontEnds, ...this.sites.service.workers]) {
			this.descriptors.look('a front end or worker', child.pid);
		}
		for (const { promise, what } of this.findings.slice(before)) {
			note(`finding (${promise}): ${what}`);
		}
		note(`judged: ${this.findings.length} findings so far`);
	}

	/** Makes a window usable again that the editor itself could not connect again. */
	private async revive(site: Site): Promise<void> {
		const answer = await Promise.race([site.probe.tell({ do: 'list' }), delay(ANSWER_LIMIT_MS)]);
		const lost = site.page.locator('.monaco-dialog-box').filter({ hasText: /reload/i });
		if ((await lost.count()) > 0) {
			this.tally.count('windows that the editor itself could not connect again');
			await reloadWindow(site.page);
		} else if (answer === undefined) {
			this.findings.push({ promise: 'alive', what: `the window of ${site.name} did not answer, and was reloaded` });
			await reloadWindow(site.page);
		}
	}

	private async step(activity: Activity | undefined): Promise<void> {
		await within(STEP_LIMIT_MS, activity?.step());
		this.tally.count('steps');
	}
}

async function within<T>(milliseconds: number, work: Promise<T> | undefined): Promise<T> {
	const late = delay(milliseconds, undefined, { ref: false }).then(() => {
		throw new Error(`it took longer than ${milliseconds / 1_000} s`);
	});
	return Promise.race([work as Promise<T>, late]);
}

const firstLineOf = (error: unknown) => describeError(error).split('\n')[0];

const began = Date.now();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.once(signal, () => process.exit(130));
}

function note(what: string): void {
	const minute = ((Date.now() - began) / 60_000).toFixed(1);
	process.stdout.write(`${minute.padStart(6)} min  ${what}\n`);
}

const hasOwnNetwork = enterOwnNetwork();
const folder = mkdtempSync(path.join(os.tmpdir(), 'errand-soak-'));
const temporary = path.join(folder, 'temporary');
rmSync(path.join('test-output', 'soak'), { recursive: true, force: true });
mkdirSync(temporary);
// PostgreSQL runs as another user, and keeps its data below.
chmodSync(folder, 0o755);
Object.assign(process.env, { TMPDIR: temporary, ERRAND_TEST_SCRATCH: folder });
const dice = new Dice(seededRandom(seed));
const tally = new Tally();
const ways = new Dice(seededRandom(seed + 3));
const model = await SoakModel.start(new Dice(seededRandom(seed + 1)), tally);
const ended = new AbortController();
note(`seed ${seed}, ${minutes} minutes, everything in ${folder}`);
const sites = await openSites(folder, model, { anyOf: items => ways.anyOf(items), hasOwnNetwork });
const program = path.join(process.env['ERRAND_TEST_EXTENSION'] ?? '', 'dist', 'mcp.js');
const programs = await Promise.all(
	[sites.local, sites.programs].map(place => McpActivity.start(place, program, tally)),
);
const soak = new Soak(sites, model, programs, dice, tally);
const serving = runServedTasks(sites.tasks, {
	dice: new Dice(seededRandom(seed + 2)),
	isCalm: () => model.isCalm,
	signal: ended.signal,
});
let outcomes: Record<string, Record<string, number>> = {};
try {
	await soak.run(minutes * 60_000);
	outcomes = await soak.outcomes();
} catch (error) {
	soak.findings.push({ promise: 'alive', what: `the soak itself has ended early: ${describeError(error)}` });
}
ended.abort();
await serving;
for (const place of soak.findings.length > 0 ? [...sites.windows, sites.programs] : []) {
	place.keepEvidence();
}
await Promise.all(programs.map(one => one.stop()));
await sites.stop();
await model.stop();
soak.findings.push(...(await leftOnMachine(folder, temporary)));
const output = path.resolve('test-output', 'soak.html');
mkdirSync(path.dirname(output), { recursive: true });
const { page, text } = reportOf({
	...{ seed, minutes: (Date.now() - began) / 60_000, withFaults, outcomes },
	...{ findings: soak.findings, faults: soak.faults, tally, growths: soak.memory.growths() },
	notDone: [
		...(sites.clockFile === undefined ? ['clock jumps: libfaketime is not installed'] : []),
		...(Object.keys(sites.disks).length === 0 ? ['full disks: no small file system can be mounted'] : []),
		...(hasOwnNetwork ? [] : ['routes that are gone: no network namespace can be made']),
	],
});
writeFileSync(output, page);
process.stdout.write(`\n${text}\n\nThe report is ${output}.\n`);
rmSync(folder, { recursive: true, force: true });
process.exit(soak.findings.length > 0 ? 1 : 0);
