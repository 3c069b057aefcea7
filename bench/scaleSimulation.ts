// Plays one working day of a service for a team: how many slots, workers, front ends and writes so many developers need.
//   node bench/scaleSimulation.ts <developers> [<name>=<number> …]
// The names, with the values that hold unless others are given, are those of `ASSUMPTIONS`. docs/scale.md says where
// the numbers come from. The same seed plays the same day.
import process from 'node:process';

export const ASSUMPTIONS = {
	/** The tasks that a developer starts on a day of eight hours. */
	tasksADay: 8,
	/** The share of them that starts in the two busiest hours. */
	shareInPeak: 0.45,
	/** The time of a task: its median, and the one that 95 of 100 stay under. */
	medianMinutes: 6,
	slowMinutes: 25,
	entriesATask: 800,
	bytesAnEntry: 450,
	/** The writes to the database of a run in a second: its entries, most of which come one by one, and its heartbeat. */
	writesARun: 2,
	/** Those of them that are announced to followers, which are all but the heartbeats. */
	announcementsARun: 1.5,
	followersATask: 1.3,
	/** The queries of a follower in a second: two at each write of the run, and two for its state every two seconds. */
	queriesAFollower: 4,
	/** The capacity of single parts, as measured in docs/scale.md. */
	slotsAWorker: 4,
	followersAFrontEnd: 1_000,
	connectionsAWorker: 9,
	connectionsAFrontEnd: 16,
	/** The connections that wait for announcements. Each announcement wakes all of them. */
	listenersAWorker: 1,
	listenersAFrontEnd: 2,
	/** PostgreSQL commits what is announced one after another, and each waits for the disk. */
	announcementsADatabase: 1_000,
	/** The milliseconds of a processor of the database for each. */
	aWrite: 1.2,
	aQuery: 0.27,
	aWake: 0.025,
	/** The wait that 95 of 100 tasks stay under. */
	secondsToWait: 60,
	seed: 1,
};
type Assumptions = typeof ASSUMPTIONS;

const DAY_SECONDS = 8 * 3600;
const PEAK_SECONDS = 2 * 3600;
/** The standard normal deviate that 95 of 100 stay under. */
const DEVIATE_95 = 1.645;

interface Task {
	start: number;
	seconds: number;
}

/** Returns numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function generator(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** The tasks of a day in the order of their start. The peak is in the middle; times have a long tail (log-normal). */
function tasksOf(developers: number, assumptions: Assumptions): Task[] {
	const random = generator(assumptions.seed);
	const sigma = Math.log(assumptions.slowMinutes / assumptions.medianMinutes) / DEVIATE_95;
	const peakBegins = (DAY_SECONDS - PEAK_SECONDS) / 2;
	const tasks = Array.from({ length: Math.round(developers * assumptions.tasksADay) }, () => {
		const isInPeak = random() < assumptions.shareInPeak;
		const outside = random() * (DAY_SECONDS - PEAK_SECONDS);
		const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
		return {
			start: isInPeak ? peakBegins + random() * PEAK_SECONDS : outside < peakBegins ? outside : outside + PEAK_SECONDS,
			seconds: 60 * assumptions.medianMinutes * Math.exp(sigma * normal),
		};
	});
	return tasks.sort((a, b) => a.start - b.start);
}

/** Returns how long each task waits with so many slots, in the order of start. The slots are a heap of free times. */
function waitsWith(tasks: readonly Task[], slots: number): number[] {
	const free = new Float64Array(slots);
	return tasks.map(({ start, seconds }) => {
		const begins = Math.max(start, free[0] ?? 0);
		let place = 0;
		const ends = begins + seconds;
		for (;;) {
			const left = 2 * place + 1;
			if (left >= slots) {
				break;
			}
			const child = left + 1 < slots && (free[left + 1] ?? 0) < (free[left] ?? 0) ? left + 1 : left;
			if ((free[child] ?? 0) >= ends) {
				break;
			}
			free[place] = free[child] ?? 0;
			place = child;
		}
		free[place] = ends;
		return begins - start;
	});
}

const quantile = (values: readonly number[], share: number): number =>
	values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** Returns the smallest number of slots with which 95 of 100 tasks wait at most so long. */
function slotsFor(tasks: readonly Task[], secondsToWait: number): number {
	let [low, high] = [1, Math.max(1, tasks.length)];
	while (low < high) {
		const middle = Math.floor((low + high) / 2);
		if (quantile(waitsWith(tasks, middle), 0.95) <= secondsToWait) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return low;
}

/** The most tasks that run at one moment. */
function mostAtOnce(tasks: readonly Task[], waits: readonly number[]): number {
	const changes = tasks.flatMap(({ start, seconds }, index) => {
		const begins = start + (waits[index] ?? 0);
		return [
			{ at: begins, by: 1 },
			{ at: begins + seconds, by: -1 },
		];
	});
	let [running, most] = [0, 0];
	for (const { by } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
		running += by;
		most = Math.max(most, running);
	}
	return most;
}

function read(args: readonly string[]): { developers: number; assumptions: Assumptions } {
	const [first, ...others] = args;
	const developers = Number(first);
	if (!(developers >= 1)) {
		throw new Error('Usage: node bench/scaleSimulation.ts <developers> [<name>=<number> …]');
	}
	const assumptions = { ...ASSUMPTIONS };
	for (const other of others) {
		const [name = '', value] = other.split('=');
		if (!(name in assumptions) || !(Number(value) > 0)) {
			throw new Error(`"${other}" is not <name>=<number>. The names are ${Object.keys(ASSUMPTIONS).join(', ')}.`);
		}
		assumptions[name as keyof Assumptions] = Number(value);
	}
	return { developers, assumptions };
}

if (import.meta.main) {
	const { developers, assumptions } = read(process.argv.slice(2));
	const tasks = tasksOf(developers, assumptions);
	const slots = slotsFor(tasks, assumptions.secondsToWait);
	const waits = waitsWith(tasks, slots);
	const atOnce = mostAtOnce(tasks, waits);
	const workers = Math.ceil(slots / assumptions.slotsAWorker);
	const followers = Math.ceil(atOnce * assumptions.followersATask);
	const frontEnds = Math.max(2, Math.ceil(followers / assumptions.followersAFrontEnd));
	const writes = atOnce * assumptions.writesARun;
	const queries = followers * assumptions.queriesAFollower;
	const listeners = workers * assumptions.listenersAWorker + frontEnds * assumptions.listenersAFrontEnd;
	const announcements = atOnce * assumptions.announcementsARun;
	const wakes = announcements * listeners;
	const processors = (writes * assumptions.aWrite + queries * assumptions.aQuery + wakes * assumptions.aWake) / 1_000;
	const connections = workers * assumptions.connectionsAWorker + frontEnds * assumptions.connectionsAFrontEnd;
	const entries = tasks.length * assumptions.entriesATask;
	const rows: [string, string][] = [
		['tasks a day', tasks.length.toLocaleString('en')],
		[`slots for 95 of 100 to wait at most ${assumptions.secondsToWait} s`, slots.toLocaleString('en')],
		['tasks at once in the peak', atOnce.toLocaleString('en')],
		['wait, median and 95 of 100', `${quantile(waits, 0.5).toFixed(0)} s, ${quantile(waits, 0.95).toFixed(0)} s`],
		['workers', workers.toLocaleString('en')],
		['followers in the peak', followers.toLocaleString('en')],
		['front ends', frontEnds.toLocaleString('en')],
		['connections to the database at most', connections.toLocaleString('en')],
		['writes to the database a second', writes.toFixed(0)],
		[
			'announcements a second, of what one can commit',
			`${announcements.toFixed(0)}, ${((announcements / assumptions.announcementsADatabase) * 100).toFixed(0)} %`,
		],
		['queries of followers a second', queries.toFixed(0)],
		['wakes by announcements a second', Math.round(wakes).toLocaleString('en')],
		['processors of the database', processors.toFixed(1)],
		['... of which for announcements', ((wakes * assumptions.aWake) / 1_000).toFixed(1)],
		['log entries a day', entries.toLocaleString('en')],
		['log in 30 days', `${((entries * assumptions.bytesAnEntry * 30) / 2 ** 30).toFixed(0)} GB`],
	];
	for (const [name, value] of rows) {
		console.log(`${name.padEnd(46)} ${value}`);
	}
}
