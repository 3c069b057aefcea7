// What may go wrong at any moment on the machines of a user and of an operator.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { reloadWindow } from '../support/editor.ts';
import type { TeamProcess } from '../support/teamProcesses.ts';
import type { TeamWorkerProcess } from '../support/teamService.ts';
import { valueWithin } from '../support/waitFor.ts';
import type { Dice, Tally } from './activity.ts';
import { setRoute } from './network.ts';
import { processesOf } from './processes.ts';
import type { Site } from './site.ts';
import { type Sites, SLOTS, setClock } from './sites.ts';

const HOST_RETURN_MS = 60_000;
const CRASHES_APART_MS = 65_000;
const SLEEP_S = [20, 75] as const;
const CUT_S = [10, 45] as const;
const FULL_S = [10, 30] as const;
const JUMP_MS = 10_000;
const MOST_DAYS = 5;
const PIECE = Buffer.alloc(64 * 1024);

export interface Fault {
	readonly kind: string;
	/** What it happens to. Nothing has two faults at a time. */
	readonly target: string;
	/** Resolves when it is over. */
	run(): Promise<void>;
}

export interface World {
	sites: Sites;
	dice: Dice;
	tally: Tally;
}

/** One window, one front end, one worker and one local service are never ended, because their memory is judged. */
export function faultsOf(world: World): Fault[] {
	const { dice } = world;
	const { local, team, misbehaving, service, relays, clockFile, disks, hasOwnNetwork } = world.sites;
	return [
		...[local, misbehaving].flatMap(site => [
			fault('window reload', site.name, () => reloadWindow(site.page)),
			fault('extension host kill', site.name, () => killHost(site, world)),
		]),
		...[local, team, misbehaving].map(site => fault('sleep of a window’s machine', site.name, () => sleep(site, dice))),
		fault('local service kill', 'local service', () => killLocalService(local)),
		fault('front end kill', 'front ends', () => replace(service.frontEnds, world, () => service.startFrontEnd())),
		fault('worker kill', 'workers', () =>
			replace<TeamWorkerProcess>(service.workers, world, ({ folder }) => service.startWorker(SLOTS, folder)),
		),
		fault('sleep of a front end', 'front ends', () => sleepOfOne(service.frontEnds, dice)),
		fault('sleep of a worker', 'workers', () => sleepOfOne(service.workers, dice)),
		fault('database restart', 'database', () => service.postgres.restart()),
		fault('database crash', 'database', () => service.postgres.restart('SIGQUIT')),
		...Object.entries(relays).flatMap(([name, relay]) => {
			// Afterwards the network is there again, as if under another address: the old connections are broken.
			const open = () => {
				relay.stop();
				return relay.open();
			};
			const cuts = [
				fault('silent network', `network of ${name}`, () => cut(dice, () => relay.freeze(), open)),
				fault('broken network', `network of ${name}`, () => cut(dice, () => relay.stop(), open)),
			];
			const [away, back] = (['gone', 'there'] as const).map(is => () => setRoute(relay.address, is));
			return hasOwnNetwork && away && back
				? [...cuts, fault('no route', `network of ${name}`, () => cut(dice, away, back))]
				: cuts;
		}),
		...(clockFile === undefined ? [] : [fault('clock jump', 'clock', () => jump(clockFile, dice))]),
		...Object.entries(disks).map(([what, folder]) =>
			fault(`full disk under ${what}`, `disk of ${what}`, () => fill(folder, dice)),
		),
	];
}

const fault = (kind: string, target: string, run: () => Promise<unknown>): Fault => ({
	kind,
	target,
	run: async () => void (await run()),
});

/** Ends the extension host. The editor starts another three times within five minutes, and then asks to be reloaded. */
async function killHost(site: Site, { tally }: World): Promise<void> {
	const { probe } = site;
	const pid = probe.hostProcess;
	if (pid === undefined) {
		return;
	}
	probe.leaveWindow();
	kill(pid);
	if (!(await valueWithin(HOST_RETURN_MS, 250, () => probe.hostProcess !== undefined))) {
		tally.count('extension hosts that came back with a reload only');
		await reloadWindow(site.page);
	}
}

/** A service that crashes twice within a minute is not started again before the minute is over. */
async function killLocalService(site: Site): Promise<void> {
	kill(site.localService);
	await delay(CRASHES_APART_MS);
}

function kill(pid: number | undefined): void {
	if (pid !== undefined) {
		process.kill(pid, 'SIGKILL');
	}
}

/** Ends one of several programs but the oldest, and starts another in its place, as whoever keeps it running does. */
async function replace<One extends TeamProcess>(
	programs: ReadonlySet<One>,
	{ sites, dice }: World,
	start: (one: One) => Promise<unknown>,
): Promise<void> {
	const one = dice.anyOf([...programs].slice(1));
	if (one === undefined) {
		return;
	}
	await sites.service.kill(one);
	await delay(dice.between(0, 5_000));
	// The database may be away meanwhile.
	while (
		!(await start(one).then(
			() => true,
			() => delay(1_000),
		))
	) {}
}

/** Stops everything of a window but the browser: the editor, the extension host, the local service and its agents. */
async function sleep({ stateFolder }: Site, dice: Dice): Promise<void> {
	const own = processesOf(stateFolder).filter(({ commandLine }) => !commandLine.includes('mcp.js'));
	await stopped(
		own.map(({ pid }) => pid),
		dice,
	);
}

async function sleepOfOne(programs: ReadonlySet<TeamProcess>, dice: Dice): Promise<void> {
	const pid = dice.anyOf([...programs])?.child.pid;
	await stopped(pid === undefined ? [] : [pid], dice);
}

async function stopped(pids: readonly number[], dice: Dice): Promise<void> {
	const signal = (name: NodeJS.Signals) => {
		for (const pid of pids) {
			try {
				process.kill(pid, name);
			} catch {
				// It has ended.
			}
		}
	};
	signal('SIGSTOP');
	await delay(dice.between(...SLEEP_S) * 1_000);
	signal('SIGCONT');
}

async function cut(dice: Dice, begin: () => void, end: () => unknown): Promise<void> {
	begin();
	await delay(dice.between(...CUT_S) * 1_000);
	await end();
}

/** Sets the clock by days, forward or back, until the next jump. */
async function jump(file: string, dice: Dice): Promise<void> {
	const days = dice.between(-MOST_DAYS, MOST_DAYS);
	setClock(file, `${days < 0 ? '' : '+'}${days.toFixed(2)}d`);
	await delay(JUMP_MS);
}

/** Fills a file system to its last byte for a while. */
async function fill(folder: string, dice: Dice): Promise<void> {
	const file = path.join(folder, 'of-somebody-else');
	const handle = openSync(file, 'w');
	try {
		for (let size = PIECE.length; size > 0; ) {
			try {
				writeSync(handle, PIECE, 0, size);
			} catch {
				size = Math.floor(size / 2);
			}
		}
		await delay(dice.between(...FULL_S) * 1_000);
	} finally {
		closeSync(handle);
		rmSync(file, { force: true });
	}
}
