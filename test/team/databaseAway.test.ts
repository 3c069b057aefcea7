import assert from 'node:assert/strict';
import { nullLogger } from '../../src/base/logger.ts';
import { parseConfiguration } from '../../src/team/configuration.ts';
import { migrate } from '../../src/team/database/migrations.ts';
import { People } from '../../src/team/database/people.ts';
import { openPool } from '../../src/team/database/pool.ts';
import { Secrets } from '../../src/team/secrets.ts';
import { serve } from '../../src/team/serve/serve.ts';
import { startOwnPostgres } from '../support/useTeamDatabase.ts';

describe('a front end whose database is away', () => {
	it('answers that it is, without a cause for whoever has no token, and stops all the same', async () => {
		const postgres = await startOwnPostgres();
		const pool = openPool(postgres.url, nullLogger);
		await migrate(pool);
		const people = new People(pool);
		await people.addUser('ada');
		const { token } = await people.addToken('ada');
		await pool.end();
		const frontEnd = await serve({
			databaseUrl: postgres.url,
			configuration: parseConfiguration('{}', {}),
			secrets: new Secrets(Buffer.alloc(32).toString('base64')),
			listen: { host: '127.0.0.1', port: 0 },
			metrics: undefined,
			version: '1.0.0',
			logger: () => nullLogger,
		});
		const ask = (target: string) => fetch(frontEnd.address + target, { headers: { authorization: `Bearer ${token}` } });
		assert.equal((await ask('/api/tasks')).status, 200);
		await postgres.stop();
		const refused = await ask('/api/tasks');
		assert.equal(refused.status, 503);
		assert.ok(Number(refused.headers.get('retry-after')) > 0);
		assert.match(((await refused.json()) as { error: string }).error, /database/);
		assert.equal((await ask('/health')).status, 200);
		const ready = await ask('/ready');
		assert.equal(ready.status, 503);
		assert.doesNotMatch(await ready.text(), /127\.0\.0\.1|ECONN/);
		await frontEnd.stop();
	});
});
