import { setTimeout as delay } from 'node:timers/promises';
import { type InspectedHeap, openHeap } from '../support/inspectedHeap.ts';
import type { TeamProcess } from '../support/teamProcesses.ts';
import type { TeamService } from '../support/teamService.ts';
import type { Finding } from './activity.ts';
import { residentMegabytes } from './processes.ts';
import type { Site } from './site.ts';

const EVERY_MS = 10_000;
const HEAP_LIMIT_MS = 5_000;
/** The floor of the resident memory is the least of this many samples: one minute. */
const FLOOR_SAMPLES = 6;
/** The time in which a program grows to its size. */
const WARM_MINUTES = 10;
const LEAST_MINUTES = 3;
/** The slope of a shorter time is told, and not judged: it says little of an hour. */
const JUDGED_MINUTES = 15;
const MOST_AN_HOUR = 2;

interface Sample {
	minute: number;
	megabytes: number;
}

/** The memory of one process. */
export interface Series {
	what: string;
	pid: number;
	/** What is measured: the heap after a collection, or the floor of the resident memory where there is no debugger. */
	measure: 'heap' | 'resident';
	heap: Sample[];
	resident: Sample[];
}

/** How the memory of a process has grown. */
export interface Slope {
	series: Series;
	samples: Sample[];
	minutes: number;
	/** In megabytes an hour. */
	slope: number;
	isJudged: boolean;
}

/** Reads the memory of all processes that should keep theirs flat, every ten seconds. */
export class Memory {
	readonly series = new Map<number, Series>();
	private readonly sites: readonly Site[];
	private readonly team: TeamService;
	private readonly began = performance.now();
	private readonly heaps = new Map<TeamProcess, Promise<InspectedHeap | undefined>>();

	constructor(sites: readonly Site[], team: TeamService) {
		this.sites = sites;
		this.team = team;
	}

	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			const next = delay(EVERY_MS, undefined, { signal }).catch(() => {});
			await Promise.all([
				...this.sites.flatMap(site => [
					this.sample(`extension host (${site.name})`, site.probe.hostProcess, async () => {
						const { value } = await site.probe.tell({ do: 'heap' });
						return typeof value === 'number' ? value / 2 ** 20 : undefined;
					}),
					this.sample(`local service (${site.name})`, site.localService),
				]),
				...[...this.team.frontEnds].map(one => this.sample('front end', one.child.pid, () => this.heapOf(one))),
				...[...this.team.workers].map(one => this.sample('worker', one.child.pid, () => this.heapOf(one))),
			]);
			await next;
		}
		for (const heap of this.heaps.values()) {
			(await heap)?.close();
		}
	}

	/** Returns the series that are long enough for a slope, each without the first minutes of its process. */
	slopes(): Slope[] {
		return [...this.series.values()].flatMap(series => {
			const all = series.measure === 'heap' ? series.heap : floorOf(series.resident);
			const samples = all.filter(({ minute }) => minute - (all[0]?.minute ?? 0) >= WARM_MINUTES);
			const minutes = (samples.at(-1)?.minute ?? 0) - (samples[0]?.minute ?? 0);
			const slope = slopeOf(samples) * 60;
			return minutes < LEAST_MINUTES ? [] : [{ series, samples, minutes, slope, isJudged: minutes >= JUDGED_MINUTES }];
		});
	}

	findings(): Finding[] {
		return this.slopes()
			.filter(({ slope, isJudged }) => isJudged && slope >= MOST_AN_HOUR)
			.map(({ series, slope, minutes }) => ({
				promise: 'memory',
				what: `${series.what}, process ${series.pid}: ${slope.toFixed(1)} MB an hour (${series.measure}, ${minutes.toFixed(0)} minutes)`,
			}));
	}

	private async sample(what: string, pid: number | undefined, heap?: () => Promise<number | undefined>): Promise<void> {
		const resident = pid === undefined ? undefined : residentMegabytes(pid);
		if (pid === undefined || resident === undefined) {
			return;
		}
		const minute = (performance.now() - this.began) / 60_000;
		const measure = heap === undefined ? 'resident' : 'heap';
		const series = this.series.get(pid) ?? { what, pid, measure, heap: [], resident: [] };
		this.series.set(pid, series);
		series.resident.push({ minute, megabytes: resident });
		// A process that is stopped, or being replaced, does not answer.
		const used = await Promise.race([heap?.().catch(() => undefined), delay(HEAP_LIMIT_MS, undefined)]);
		if (used !== undefined) {
			series.heap.push({ minute, megabytes: used });
		}
	}

	private async heapOf(one: TeamProcess): Promise<number | undefined> {
		const opening = this.heaps.get(one) ?? openHeap(one).catch(() => undefined);
		this.heaps.set(one, opening);
		return (await opening)?.used();
	}
}

function floorOf(samples: readonly Sample[]): Sample[] {
	return samples.flatMap((sample, index) =>
		index % FLOOR_SAMPLES === 0
			? [
					{
						minute: sample.minute,
						megabytes: Math.min(...samples.slice(index, index + FLOOR_SAMPLES).map(({ megabytes }) => megabytes)),
					},
				]
			: [],
	);
}

/** Returns the slope by least squares, in megabytes a minute. */
function slopeOf(samples: readonly Sample[]): number {
	const mean = (of: (sample: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
	const [minute, megabytes] = [mean(one => one.minute), mean(one => one.megabytes)];
	const above = samples.reduce((sum, one) => sum + (one.minute - minute) * (one.megabytes - megabytes), 0);
	const below = samples.reduce((sum, one) => sum + (one.minute - minute) ** 2, 0);
	return below === 0 ? 0 : above / below;
}
