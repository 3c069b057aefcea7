import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensurePostgres, startPostgres } from '../postgres.ts';
import { prepareSandbox } from './agents.ts';
import { type MochaStage, runMocha } from './mocha.ts';
import type { Totals } from './totals.ts';

/** Runs the tests of the service for a team, which share a PostgreSQL. Without one, all of them are skipped. */
export async function testTeam(stage: Pick<MochaStage, 'files' | 'args' | 'folder' | 'environment'>): Promise<Totals> {
	const tests = { ...stage, jobs: 3 };
	const noPostgres = await ensurePostgres().then(
		() => undefined,
		(error: Error) => error.message,
	);
	const reason = noPostgres ?? (await prepareSandbox());
	if (reason !== undefined) {
		console.log(`  skipped  ${reason.replaceAll(/\s+/g, ' ')}`);
		return runMocha({ ...tests, args: [...stage.args, '--dry-run'] });
	}
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-postgres-'));
	const postgres = await startPostgres(folder, { isDurable: false });
	try {
		return await runMocha({ ...tests, environment: { ...stage.environment, ERRAND_TEST_POSTGRES: postgres.url } });
	} finally {
		await postgres.stop();
		fs.rmSync(folder, { recursive: true, force: true });
	}
}
