// Runs inside the extension host, whose fetch is the one that the task tree really uses.
import process from 'node:process';
import { firstPage, openStore } from './taskListPage.ts';

export async function run(): Promise<void> {
	const server = JSON.parse(process.env['ERRAND_BENCH_SERVER'] ?? '');
	console.log(`bench| ${JSON.stringify(await firstPage(server, openStore(server)))}`);
}
