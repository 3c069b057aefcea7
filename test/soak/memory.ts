import { setTimeout as delay } from 'node:timers/promises';
import { type Debugged, type InspectedHeap, openHeap } from '../support/inspectedHeap.ts';
import type { Finding } from './activity.ts';
import { residentMegabytes } from './processes.ts';
import type { Sites } from './sites.ts';

const EVERY_MS = 15_000;
const HEAP_LIMIT_MS = 5_000;
/** The least of so many minutes counts, because what is just being done takes memory too. */
const BLOCK_MINUTES = 2;
/** The time in which a program grows to its size. */
const WARM_MINUTES = 10;
/** The slope of a shorter life says little of an hour. */
const JUDGED_MINUTES = 20;
const MOST_AN_HOUR = 2;

interface Sample {
	minute: number;
	megabytes: number;
}

/** The heap of one process after collections. */
interface Series {
	what: string;
	pid: number;
	samples: Sample[];
	/** The resident memory, which is told and not judged: the system takes little of it back. */
	resident: number[];
}

/** How the memory of a process has grown after its first minutes. */
export interface Growth extends Series {
	minutes: number;
	/** In megabytes an hour, by least squares, and twice its standard error. */
	slope: number;
	error: number;
	verdict: 'flat' | 'grows' | 'not settled';
}

/** Reads the memory of all processes that should keep theirs flat, every some seconds. */
export class Memory {
	private readonly series = new Map<number, Series>();
	private readonly sites: Sites;
	private readonly began = performance.now();
	private readonly heaps = new Map<Debugged, Promise<InspectedHeap | undefined>>();

	constructor(sites: Sites) {
		this.sites = sites;
	}

	async run(signal: AbortSignal): Promise<void> {
		const { windows, ownService, service } = this.sites;
		while (!signal.aborted) {
			const next = delay(EVERY_MS, undefined, { signal }).catch(() => {});
			await Promise.all([
				...windows.map(site =>
					this.sample(`extension host (${site.name})`, site.probe.hostProcess, async () => {
						const { value } = await site.probe.tell({ do: 'heap' });
						return typeof value === 'number' ? value / 2 ** 20 : undefined;
					}),
				),
				this.sample('local service', ownService.pid, () => this.heapOf(ownService)),
				...[...service.frontEnds].map(one => this.sample('front end', one.child.pid, () => this.heapOf(one))),
				...[...service.workers].map(one => this.sample('worker', one.child.pid, () => this.heapOf(one))),
			]);
			await next;
		}
		for (const heap of this.heaps.values()) {
			(await heap)?.close();
		}
	}

	/** Returns those that have lived long enough for a slope, each without its first minutes. */
	growths(): Growth[] {
		return [...this.series.values()].flatMap(series => {
			const [first, last] = [series.samples[0]?.minute ?? 0, series.samples.at(-1)?.minute ?? 0];
			const samples = leastOfBlocks(series.samples.filter(({ minute }) => minute - first >= WARM_MINUTES));
			if (last - first < JUDGED_MINUTES || samples.length < 3) {
				return [];
			}
			const { slope, error } = slopeOf(samples);
			const verdict =
				slope - error >= MOST_AN_HOUR ? 'grows' : slope + error < MOST_AN_HOUR ? ('flat' as const) : 'not settled';
			return [{ ...series, samples, minutes: last - first - WARM_MINUTES, slope, error, verdict }];
		});
	}

	findings(): Finding[] {
		return this.growths()
			.filter(({ verdict }) => verdict === 'grows')
			.map(({ what, pid, slope, error, minutes }) => ({
				promise: 'memory',
				what: `${what}, process ${pid}: ${slope.toFixed(1)} ± ${error.toFixed(1)} MB an hour (${minutes.toFixed(0)} minutes)`,
			}));
	}

	private async sample(what: string, pid: number | undefined, heap: () => Promise<number | undefined>): Promise<void> {
		const resident = pid === undefined ? undefined : residentMegabytes(pid);
		if (pid === undefined || resident === undefined) {
			return;
		}
		const minute = (performance.now() - this.began) / 60_000;
		const series = this.series.get(pid) ?? { what, pid, samples: [], resident: [] };
		this.series.set(pid, series);
		series.resident.push(resident);
		// A process that is stopped, or being replaced, does not answer.
		const megabytes = await Promise.race([heap().catch(() => undefined), delay(HEAP_LIMIT_MS, undefined)]);
		if (megabytes !== undefined) {
			series.samples.push({ minute, megabytes });
		}
	}

	private async heapOf(one: Debugged): Promise<number | undefined> {
		const opening = this.heaps.get(one) ?? openHeap(one).catch(() => undefined);
		this.heaps.set(one, opening);
		return (await opening)?.used();
	}
}

function leastOfBlocks(samples: readonly Sample[]): Sample[] {
	const blocks = Map.groupBy(samples, ({ minute }) => Math.floor(minute / BLOCK_MINUTES));
	return [...blocks.values()].flatMap(block =>
		block.reduce((least, one) => (one.megabytes < least.megabytes ? one : least)),
	);
}

/** Returns the slope by least squares in megabytes an hour, and twice its standard error. */
function slopeOf(samples: readonly Sample[]): { slope: number; error: number } {
	const sum = (of: (sample: Sample) => number) => samples.reduce((total, one) => total + of(one), 0);
	const minute = sum(one => one.minute) / samples.length;
	const megabytes = sum(one => one.megabytes) / samples.length;
	const spread = sum(one => (one.minute - minute) ** 2);
	const slope = sum(one => (one.minute - minute) * (one.megabytes - megabytes)) / spread;
	const missed = sum(one => (one.megabytes - megabytes - slope * (one.minute - minute)) ** 2);
	return { slope: slope * 60, error: 120 * Math.sqrt(missed / (samples.length - 2) / spread) };
}
