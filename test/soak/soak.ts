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
import { reportOf } from './report.ts';
import { runServedTasks, type Site } from './site.ts';
import { openSites, type Sites, setClock } from './sites.ts';
import { TaskActivity } from './taskActivity.ts';

const ROUND_MS = 4 * 60_000;
/** The share of the time after which nothing is killed any more, because memory is judged by processes that live long. */
const KILLS_UNTIL = 1 / 2;
const FAULTS_APART_S = [6, 25] as const;
const SETTLE_MS = 15_000;
const ANSWER_LIMIT_MS = 60_000;
/** What does not get on by itself is left, and tried again as a user would. */
const STEP_LIMIT_MS = 150_000;

const { values, positionals } = parseArgs({
	options: { seed: { type: 'string' }, 'without-faults': { type: 'boolean' } },
	allowPositionals: true,
});
const minutes = Number(positionals[0] ?? 120);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const withFaults = values['without-faults'] !== true;

class Soak {
	readonly tally = new Tally();
	readonly findings: Finding[] = [];
	readonly faults = new Tally();
	readonly memory: Memory;
	readonly activities: readonly { site: Site; activity: Activity }[];
	private readonly sites: Sites;
	private readonly model: SoakModel;
	private readonly dice: Dice;
	private readonly possible: readonly Fault[];
	private readonly descriptors = new Descriptors();

	constructor(sites: Sites, model: SoakModel, mcp: McpActivity, dice: Dice, tally: Tally) {
		this.sites = sites;
		this.model = model;
		this.dice = dice;
		this.tally = tally;
		this.memory = new Memory(this.windows, sites.service);
		this.possible = faultsOf({ sites, dice, tally });
		const { local, team, misbehaving } = sites;
		this.activities = [
			{ site: local, activity: new ChatActivity(local, model, tally, ['plain', 'agent', 'encrypted']) },
			{ site: team, activity: new ChatActivity(team, model, tally, ['plain']) },
			{ site: misbehaving, activity: new ChatActivity(misbehaving, model, tally, ['plain', 'encrypted']) },
			...this.windows.map(site => ({ site, activity: new TaskActivity(site, tally) })),
			{ site: local, activity: mcp },
		];
	}

	get windows(): readonly Site[] {
		const { local, team, misbehaving } = this.sites;
		return [local, team, misbehaving];
	}

	/** Whether what runs beside the activities may misbehave. */
	get isCalm(): boolean {
		return this.model.isCalm;
	}

	async run(milliseconds: number): Promise<void> {
		const began = performance.now();
		const over = new AbortController();
		const watching = this.memory.run(over.signal);
		await this.rest();
		while (performance.now() - began < milliseconds) {
			const until = Math.min(performance.now() + ROUND_MS, began + milliseconds);
			await this.disturb(until, until - began < milliseconds * KILLS_UNTIL);
			await this.rest();
		}
		this.findings.push(...this.memory.findings(), ...this.descriptors.findings());
		for (const site of this.windows) {
			this.findings.push(...(await leftInRepositories(site)));
		}
		const problems = await integrityProblems(this.sites.service.pool);
		this.findings.push(...problems.map((what): Finding => ({ promise: 'final', what })));
		over.abort();
		await watching;
	}

	/** Uses everything at once, with faults. */
	private async disturb(until: number, mayKill: boolean): Promise<void> {
		this.model.isCalm = !withFaults;
		const lanes = [
			...this.windows.map(site => this.activities.filter(one => one.site === site && !isMcp(one.activity))),
		];
		const own = this.activities.filter(({ activity }) => isMcp(activity));
		await Promise.all([
			...[...lanes, own].map(async lane => {
				for (let turn = 0; performance.now() < until; turn++) {
					const one = lane[turn % lane.length];
					await this.step(one?.activity).catch(async error => {
						this.tally.count('steps that a fault has cut short');
						note(`${one?.activity.name}: ${firstLineOf(error)}`);
						await one?.site.picture();
					});
				}
			}),
			withFaults ? this.drawFaults(until, mayKill) : undefined,
		]);
	}

	private async drawFaults(until: number, mayKill: boolean): Promise<void> {
		const running = new Map<string, Promise<void>>();
		while (performance.now() < until) {
			await delay(this.dice.between(...FAULTS_APART_S) * 1_000);
			const free = this.possible.filter(({ ends, target }) => (mayKill || !ends) && !running.has(target));
			const chosen = this.dice.anyOf(free);
			if (chosen === undefined) {
				continue;
			}
			note(`fault: ${chosen.kind} (${chosen.target})`);
			this.faults.count(chosen.kind);
			const run = chosen
				.run()
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
			this.windows.map(async site => {
				const answer = await Promise.race([site.probe.tell({ do: 'list' }), delay(ANSWER_LIMIT_MS)]);
				const lost = site.page.locator('.monaco-dialog-box').filter({ hasText: /reload/i });
				if ((await lost.count()) > 0) {
					this.tally.count('windows that the editor itself could not connect again');
					await reloadWindow(site.page);
				} else if (answer === undefined) {
					this.findings.push({ promise: 'alive', what: `the window of ${site.name} did not answer, and was reloaded` });
					await reloadWindow(site.page);
				}
				for (const { activity } of this.activities.filter(one => one.site === site)) {
					await this.step(activity).catch(error => {
						const what = `nothing disturbed it, and “${activity.name}” has failed: ${firstLineOf(error)}`;
						this.findings.push({ promise: 'alive', what });
					});
					const findings = await activity.check().catch((error): Finding[] => {
						return [{ promise: 'alive', what: `“${activity.name}” cannot be judged: ${firstLineOf(error)}` }];
					});
					// What is gone is gone at each look.
					this.findings.push(...findings.filter(({ what }) => this.findings.every(known => known.what !== what)));
				}
				this.descriptors.look(`extension host (${site.name})`, site.probe.hostProcess);
				this.descriptors.look(`local service (${site.name})`, site.localService);
			}),
		);
		for (const { child } of [...this.sites.service.frontEnds, ...this.sites.service.workers]) {
			this.descriptors.look('a front end or worker', child.pid);
		}
		for (const { promise, what } of this.findings.slice(before)) {
			note(`finding (${promise}): ${what}`);
		}
		note(`judged: ${this.findings.length} findings so far`);
	}

	private async step(activity: Activity | undefined): Promise<void> {
		const isDone = await Promise.race([activity?.step().then(() => true), delay(STEP_LIMIT_MS)]);
		if (isDone === undefined) {
			throw new Error(`it took longer than ${STEP_LIMIT_MS / 1_000} s`);
		}
		this.tally.count('steps');
	}
}

const firstLineOf = (error: unknown) => describeError(error).split('\n')[0];
const isMcp = (activity: Activity) => activity instanceof McpActivity;

const began = Date.now();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.once(signal, () => process.exit(130));
}

function note(what: string): void {
	const minute = ((Date.now() - began) / 60_000).toFixed(1);
	process.stdout.write(`${minute.padStart(6)} min  ${what}\n`);
}

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
const sites = await openSites(folder, model, items => ways.anyOf(items));
const mcp = await McpActivity.start(
	sites.local,
	path.join(process.env['ERRAND_TEST_EXTENSION'] ?? '', 'dist', 'mcp.js'),
	tally,
);
const soak = new Soak(sites, model, mcp, dice, tally);
const serving = runServedTasks(sites.tasks, {
	dice: new Dice(seededRandom(seed + 2)),
	isCalm: () => soak.isCalm,
	signal: ended.signal,
});
let outcomes: Record<string, Record<string, number>> = {};
try {
	await soak.run(minutes * 60_000);
	const entries = soak.activities.map(async ({ activity }) => [activity.name, await outcomesOf(activity)] as const);
	outcomes = Object.fromEntries(await Promise.all(entries));
} catch (error) {
	soak.findings.push({ promise: 'alive', what: `the soak itself has ended early: ${describeError(error)}` });
}
ended.abort();
await serving;
for (const site of soak.findings.length > 0 ? soak.windows : []) {
	site.keepEvidence();
}
await mcp.stop();
await sites.stop();
await model.stop();
soak.findings.push(...(await leftOnMachine(folder, temporary)));
const output = path.resolve('test-output', 'soak.html');
mkdirSync(path.dirname(output), { recursive: true });
const { page, text } = reportOf({
	...{ seed, minutes: (Date.now() - began) / 60_000, withFaults, outcomes },
	...{ findings: soak.findings, faults: soak.faults, tally, slopes: soak.memory.slopes() },
	notDone: [
		...(sites.clockFile === undefined ? ['clock jumps: libfaketime is not installed'] : []),
		...(sites.smallDisk === undefined ? ['full disks: no small file system can be mounted'] : []),
	],
});
writeFileSync(output, page);
process.stdout.write(`\n${text}\n\nThe report is ${output}.\n`);
rmSync(folder, { recursive: true, force: true });
process.exit(soak.findings.length > 0 ? 1 : 0);

async function outcomesOf(activity: Activity): Promise<Record<string, number>> {
	return activity instanceof ChatActivity || activity instanceof TaskActivity ? activity.outcomes() : {};
}
