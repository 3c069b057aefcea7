// What may go wrong at any moment on the machines of a user and of an operator.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { reloadWindow } from '../support/editor.ts';
import type { TcpRelay } from '../support/tcpRelay.ts';
import type { TeamProcess } from '../support/teamProcesses.ts';
import type { TeamWorkerProcess } from '../support/teamService.ts';
import { valueWithin } from '../support/waitFor.ts';
import type { Dice, Tally } from './activity.ts';
import { processesOf } from './processes.ts';
import type { Site } from './site.ts';
import { type Sites, SLOTS, setClock } from './sites.ts';

const HOST_RETURN_MS = 60_000;
const CRASHES_APART_MS = 65_000;
const SLEEP_S = [20, 75] as const;
const CUT_S = [10, 45] as const;
const FULL_S = [10, 30] as const;
const MOST_DAYS = 5;
const PIECE = Buffer.alloc(64 * 1024);

export interface Fault {
	readonly kind: string;
	/** What it happens to. Nothing has two faults at a time. */
	readonly target: string;
	/** True if it ends a process whose memory is watched. */
	readonly ends: boolean;
	/** Resolves when it is over. */
	run(): Promise<void>;
}

export interface World {
	sites: Sites;
	dice: Dice;
	tally: Tally;
}

export function faultsOf(world: World): Fault[] {
	const { dice } = world;
	const { local, service, relays, clockFile, smallDisk } = world.sites;
	return [
		...[local, world.sites.team, world.sites.misbehaving].flatMap(site => [
			fault('window reload', site.name, true, () => reloadWindow(site.page)),
			fault('extension host kill', site.name, true, () => killHost(site, world)),
			fault('sleep of a window’s machine', site.name, false, () => sleepOfWindow(site, dice)),
		]),
		fault('local service kill', 'local service', true, () => killLocalService(local)),
		fault('front end kill', 'front ends', true, () => replace(service.frontEnds, world, () => service.startFrontEnd())),
		fault('worker kill', 'workers', true, () =>
			replace<TeamWorkerProcess>(service.workers, world, ({ folder }) => service.startWorker(SLOTS, folder)),
		),
		fault('sleep of a front end', 'front ends', false, () => sleepOfOne(service.frontEnds, dice)),
		fault('sleep of a worker', 'workers', false, () => sleepOfOne(service.workers, dice)),
		fault('database restart', 'database', false, () => service.postgres.restart()),
		fault('database crash', 'database', false, () => service.postgres.restart('SIGQUIT')),
		...Object.entries(relays).flatMap(([name, relay]) => [
			fault('silent network', `network of ${name}`, false, () => cut(relay, dice, () => relay.freeze())),
			fault('broken network', `network of ${name}`, false, () => cut(relay, dice, () => relay.stop())),
		]),
		...(clockFile === undefined ? [] : [fault('clock jump', 'clock', false, () => jump(clockFile, dice))]),
		...(smallDisk === undefined ? [] : [fault('full disk', 'disk', false, () => fill(smallDisk, dice))]),
	];
}

const fault = (kind: string, target: string, ends: boolean, run: () => Promise<unknown>): Fault => ({
	kind,
	target,
	ends,
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

/**
 * Ends one of several programs, and starts another in its place, as whoever keeps it running does. The oldest one is
 * spared, because its memory is judged.
 */
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
async function sleepOfWindow({ stateFolder }: Site, dice: Dice): Promise<void> {
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

/** Afterwards the network is there again, as if under another address: the old connections are broken. */
async function cut(relay: TcpRelay, dice: Dice, begin: () => void): Promise<void> {
	begin();
	await delay(dice.between(...CUT_S) * 1_000);
	relay.stop();
	await relay.open();
}

/** Sets the clock by days, forward or back, until the next jump. */
async function jump(file: string, dice: Dice): Promise<void> {
	const days = dice.between(-MOST_DAYS, MOST_DAYS);
	setClock(file, `${days < 0 ? '' : '+'}${days.toFixed(2)}d`);
	await delay(10_000);
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
