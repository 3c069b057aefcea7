import { setTimeout as delay } from 'node:timers/promises';
import { type Debugged, type HeapContents, openHeap, startDebugger } from '../support/inspectedHeap.ts';
import type { Finding } from './activity.ts';
import { residentMegabytes } from './processes.ts';
import type { Sites } from './sites.ts';

const LOOK_LIMIT_MS = 60_000;
/** The time in which a program grows to its size. */
const WARM_MINUTES = 10;
/** The slope of a shorter life says little of an hour. */
const JUDGED_MINUTES = 20;
const FEWEST_LOOKS = 4;
const MOST_AN_HOUR = 2;
const KINDS_TOLD = 4;

/** The contents of a process's heap in a quiet time. */
interface Look {
	minute: number;
	contents: HeapContents;
	/** In megabytes. It is told and not judged: the system takes little of it back. */
	resident: number;
}

interface Series {
	what: string;
	pid: number;
	looks: Look[];
}

/** How the memory of a process has grown after its first minutes, in megabytes an hour, by least squares. */
export interface Growth {
	what: string;
	pid: number;
	minutes: number;
	/** The growth without compiled code, which stops by itself, and twice its standard error. */
	slope: number;
	error: number;
	slopeOfCode: number;
	megabytes: number;
	resident: number;
	/** The kinds of objects that have grown most, in megabytes. */
	most: [kind: string, megabytes: number][];
	verdict: 'flat' | 'grows' | 'not settled';
}

/** Looks in quiet times at the memory of all processes that should keep theirs flat. */
export class Memory {
	private readonly series = new Map<number, Series>();
	private readonly sites: Sites;
	private readonly began = performance.now();

	constructor(sites: Sites) {
		this.sites = sites;
	}

	/** Looks at one process after another, because each look takes much of the machine. */
	async look(): Promise<void> {
		const { windows, ownService, service } = this.sites;
		for (const site of windows) {
			await this.lookAt(`extension host (${site.name})`, site.probe.hostProcess, async () => {
				const { value } = await site.probe.tell({ do: 'debug' });
				return String(value);
			});
		}
		const programs: [string, Debugged & { pid?: number | undefined }][] = [
			['local service', ownService],
			...[...service.frontEnds].map((one): [string, Debugged] => ['front end', one]),
			...[...service.workers].map((one): [string, Debugged] => ['worker', one]),
		];
		for (const [what, program] of programs) {
			await this.lookAt(what, program.pid ?? program.child.pid, () => startDebugger(program));
		}
	}

	/** Returns those that have lived long enough for a slope. */
	growths(): Growth[] {
		return [...this.series.values()].flatMap(({ what, pid, looks }) => {
			const began = looks[0]?.minute ?? 0;
			const warm = looks.filter(({ minute }) => minute - began >= WARM_MINUTES);
			const [first, last] = [warm[0], warm.at(-1)];
			if (!first || !last || last.minute - began < JUDGED_MINUTES || warm.length < FEWEST_LOOKS) {
				return [];
			}
			const { slope, error } = slopeOf(warm.map(({ minute, contents }) => [minute, restOf(contents)]));
			const ofCode = slopeOf(warm.map(({ minute, contents }) => [minute, contents.code / 2 ** 20]));
			const most = [...last.contents.byKind]
				.map(([kind, bytes]): [string, number] => [kind, (bytes - (first.contents.byKind.get(kind) ?? 0)) / 2 ** 20])
				.sort(([, one], [, other]) => other - one)
				.slice(0, KINDS_TOLD);
			return {
				...{ what, pid, slope, error, most, slopeOfCode: ofCode.slope, resident: last.resident },
				minutes: last.minute - first.minute,
				megabytes: restOf(last.contents) + last.contents.code / 2 ** 20,
				verdict:
					slope - error >= MOST_AN_HOUR ? 'grows' : slope + error < MOST_AN_HOUR ? ('flat' as const) : 'not settled',
			};
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

	/** A process that is being replaced does not answer, and is left out. */
	private async lookAt(what: string, pid: number | undefined, debuggerOf: () => Promise<string>): Promise<void> {
		const resident = pid === undefined ? undefined : residentMegabytes(pid);
		if (pid === undefined || resident === undefined) {
			return;
		}
		const looking = async () => {
			const heap = await openHeap(await debuggerOf());
			return heap.contents().finally(() => heap.close());
		};
		const contents = await Promise.race([
			looking().catch(() => undefined),
			delay(LOOK_LIMIT_MS, undefined, { ref: false }),
		]);
		if (contents !== undefined) {
			const series = this.series.get(pid) ?? { what, pid, looks: [] };
			this.series.set(pid, series);
			series.looks.push({ minute: (performance.now() - this.began) / 60_000, contents, resident });
		}
	}
}

const restOf = ({ byKind }: HeapContents): number =>
	[...byKind.values()].reduce((total, bytes) => total + bytes, 0) / 2 ** 20;

/** Returns the slope by least squares in megabytes an hour, and twice its standard error. */
function slopeOf(points: readonly [minute: number, megabytes: number][]): { slope: number; error: number } {
	const sum = (of: (minute: number, megabytes: number) => number) =>
		points.reduce((total, point) => total + of(...point), 0);
	const [minutes, megabytes] = [sum(x => x) / points.length, sum((_, y) => y) / points.length];
	const spread = sum(x => (x - minutes) ** 2);
	const slope = sum((x, y) => (x - minutes) * (y - megabytes)) / spread;
	const missed = sum((x, y) => (y - megabytes - slope * (x - minutes)) ** 2);
	return { slope: slope * 60, error: 120 * Math.sqrt(missed / (points.length - 2) / spread) };
}
