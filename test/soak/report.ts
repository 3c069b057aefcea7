import os from 'node:os';
import { type Finding, PROMISES, type PromiseName, type Tally } from './activity.ts';
import type { Slope } from './memory.ts';

const CHART = { width: 240, height: 32 };

interface ReportInput {
	seed: number;
	minutes: number;
	withFaults: boolean;
	/** How messages and tasks have ended, by activity. */
	outcomes: Record<string, Record<string, number>>;
	findings: readonly Finding[];
	faults: Tally;
	tally: Tally;
	slopes: readonly Slope[];
	/** What this machine does not permit. */
	notDone: readonly string[];
}

/** Returns the report as a page, and the same as a few lines for a terminal. */
export function reportOf(input: ReportInput): { page: string; text: string } {
	const { seed, minutes, withFaults, outcomes, findings, faults, tally, slopes, notDone } = input;
	const head = `${new Date().toISOString().slice(0, 16)}, ${minutes.toFixed(0)} minutes, seed ${seed}${withFaults ? '' : ', without faults'}; ${os.availableParallelism()} cores, ${os.type()} ${os.arch()}, Node ${process.versions.node}`;
	const of = (promise: PromiseName) => findings.filter(finding => finding.promise === promise);
	const verdict = (promise: PromiseName) => {
		const count = of(promise).length;
		if (count > 0) {
			return `BROKEN, ${count} times`;
		}
		return promise === 'memory' && !slopes.some(({ isJudged }) => isJudged)
			? 'not seen: nothing lived long enough'
			: 'held';
	};
	const promises = (Object.entries(PROMISES) as [PromiseName, string][]).map(([name, words]) => [words, verdict(name)]);
	const counted = ({ counts }: Tally) => [...counts].sort().map(([what, count]) => [what, String(count)]);
	const ended = Object.entries(outcomes)
		.filter(([, counts]) => Object.keys(counts).length > 0)
		.map(([what, counts]) => [
			what,
			Object.entries(counts)
				.map(([outcome, count]) => `${count} ${outcome}`)
				.join(', '),
		]);
	const flat = slopes.map(({ series, slope, minutes: length, samples, isJudged }) => [
		`${series.what}, ${series.measure === 'heap' ? 'heap after a collection' : 'floor of the resident memory'}`,
		`${slope.toFixed(1)} MB an hour over ${length.toFixed(0)} minutes, ${samples.at(-1)?.megabytes.toFixed(0)} MB at the end${isJudged ? '' : '; too short to judge'}`,
	]);
	const sections: [string, string[][]][] = [
		['Promises', promises],
		['What was done', counted(tally)],
		['How it has ended', ended],
		['Faults', counted(faults)],
		['Memory, without the first ten minutes of each process', flat],
		['Not done here', notDone.map(what => [what, ''])],
	];
	const text = [
		`Soak: ${head}`,
		...sections
			.filter(([, rows]) => rows.length > 0)
			.map(([title, rows]) => `\n${title}\n${rows.map(([what, value]) => `  ${what}: ${value}`).join('\n')}`),
		...(findings.length > 0 ? ['\nFindings', ...findings.map(({ promise, what }) => `  ${promise}: ${what}`)] : []),
	].join('\n');
	const table = (rows: readonly string[][]) =>
		`<table>${rows.map(([what = '', value = '']) => `<tr><td>${html(what)}<td class="${/^BROKEN/.test(value) ? 'broken' : ''}">${html(value)}`).join('')}</table>`;
	const charts = slopes.map(
		({ series, samples }) =>
			`<figure>${chart(samples)}<figcaption>${html(series.what)} ${series.pid}</figcaption></figure>`,
	);
	const found = findings.map(({ promise, what }) => `<li><b>${html(PROMISES[promise])}</b>: ${html(what)}`);
	const page = `<!doctype html><meta charset="utf-8"><title>Soak ${seed}</title>
<style>body{font:14px sans-serif;max-width:60em;margin:2em auto}td{padding:.1em 1em .1em 0;vertical-align:top}
.broken{color:#b00;font-weight:bold}figure{display:inline-block;margin:.5em}li{white-space:pre-wrap}</style>
<h1>Soak</h1><p>${html(head)}
${sections
	.filter(([, rows]) => rows.length > 0)
	.map(([title, rows]) => `<h2>${html(title)}</h2>${table(rows)}`)
	.join('\n')}
${charts.join('')}
${found.length > 0 ? `<h2>Findings</h2><ul>${found.join('')}</ul>` : ''}
`;
	return { page, text };
}

function chart(samples: readonly { minute: number; megabytes: number }[]): string {
	const least = Math.min(...samples.map(({ megabytes }) => megabytes));
	const most = Math.max(...samples.map(({ megabytes }) => megabytes));
	const [first = 0, last = 1] = [samples[0]?.minute, samples.at(-1)?.minute];
	const points = samples.map(({ minute, megabytes }) => {
		const x = ((minute - first) / (last - first || 1)) * CHART.width;
		const y = CHART.height - ((megabytes - least) / (most - least || 1)) * CHART.height;
		return `${x.toFixed(0)},${y.toFixed(0)}`;
	});
	const words = `${least.toFixed(1)} to ${most.toFixed(1)} MB`;
	return `<svg width="${CHART.width}" height="${CHART.height + 14}" role="img"><title>${words}</title><polyline fill="none" stroke="#36c" points="${points.join(' ')}"/><text y="${CHART.height + 12}" font-size="11">${words}</text></svg>`;
}

function html(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
