import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { People } from '../../src/team/database/people.ts';
import { SourceTokens } from '../../src/team/database/sourceTokens.ts';
import { type OfferedAgent, Workers } from '../../src/team/database/workers.ts';
import { Secrets } from '../../src/team/secrets.ts';
import { useTeamDatabase } from '../support/useTeamDatabase.ts';
import { waitFor } from '../support/waitFor.ts';

describe('People', () => {
	const database = useTeamDatabase();
	let people: People;
	before(() => {
		people = new People(database.pool);
	});

	it('knows a user by a token until that is revoked, with the teams of the user at that time', async () => {
		const ann = await people.addUser('ann', 'ann@example.com');
		const { id, token } = await people.addToken('ann');
		const other = await people.addToken('ann');
		assert.match(token, /^sk-errand-[\w-]{43}$/);
		assert.deepEqual(await people.userOfToken(token), ann);
		const team = await people.addTeam('tools');
		await people.join('tools', 'ann');
		await people.join('tools', 'ann');
		assert.deepEqual((await people.userOfToken(token))?.teams, [team]);
		assert.deepEqual(await people.user('ann'), { ...ann, teams: [team] });
		await people.revokeToken(id);
		assert.equal(await people.userOfToken(token), undefined);
		assert.equal((await people.userOfToken(other.token))?.id, ann.id);
		const tokens = await people.tokensOf('ann');
		assert.deepEqual(
			tokens.map(({ id, revokedAt }) => [id, revokedAt === null]).sort(),
			[
				[id, false],
				[other.id, true],
			].sort(),
		);
		for (const wrong of ['', 'sk-errand-', `${other.token}x`, other.token.toUpperCase(), id, '\0']) {
			assert.equal(await people.userOfToken(wrong), undefined);
		}
	});

	it('keeps no token', async () => {
		await people.addUser('bob');
		const { token } = await people.addToken('bob');
		const { rows } = await database.pool.query('SELECT row_to_json(tokens)::text AS text FROM tokens');
		const secret = token.slice('sk-errand-'.length);
		for (const { text } of rows) {
			assert.ok(!text.includes(secret) && !text.includes(Buffer.from(secret, 'base64url').toString('hex')));
		}
	});

	it('refuses names that are taken, unknown or none, in a sentence', async () => {
		await people.addUser('cid');
		await people.addTeam('docs');
		const refusals: [() => Promise<unknown>, RegExp][] = [
			[() => people.addUser('cid'), /There is a user cid already\./],
			[() => people.addTeam('docs'), /There is a team docs already\./],
			[() => people.addUser(''), /A name has 1 to 100 visible characters/],
			[() => people.addUser(' x'), /A name has/],
			[() => people.addUser('x\0'), /A name has/],
			[() => people.addTeam('x\n'), /A name has/],
			[() => people.addUser('x'.repeat(101)), /A name has/],
			[() => people.join('docs', 'nobody'), /There is no user nobody\./],
			[() => people.join('nothing', 'cid'), /There is no team nothing\./],
			[() => people.addToken('nobody'), /There is no user nobody\./],
			[() => people.tokensOf('nobody'), /There is no user nobody\./],
			[() => people.revokeToken('nothing'), /There is no token nothing in force\./],
		];
		for (const [refused, sentence] of refusals) {
			await assert.rejects(refused, sentence);
		}
	});

	it('counts the requests of each user in a minute', async () => {
		const { id } = await people.addUser('dan');
		const { id: other } = await people.addUser('eve');
		await waitFor('a time away from the end of a minute', async () => {
			const { rows } = await database.pool.query('SELECT extract(second FROM now()) < 55 AS away');
			return rows[0]?.away;
		});
		const counts = await Promise.all(Array.from({ length: 10 }, () => people.countRequest(id)));
		assert.deepEqual(
			counts.map(({ count }) => count).sort((a, b) => a - b),
			[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
		);
		assert.ok(counts.every(({ secondsLeft }) => secondsLeft >= 1 && secondsLeft <= 60));
		assert.equal((await people.countRequest(other)).count, 1);
		await database.pool.query("UPDATE requests SET minute = minute - interval '1 minute'");
		assert.equal((await people.countRequest(id)).count, 1);
		assert.equal(await people.costThisMonth(id), 0);
	});
});

describe('SourceTokens', () => {
	const database = useTeamDatabase();
	const keys = [0, 1].map(() => randomBytes(32).toString('base64'));

	it('keeps a token of each user for each host, which no other key, user or host opens', async () => {
		const people = new People(database.pool);
		const [ann, bob] = [await people.addUser('ann'), await people.addUser('bob')];
		const tokens = new SourceTokens(database.pool, new Secrets(keys[0]));
		await tokens.set(ann.id, 'github', 'first');
		await tokens.set(ann.id, 'github', 'second');
		await tokens.set(ann.id, 'forge', 'other');
		assert.equal(await tokens.get(ann.id, 'github'), 'second');
		assert.equal(await tokens.get(ann.id, 'forge'), 'other');
		assert.equal(await tokens.get(bob.id, 'github'), undefined);
		const { rows } = await database.pool.query('SELECT sealed FROM source_tokens');
		assert.ok(rows.every(({ sealed }) => !sealed.includes('second') && !sealed.includes('other')));
		// Somebody who can write to the database gives a token to another user.
		await database.pool.query(
			'INSERT INTO source_tokens SELECT $1, scm, key_id, sealed FROM source_tokens WHERE user_id = $2',
			[bob.id, ann.id],
		);
		await assert.rejects(tokens.get(bob.id, 'github'), /cannot be opened/);
		await database.pool.query('DELETE FROM source_tokens WHERE user_id = $1', [bob.id]);

		const newer = new SourceTokens(database.pool, new Secrets(`${keys[1]},${keys[0]}`));
		assert.equal(await newer.get(ann.id, 'github'), 'second');
		assert.equal(await newer.rotate(), 2);
		assert.equal(await newer.rotate(), 0);
		const newest = new SourceTokens(database.pool, new Secrets(keys[1]));
		assert.equal(await newest.get(ann.id, 'github'), 'second');
		await assert.rejects(tokens.get(ann.id, 'github'), /ERRAND_SERVICE_KEYS does not have/);
		await assert.rejects(tokens.rotate(), /ERRAND_SERVICE_KEYS does not have/);
		assert.equal(await newest.get(ann.id, 'forge'), 'other');
	});
});

describe('Workers', () => {
	const database = useTeamDatabase();

	it('are there for a minute after they were last seen, or until they leave', async () => {
		const workers = new Workers(database.pool);
		const agent = (id: string): OfferedAgent => ({ id, label: id, models: ['m'] });
		await workers.tell({ id: 'a', slots: 1, agents: [] });
		await workers.tell({ id: 'b', slots: 2, agents: [agent('demo')] });
		await workers.tell({ id: 'a', slots: 4, agents: [agent('errand')] });
		assert.deepEqual(await workers.agents(), [agent('errand'), agent('demo')]);
		await workers.remove('b');
		assert.deepEqual(await workers.agents(), [agent('errand')]);
		await database.pool.query("UPDATE workers SET seen_at = now() - interval '61 seconds'");
		assert.deepEqual(await workers.agents(), []);
		await database.pool.query("UPDATE workers SET seen_at = now() - interval '25 hours'");
		await workers.tell({ id: 'c', slots: 1, agents: [] });
		const { rows } = await database.pool.query('SELECT id FROM workers');
		assert.deepEqual(rows, [{ id: 'c' }]);
	});
});
