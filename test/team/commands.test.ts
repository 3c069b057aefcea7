import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { TeamProcesses } from '../support/teamProcesses.ts';
import { useTeamDatabase } from '../support/useTeamDatabase.ts';

describe('the commands of operators', () => {
	const database = useTeamDatabase();
	let team: TeamProcesses;
	const run = (line: string, input?: string) => team.run(line.split(' '), input);

	before(async () => {
		const sources = [{ scm: 'forge', kind: 'gitea', api: 'https://forge.example/api/v1' }];
		team = await TeamProcesses.create(database.url, { sources });
	});
	after(() => team.stop());

	it('add users, teams and members', async () => {
		assert.match(await run('user add ada --email ada@example.com'), /ada/);
		assert.match(await run('team add engines'), /engines/);
		assert.match(await run('team join engines ada'), /ada is a member of engines/);
		await assert.rejects(run('user add ada'), /There is a user ada already/);
		await assert.rejects(run('team join engines bob'), /There is no user bob/);
		await assert.rejects(run('team join others ada'), /There is no team others/);
	});

	it('end a membership, and refuse to end one that is not there', async () => {
		assert.match(await run('team leave engines ada'), /no longer a member of engines/);
		assert.equal((await database.pool.query('SELECT FROM members')).rowCount, 0);
		await assert.rejects(run('team leave engines ada'), /ada is no member of a team engines/);
		await assert.rejects(run('team leave engines bob'), /There is no user bob/);
	});

	it('print a token alone, list it without itself, and revoke it once', async () => {
		const token = await run('token add ada');
		assert.match(token, /^sk-errand-[\w-]{43}$/);
		const list = await run('token list ada');
		assert.ok(!list.includes(token));
		const [id = ''] = list.split('\t');
		assert.match(list, /in force/);
		await run(`token revoke ${id}`);
		assert.match(await run('token list ada'), /revoked/);
		await assert.rejects(run(`token revoke ${id}`), /There is no token/);
		await assert.rejects(run('token add bob'), /There is no user bob/);
	});

	it("keep a user's token for a source host of the configuration, and seal it anew", async () => {
		const configured = `--config ${team.configuration}`;
		await run(`source set ada forge ${configured}`, 'secret-of-ada\n');
		await assert.rejects(run(`source set ada hub ${configured}`, 'x'), /no source host hub\. It has: forge/);
		await assert.rejects(run(`source set bob forge ${configured}`, 'x'), /There is no user bob/);
		for (const input of ['', 'two words', 'two\nlines']) {
			await assert.rejects(run(`source set ada forge ${configured}`, input), /standard input/);
		}
		const before = await database.pool.query('SELECT key_id AS id FROM source_tokens');
		assert.match(await run('keys rotate'), /Sealed 0 tokens/);
		team.addKey(randomBytes(32).toString('base64'));
		assert.match(await run('keys rotate'), /Sealed 1 tokens/);
		const after = await database.pool.query('SELECT key_id AS id FROM source_tokens');
		assert.notEqual(after.rows[0]?.id, before.rows[0]?.id);
	});

	it("forget a user's token for a source host, once", async () => {
		await run(`source set ada forge --config ${team.configuration}`, 'secret-of-ada\n');
		assert.match(await run('source remove ada forge'), /no longer kept/);
		assert.equal((await database.pool.query('SELECT FROM source_tokens')).rowCount, 0);
		await assert.rejects(run('source remove ada forge'), /No token of ada for a source host forge/);
		await assert.rejects(run('source remove bob forge'), /There is no user bob/);
	});

	it('say in a sentence what stands in their way', async () => {
		const other = new URL(database.url);
		other.pathname = '/no_such_database';
		await assert.rejects(run(`user add x --database ${other.href}`), /database cannot be reached/);
		other.port = '1';
		await assert.rejects(run(`user add x --database ${other.href}`), /database cannot be reached/);
		await assert.rejects(run('user add x --database mysql://x'), /postgres:\/\//);
		await assert.rejects(run('serve --config no-such-file.json'), /no-such-file\.json cannot be read/);
		await assert.rejects(run('serve --listen 0.0.0.0:0'), /Without TLS/);
	});
});
