// npm run fuzz -- <minutes> [target]: gives every target hostile inputs for as long, or only one. The seed is printed.
import process from 'node:process';
import { ensurePostgres } from '../../scripts/postgres.ts';
import { fuzz } from './fuzzer.ts';
import { teamRoutes } from './targets/team.ts';
import { targets } from './targets.ts';

const all = [...targets, teamRoutes];
const [minutes = '', name] = process.argv.slice(2);
const chosen = all.filter(target => name === undefined || target.name === name);
if (!(Number(minutes) > 0) || chosen.length === 0) {
	process.stderr.write(
		`Usage: npm run fuzz -- <minutes> [target]. Targets: ${all.map(target => target.name).join(', ')}\n`,
	);
	process.exit(2);
}
const seed = Number(process.env['ERRAND_TEST_SEED'] ?? Date.now() % 1_000_000);
for (const target of chosen) {
	try {
		await (target === teamRoutes ? ensurePostgres() : undefined);
		const end = performance.now() + (Number(minutes) * 60_000) / chosen.length;
		const count = await fuzz(target, { seed, goesOn: () => performance.now() < end });
		process.stdout.write(`${target.name}: ${count} inputs with seed ${seed}\n`);
	} catch (error) {
		process.exitCode = 1;
		process.stdout.write(`${error instanceof Error ? error.message : error}\n`);
	}
	await target.stop?.();
}
