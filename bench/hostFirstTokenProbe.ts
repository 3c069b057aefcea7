// Runs inside the extension host, whose transport is the one that the extension really uses.
import process from 'node:process';
import { hostFetch, ours, rawSocket } from './firstToken.ts';

const variants = {
	floor: rawSocket,
	fetch: hostFetch,
	ours: (address: string) => ours(address),
	warmed: (address: string) => ours(address, { warm: true }),
};

export async function run(): Promise<void> {
	const address = process.env['ERRAND_BENCH_ADDRESS'] ?? '';
	const variant = process.env['ERRAND_BENCH_VARIANT'] as keyof typeof variants;
	console.log(`bench| ${JSON.stringify(await variants[variant](address))}`);
}
