import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { BenchRow } from '../bench/row.ts';

interface Bench {
	rows(): Promise<BenchRow[]>;
}

const folder = path.resolve(import.meta.dirname, '..', 'bench');
const columns = ['goal', 'what', 'ours', 'peers', 'ratio', 'met', 'reason'] as const;

/** Runs the benches whose names hold one of the arguments, or all. Only a run of all is kept. */
async function main(wanted: string[]): Promise<void> {
	const files = fs.readdirSync(folder).filter(file => file.endsWith('.bench.ts'));
	const chosen = files.filter(file => wanted.length === 0 || wanted.some(name => file.includes(name))).sort();
	const rows: BenchRow[] = [];
	for (const file of chosen) {
		console.log(`== ${file}`);
		const bench = (await import(path.join(folder, file))) as Bench;
		try {
			rows.push(...(await bench.rows()));
		} catch (error) {
			process.exitCode = 1;
			const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
			rows.push({ goal: '', what: file, ours: '', peers: '', ratio: '', met: 'no', reason: `did not run: ${reason}` });
		}
	}
	rows.sort((one, other) => Number(one.goal) - Number(other.goal));
	const table = markdown(rows);
	console.log(`\n${table}`);
	if (wanted.length === 0) {
		fs.writeFileSync(path.join(folder, 'RESULTS.md'), `${heading()}\n${table}\n`);
		console.log('\nWritten to bench/RESULTS.md.');
	}
}

function heading(): string {
	const machine = `${os.availableParallelism()} cores, Node ${process.versions.node}, ${process.platform}-${process.arch}`;
	return `# Results of the last \`npm run bench\`\n\n${new Date().toISOString().slice(0, 10)}, ${machine}.\n`;
}

function markdown(rows: BenchRow[]): string {
	const cells = rows.map(row => columns.map(column => (row[column] ?? '').replaceAll('|', '\\|')));
	const widths = columns.map((column, index) => Math.max(column.length, ...cells.map(row => row[index]?.length ?? 0)));
	const line = (row: readonly string[]) =>
		`| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
	return [line(columns), line(widths.map(width => '-'.repeat(width))), ...cells.map(line)].join('\n');
}

await main(process.argv.slice(2));
