import os from 'node:os';
import { type Finding, PROMISES, type PromiseName, type Tally } from './activity.ts';
import type { Growth } from './memory.ts';

interface ReportInput {
	seed: number;
	minutes: number;
	withFaults: boolean;
	/** How messages and tasks have ended, by activity. */
	outcomes: Record<string, Record<string, number>>;
	findings: readonly Finding[];
	faults: Tally;
	tally: Tally;
	growths: readonly Growth[];
	/** What this machine does not permit. */
	notDone: readonly string[];
}

/** Returns the report as a page that is read in a minute, and the same as a few lines for a terminal. */
export function reportOf(input: ReportInput): { page: string; text: string } {
	const { seed, minutes, withFaults, outcomes, findings, faults, tally, growths, notDone } = input;
	const head = `${new Date().toISOString().slice(0, 16)}, ${minutes.toFixed(0)} minutes, seed ${seed}${withFaults ? '' : ', without faults'}; ${os.availableParallelism()} cores, ${os.type()} ${os.arch()}, Node ${process.versions.node}`;
	const promises = (Object.entries(PROMISES) as [PromiseName, string][]).map(([name, words]) => {
		const count = findings.filter(({ promise }) => promise === name).length;
		const settled = growths.length > 0 && growths.every(({ verdict }) => verdict !== 'not settled');
		return [words, count > 0 ? `BROKEN ×${count}` : name === 'memory' && !settled ? 'not settled' : 'held'];
	});
	const held = promises.filter(([, verdict]) => verdict === 'held').length;
	const verdict = `${held} of ${promises.length} promises held`;
	const flat = growths.map(one => [
		`${one.what} ${one.pid}`,
		`${one.verdict}: ${one.slope.toFixed(1)} ± ${one.error.toFixed(1)} MB an hour over ${one.minutes.toFixed(0)} minutes, and ${one.slopeOfCode.toFixed(1)} of compiled code; ${one.megabytes.toFixed(0)} MB, resident ${one.resident.toFixed(0)} MB; more: ${one.most.map(([kind, megabytes]) => `${kind} ${megabytes.toFixed(2)}`).join(', ')}`,
	]);
	const ended = Object.entries(outcomes).map(([what, counts]) => [
		what,
		Object.entries(counts)
			.map(([outcome, count]) => `${count} ${outcome}`)
			.join(', '),
	]);
	const sections: [string, string[][]][] = [
		['Promises', promises],
		['Findings', findings.map(({ promise, what }) => [promise, what])],
		['Memory after the first ten minutes, in processes that have lived for twenty', flat],
		['Faults', counted(faults)],
		['How it has ended', ended],
		['Not done here', notDone.map(what => [what, ''])],
		['What was done, in all windows', counted(tally)],
	];
	const shown = sections.filter(([, rows]) => rows.length > 0);
	const text = [
		`Soak: ${verdict}. ${head}`,
		...shown.map(([title, rows]) => `\n${title}\n${rows.map(([what, value]) => `  ${what}: ${value}`).join('\n')}`),
	].join('\n');
	const page = `<!doctype html><meta charset="utf-8"><title>Soak ${seed}</title>
<style>body{font:14px sans-serif;max-width:70em;margin:1em auto;columns:2}h1,header{column-span:all;margin:.2em 0}
h2{font-size:1em;margin:1em 0 .2em}section{break-inside:avoid}td{padding:.1em 1em .1em 0;vertical-align:top}
.broken{color:#b00;font-weight:bold}td+td{white-space:pre-wrap}</style>
<h1 class="${held < promises.length ? 'broken' : ''}">${verdict}</h1><header>${html(head)}</header>
${shown.map(([title, rows]) => `<section><h2>${html(title)}</h2>${table(rows)}</section>`).join('\n')}
`;
	return { page, text };
}

/** Adds up what the windows have in common. */
function counted({ counts }: Tally): string[][] {
	const sums = new Map<string, number>();
	for (const [what, count] of counts) {
		const common = what.replace(/ \(\w+\)$/, '');
		sums.set(common, (sums.get(common) ?? 0) + count);
	}
	return [...sums].sort().map(([what, count]) => [what, String(count)]);
}

const table = (rows: readonly string[][]): string =>
	`<table>${rows.map(([what = '', value = '']) => `<tr><td>${html(what)}<td class="${/^(?:BROKEN|grows)/.test(value) ? 'broken' : ''}">${html(value)}`).join('')}</table>`;

function html(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
