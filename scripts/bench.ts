import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { BenchRow } from '../bench/row.ts';

interface Bench {
	rows(): Promise<BenchRow[]>;
}

/** A row of the table: a result of a bench, with the bench's name and the date. */
interface ResultRow extends BenchRow {
	bench: string;
	day: string;
}

const folder = path.resolve(import.meta.dirname, '..', 'bench');
const resultsFile = path.join(folder, 'RESULTS.md');
const columns = ['goal', 'what', 'ours', 'peers', 'ratio', 'met', 'reason', 'bench', 'day'] as const;

/** Runs the benches whose names contain one of the arguments, or all. The results of each replace its previous ones. */
async function main(wanted: string[]): Promise<void> {
	const benches = fs.globSync('*.bench.ts', { cwd: folder }).map(file => path.basename(file, '.bench.ts'));
	const chosen = benches.filter(name => wanted.length === 0 || wanted.some(part => name.includes(part))).sort();
	const day = new Date().toISOString().slice(0, 10);
	const rows: ResultRow[] = [];
	const failures: string[] = [];
	for (const bench of chosen) {
		console.log(`== ${bench}`);
		const begin = performance.now();
		const { rows: run } = (await import(path.join(folder, `${bench}.bench.ts`))) as Bench;
		try {
			rows.push(...(await run()).map(row => ({ ...row, bench, day })));
		} catch (error) {
			process.exitCode = 1;
			failures.push(`${bench} did not run: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
		}
		console.log(`   ${Math.round((performance.now() - begin) / 1000)} s`);
	}
	console.log(`\n${[table(rows), ...failures].join('\n')}`);
	// The rows of a removed bench are dropped, and a bench that did not run keeps its previous rows.
	const measured = new Set(rows.map(({ bench }) => bench));
	const kept = readTable().filter(({ bench }) => benches.includes(bench) && !measured.has(bench));
	fs.writeFileSync(resultsFile, `${heading()}\n${table([...kept, ...rows])}\n`);
	console.log('\nWritten to bench/RESULTS.md.');
}

function heading(): string {
	const machine = `${os.availableParallelism()} cores, Node ${process.versions.node}, ${process.platform}-${process.arch}`;
	return `# Results of the last run of each bench\n\n${machine}. Only the ratios inside one run count.\n`;
}

function table(rows: ResultRow[]): string {
	const sorted = rows.toSorted((one, other) => Number(one.goal) - Number(other.goal));
	const cells = sorted.map(row => columns.map(column => (row[column] ?? '').replaceAll('|', '\\|')));
	const widths = columns.map((column, index) => Math.max(column.length, ...cells.map(row => row[index]?.length ?? 0)));
	const line = (row: readonly string[]) =>
		`| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
	return [line(columns), line(widths.map(width => '-'.repeat(width))), ...cells.map(line)].join('\n');
}

/** Reads the table that was written last, without rows that have other columns. */
function readTable(): ResultRow[] {
	const lines = fs.existsSync(resultsFile) ? fs.readFileSync(resultsFile, 'utf8').split('\n') : [];
	return lines
		.map(line => line.split(/(?<!\\)\|/).slice(1, -1))
		.filter(cells => cells.length === columns.length && /\d/.test(cells[0] ?? ''))
		.map(cells => {
			const texts = cells.map((cell, index) => [columns[index], cell.trim().replaceAll('\\|', '|')]);
			return Object.fromEntries(texts) as ResultRow;
		});
}

await main(process.argv.slice(2));
