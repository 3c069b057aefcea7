import assert from 'node:assert/strict';
import { Workers } from '../../src/team/database/workers.ts';
import { useTeamDatabase } from '../support/useTeamDatabase.ts';

describe('the agents of all workers', () => {
	const database = useTeamDatabase();

	it('are each there once, with every model that a worker has for it, as long as that is there', async () => {
		const workers = new Workers(database.pool);
		const agent = (id: string, ...models: [string, ...string[]]) => ({ id, label: id.toUpperCase(), models });
		assert.deepEqual(await workers.agents(), []);
		await workers.tell({ id: 'one', slots: 1, agents: [agent('errand', 'm', 'n'), agent('demo', 'demo')] });
		await workers.tell({ id: 'two', slots: 1, agents: [agent('errand', 'n', 'o'), agent('pi', 'm')] });
		assert.deepEqual(await workers.agents(), [agent('errand', 'm', 'n', 'o'), agent('demo', 'demo'), agent('pi', 'm')]);
		await workers.remove('one');
		assert.deepEqual(await workers.agents(), [agent('errand', 'n', 'o'), agent('pi', 'm')]);
	});
});
