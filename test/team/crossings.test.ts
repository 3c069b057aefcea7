// What belongs to one user and is asked for by another. None of these requests may succeed, or tell that there is
// something.
import assert from 'node:assert/strict';
import { SourceHostServer } from '../support/sourceHostServer.ts';
import { type Caller, useFrontEnd } from '../support/useFrontEnd.ts';

interface TaskReply {
	task: { id: string; userId: string; teamId: string | null; creatorName: string };
}

describe('what belongs to another user', () => {
	const test = useFrontEnd();
	let host: SourceHostServer;
	/** Ada makes the tasks. Bob is in her team; Cyn is in another, and has a token for the source host too; Dan has none. */
	let ada: Caller;
	let bob: Caller;
	let cyn: Caller;
	let dan: Caller;
	const repoUrl = () => `${host.clone}/ada/notes`;

	before(async () => {
		host = await SourceHostServer.start({
			kind: 'gitea',
			accounts: ['ada', 'bob', 'cyn'].map(login => ({ login, token: `${login}-token` })),
			repositories: [
				{ owner: 'ada', name: 'notes', writers: ['ada'], isPrivate: true, branches: ['main', 'secret-plan'] },
				{ owner: 'ada', name: 'open', writers: ['ada'], branches: ['main'] },
			],
		});
		await test.team.people.addTeam('engines');
		await test.team.people.addTeam('others');
		ada = await test.caller('ada', ['engines']);
		bob = await test.caller('bob', ['engines']);
		cyn = await test.caller('cyn', ['others']);
		dan = await test.caller('dan');
		for (const { user } of [ada, bob, cyn]) {
			await test.tokens.set(user.id, 'forge', `${user.name}-token`);
		}
		await test.start({
			sources: [{ scm: 'forge', kind: 'gitea', api: host.api, clone: host.clone }],
			limits: { tasksAtOnce: 1_000 },
		});
	});
	after(() => host.stop());

	async function create(fields: object = {}): Promise<string> {
		const response = await ada.ask('/api/tasks', { json: { prompt: 'Mind the loom', repoUrl: repoUrl(), ...fields } });
		const text = await response.text();
		assert.equal(response.status, 200, text);
		return (JSON.parse(text) as TaskReply).task.id;
	}

	/** Ends a task with a branch, as a worker would. */
	async function complete(taskId: string): Promise<void> {
		const attempt = { taskId, position: 0, turn: 1, attempt: 1 };
		await test.team.attempts.begin(attempt);
		const change = { status: 'completed', progress: 100, branchName: 'errand/notes' } as const;
		await test.team.attempts.write(attempt, { sent: 0, entries: [], change });
	}

	type Action = (caller: Caller, id: string) => Promise<Response>;
	const actions: readonly [string, Action][] = [
		['read', (caller, id) => caller.ask(`/api/tasks/${id}`)],
		['follow', (caller, id) => caller.ask(`/api/tasks/${id}/stream`)],
		['follow from an index', (caller, id) => caller.ask(`/api/tasks/${id}/stream?fromIndex=5&includeStatus=false`)],
		['stop', (caller, id) => caller.ask(`/api/tasks/${id}`, { method: 'PATCH', json: { action: 'stop' } })],
		['let go on', (caller, id) => caller.ask(`/api/tasks/${id}/continue`, { json: { currentPrompt: 'x' } })],
	];
	for (const [what, action] of actions) {
		it(`is no task to ${what}, whether of the user or of a team`, async () => {
			for (const id of [await create(), await create({ teamId: 'engines' })]) {
				for (const caller of [cyn, dan]) {
					const response = await action(caller, id);
					assert.equal(response.status, 404);
					assert.deepEqual(await response.json(), { error: 'Task not found' });
				}
				assert.equal((await test.team.tasks.get(id))?.status, 'pending');
			}
			// Being in the same team gives nothing of a task that is none of the team's.
			assert.equal((await action(bob, await create())).status, 404);
		});
	}

	it('is seen by members of its team, who can stop it, and not by others', async () => {
		const id = await create({ teamId: 'engines' });
		const { task } = (await (await bob.ask(`/api/tasks/${id}`)).json()) as TaskReply;
		assert.equal(task.userId, ada.user.id);
		assert.equal(task.creatorName, 'ada');
		assert.equal(task.teamId, ada.user.teams[0]?.id);
		const stopped = await bob.ask(`/api/tasks/${id}`, { method: 'PATCH', json: { action: 'stop' } });
		assert.equal(stopped.status, 200);
		assert.equal((await test.team.tasks.get(id))?.status, 'stopped');
		await test.team.people.leave('engines', 'bob');
		const list: Action = caller => caller.ask('/api/tasks?team=engines');
		for (const [action, status] of [...actions.map(([, one]) => [one, 404] as const), [list, 403] as const]) {
			const response = await action(bob, id);
			assert.equal(response.status, status, await response.text());
		}
		await test.team.people.join('engines', 'bob');
	});

	it('can be seen by everybody if it is public, and changed by nobody else', async () => {
		const id = await create({ isPublic: true });
		assert.equal((await cyn.ask(`/api/tasks/${id}`)).status, 200);
		for (const [, action] of actions.slice(3)) {
			const response = await action(cyn, id);
			assert.equal(response.status, 403);
			await response.text();
		}
		assert.equal((await test.team.tasks.get(id))?.status, 'pending');
		const stream = cyn.ask(`/api/tasks/${id}/stream`);
		await ada.ask(`/api/tasks/${id}`, { method: 'PATCH', json: { action: 'stop' } });
		const log = await (await stream).text();
		assert.match(log, /event: complete/);
		assert.ok(!log.includes(ada.user.id) && !log.includes(ada.token) && !log.includes('ada-token'));
	});

	it('is in no list of others', async () => {
		const ids = [await create(), await create({ teamId: 'engines' }), await create({ isPublic: true })];
		for (const target of ['/api/tasks?limit=100', '/api/v1/tasks?limit=100', '/api/tasks?limit=100&team=others']) {
			const text = await (await cyn.ask(target)).text();
			assert.ok(!ids.some(id => text.includes(id)), target);
		}
		const ofTeam = await (await bob.ask('/api/tasks?limit=100&team=engines')).text();
		assert.deepEqual(
			ids.map(id => ofTeam.includes(id)),
			[false, true, false],
		);
	});

	it('is a team that others cannot name', async () => {
		const id = ada.user.teams[0]?.id;
		for (const team of ['engines', id, 'no-such-team', '']) {
			assert.equal((await cyn.ask(`/api/tasks?team=${team}`)).status, 403, team);
		}
		const response = await cyn.ask('/api/tasks', {
			json: { prompt: 'x', repoUrl: `${host.clone}/ada/open`, teamId: id },
		});
		assert.equal(response.status, 403);
		await response.text();
	});

	it('is a repository that the source host does not show them', async () => {
		const text = async (response: Response, status: number) => {
			const body = await response.text();
			assert.equal(response.status, status, body);
			assert.ok(!body.includes('secret-plan') && !body.includes('notes.git'), body);
			return body;
		};
		assert.match(await text(await cyn.ask('/api/forge/branches?owner=ada&repo=notes'), 404), /Repository not found/);
		await text(await cyn.ask('/api/forge/repos?owner=ada'), 200);
		assert.match(await text(await dan.ask('/api/forge/branches?owner=ada&repo=notes'), 404), /token not found/);
		assert.match(await text(await dan.ask('/api/forge/orgs'), 404), /token not found/);
		const task = (caller: Caller, repository: string, fields = {}) =>
			caller.ask('/api/tasks', { json: { prompt: 'x', repoUrl: `${host.clone}/ada/${repository}`, ...fields } });
		assert.match(await text(await task(cyn, 'notes'), 400), /repoUrl/);
		assert.match(await text(await task(cyn, 'notes', { selectedBranch: 'secret-plan' }), 400), /repoUrl/);
		// Everybody can read this one, but a task leaves a branch.
		assert.match(await text(await task(cyn, 'open'), 400), /push/);
		assert.match(await text(await task(dan, 'open'), 404), /token not found/);
		const folder = await ada.ask('/api/tasks', { json: { prompt: 'x', repoUrl: '/etc' } });
		assert.match(await text(folder, 400), /repoUrl/);
	});

	it('is a right to push: a member of the team needs their own to let a task go on', async () => {
		const id = await create({ teamId: 'engines' });
		await complete(id);
		const asked = await bob.ask(`/api/tasks/${id}/continue`, { json: { currentPrompt: 'Push it' } });
		assert.equal(asked.status, 409, await asked.text());
		assert.equal((await test.team.tasks.get(id))?.turn, 1);
	});

	it('is a token for a source host, which opens for nobody else and is in no reply', async () => {
		const { pool } = test.team.database;
		await pool.query(`INSERT INTO source_tokens SELECT $1, scm, key_id, sealed FROM source_tokens WHERE user_id = $2`, [
			dan.user.id,
			ada.user.id,
		]);
		const before = host.seen.length;
		const response = await dan.ask('/api/forge/orgs');
		assert.equal(response.status, 500);
		assert.ok(!(await response.text()).includes('ada-token'));
		assert.equal(host.seen.length, before);
		await pool.query('DELETE FROM source_tokens WHERE user_id = $1', [dan.user.id]);
		const { rows } = await pool.query('SELECT sealed FROM source_tokens');
		assert.ok(rows.every(({ sealed }) => !(sealed as Buffer).includes('-token')));
	});

	it('is a token of the service, which is worth nothing changed, hashed, elsewhere or after its end', async () => {
		const { rows } = await test.team.database.pool.query('SELECT encode(hash, $1) AS hash FROM tokens', ['hex']);
		const wrong = [
			ada.token.slice(0, -1),
			`${ada.token}x`,
			ada.token.toUpperCase(),
			ada.tokenId,
			...rows.map(({ hash }) => hash),
		];
		for (const token of wrong) {
			const response = await ada.ask('/api/tasks', { headers: { authorization: `Bearer ${token}` } });
			assert.equal(response.status, 401);
			await response.text();
		}
		for (const target of [`/api/tasks?key=${ada.token}`, `/api/tasks?token=${ada.token}`]) {
			assert.equal((await ada.ask(target, { headers: { authorization: '' } })).status, 401);
		}
	});
});
