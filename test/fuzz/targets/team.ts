// The service for a team behind its HTTP, with two users who do not see each other's tasks and repositories.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { Postgres } from '../../../scripts/postgres.ts';
import { nullLogger } from '../../../src/base/logger.ts';
import { logRecord } from '../../../src/service/tasks/taskLog.ts';
import { parseConfiguration } from '../../../src/team/configuration.ts';
import { Attempts } from '../../../src/team/database/attempts.ts';
import { migrate } from '../../../src/team/database/migrations.ts';
import { People } from '../../../src/team/database/people.ts';
import { openPool } from '../../../src/team/database/pool.ts';
import { SourceTokens } from '../../../src/team/database/sourceTokens.ts';
import { type OfferedAgent, Workers } from '../../../src/team/database/workers.ts';
import { createLoggers } from '../../../src/team/log.ts';
import { Secrets } from '../../../src/team/secrets.ts';
import { type FrontEnd, serve } from '../../../src/team/serve/serve.ts';
import { heldBytes } from '../../support/heldMemory.ts';
import { SourceHostServer } from '../../support/sourceHostServer.ts';
import { newDatabase, startOwnPostgres } from '../../support/useTeamDatabase.ts';
import { waitFor } from '../../support/waitFor.ts';
import type { Target } from '../fuzzer.ts';
import { type Answer, assertAnswer, exchange, ModelServers, type RawRequest, readRequest } from './http.ts';

const USERS = ['ada', 'bob'] as const;
const TABLES = ['tasks', 'executions', 'log_entries', 'model_use'];
/** Returns the word of a user that nobody else may see: in prompts, logs, changes and names of repositories. */
const hidden = (user: string) => `hidden-of-${user}`;
/** The number of inputs between two looks at what a front end holds. */
const LOOK_EVERY = 200;
const MAXIMUM_GROWTH = 64 * 1024 * 1024;
/** The front end's pool, its queue's and its listener, and the pool of this test. */
const MAXIMUM_CONNECTIONS = 30;

class RunningTeam {
	private own: Postgres | undefined;
	private servers: ModelServers | undefined;
	private host: SourceHostServer | undefined;
	private pool: Pool | undefined;
	private frontEnd: FrontEnd | undefined;
	/** The lines that the front end has logged since the last input. */
	private readonly log: string[] = [];
	private asked = 0;
	private heap = 0;
	/** The values for the names that an input has in braces. */
	private readonly names = new Map<string, string>();
	/** Nothing of these is in a log, nor in an answer to somebody who has not sent it. */
	private readonly secrets: string[] = [];
	private headers: Record<string, string> = {};

	async start(): Promise<void> {
		const shared = process.env['ERRAND_TEST_POSTGRES'];
		this.own = shared === undefined ? await startOwnPostgres() : undefined;
		const databaseUrl = await newDatabase(shared ?? this.own?.url ?? '');
		this.pool = openPool(databaseUrl, nullLogger);
		await migrate(this.pool);
		this.servers = await ModelServers.start();
		this.host = await SourceHostServer.start({
			kind: 'gitea',
			accounts: USERS.map(login => ({ login, token: `source-token-of-${login}` })),
			repositories: [
				{ owner: 'both', name: 'notes', writers: USERS, branches: ['main', 'next'] },
				...USERS.map(user => ({
					...{ owner: user, name: hidden(user), writers: [user], isPrivate: true, branches: ['main'] },
				})),
			],
		});
		const key = randomBytes(32).toString('base64');
		const configuration = {
			upstreams: this.servers.upstreams.map(upstream => ({ ...upstream, keyFrom: 'MODEL_KEY' })),
			sources: [{ scm: 'forge', kind: 'gitea', api: this.host.api, clone: this.host.clone }],
			limits: { tasksAtOnce: 1_000, requestsAMinute: 1_000_000, requestsAtOnce: 20 },
			demo: true,
		};
		const secrets = new Secrets(key);
		this.frontEnd = await serve({
			...{ databaseUrl, secrets, listen: { host: '127.0.0.1', port: 0 }, version: '1.0.0' },
			configuration: parseConfiguration(JSON.stringify(configuration), { MODEL_KEY: 'key-of-the-model-servers' }),
			metrics: { host: '127.0.0.1', port: 0 },
			logger: createLoggers({ write: line => void this.log.push(line) }),
		});
		this.secrets.push(key, 'key-of-the-model-servers', new URL(databaseUrl).password);
		this.headers = {
			...{ host: new URL(this.frontEnd.address).host, authorization: 'Bearer {ada}' },
			'content-type': 'application/json',
		};
		this.names.set('clone', this.host.clone);
		await this.fill(this.pool, new SourceTokens(this.pool, secrets));
	}

	/** Makes two users with a team each, and tasks of theirs that have ended. */
	private async fill(pool: Pool, sourceTokens: SourceTokens): Promise<void> {
		const [people, attempts] = [new People(pool), new Attempts(pool)];
		const agents: OfferedAgent[] = [{ id: 'demo', label: 'Demo', models: ['demo', 'other'] }];
		await new Workers(pool).tell({ id: 'worker', slots: 0, agents });
		await pool.query("UPDATE workers SET seen_at = 'infinity'");
		for (const user of USERS) {
			const { id } = await people.addUser(user, `${hidden(user)}@example.com`);
			await people.addTeam(`team-of-${user}`);
			await people.join(`team-of-${user}`, user);
			await sourceTokens.set(id, 'forge', `source-token-of-${user}`);
			const { token } = await people.addToken(user);
			this.names.set(user, token);
			this.secrets.push(token, `source-token-of-${user}`);
		}
		const revoked = await people.addToken('ada');
		await people.revokeToken(revoked.id);
		this.names.set('revoked', revoked.token);
		for (const [name, user, task] of [
			['adaTask', 'ada', { prompt: hidden('ada') }],
			['teamTask', 'ada', { prompt: hidden('ada'), teamId: 'team-of-ada' }],
			['bobTask', 'bob', { prompt: hidden('bob') }],
			['publicTask', 'bob', { prompt: 'Seen by all', isPublic: true }],
		] as const) {
			const created = await fetch(`${this.frontEnd?.address}/api/tasks`, {
				method: 'POST',
				headers: { authorization: `Bearer ${this.names.get(user)}` },
				body: JSON.stringify({ ...task, repoUrl: `${this.host?.clone}/both/notes` }),
			});
			const { id: taskId } = ((await created.json()) as { task: { id: string } }).task;
			this.names.set(name, taskId);
			const attempt = { taskId, position: 0, turn: 1, attempt: 1 };
			await attempts.begin(attempt);
			const entries = [logRecord('demo', 'agent_executing', 'info', `The log of ${task.prompt}`)];
			const change = { status: 'completed', branchName: 'next', gitDiff: `+${task.prompt}` } as const;
			await attempts.write(attempt, { sent: 0, entries, change });
		}
		await pool.query(TABLES.map(table => `CREATE TABLE kept_${table} AS TABLE ${table}`).join(';'));
	}

	/** Lets the tasks be as they were at the beginning. */
	private async restore(): Promise<void> {
		const statements = [
			'DELETE FROM pgboss.job',
			...TABLES.toReversed().map(table => `DELETE FROM ${table}`),
			...TABLES.map(table => `INSERT INTO ${table} OVERRIDING SYSTEM VALUE TABLE kept_${table}`),
		];
		await this.pool?.query(statements.join(';'));
	}

	private async ask(input: Buffer): Promise<{ asked: RawRequest; answer: Answer | undefined }> {
		const named = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name) => this.names.get(name) ?? whole);
		const headers = Object.entries(this.headers).map(([name, value]) => [name, named(value)]);
		const asked = readRequest(Buffer.from(named(input.toString('latin1')), 'latin1'), Object.fromEntries(headers));
		const answer = await exchange(this.frontEnd?.address ?? '', asked);
		this.servers?.forget();
		if (this.host !== undefined) {
			this.host.seen.length = 0;
		}
		return { asked, answer };
	}

	async run(input: Buffer): Promise<string> {
		const { asked, answer } = await this.ask(input);
		const outcome = assertAnswer(asked, answer);
		const sent = asked.bytes.toString('latin1');
		const isOf = (user: string) => sent.includes(this.names.get(user) ?? '');
		const foreign = USERS.filter(user => !isOf(user)).map(hidden);
		for (const secret of [...this.secrets, ...foreign]) {
			assert.ok(sent.includes(secret) || !answer?.text.includes(secret), `${outcome} has ${secret} in it`);
		}
		const log = this.log.splice(0).join('');
		for (const secret of [...this.secrets, ...USERS.map(hidden)]) {
			assert.ok(!log.includes(secret), `${outcome} leaves ${secret} in the log`);
		}
		if (asked.method !== 'GET') {
			await this.restore();
		}
		const ready = await fetch(`${this.frontEnd?.address}/ready`);
		assert.equal(ready.status, 200, `after ${outcome}, it is not ready: ${await ready.text()}`);
		if (this.asked++ % LOOK_EVERY === 0) {
			await this.look();
		}
		return outcome;
	}

	/** Asserts that nothing has been left behind. */
	private async look(): Promise<void> {
		await waitFor('the end of all requests', async () => {
			const metrics = await (await fetch(`${this.frontEnd?.metricsAddress}/metrics`)).text();
			return /^errand_requests_open 0$/m.test(metrics);
		});
		const count = 'SELECT count(*) AS connections FROM pg_stat_activity WHERE datname = current_database()';
		const { rows } = (await this.pool?.query(count)) ?? { rows: [] };
		assert.ok(rows[0]?.connections <= MAXIMUM_CONNECTIONS, `there are ${rows[0]?.connections} connections`);
		const heap = heldBytes();
		this.heap ||= heap;
		assert.ok(heap - this.heap <= MAXIMUM_GROWTH, `the heap has grown by ${heap - this.heap} bytes`);
	}

	/** Ends whatever has been started. */
	async stop(): Promise<void> {
		await this.frontEnd?.stop();
		await this.servers?.stop();
		await this.host?.stop();
		await this.pool?.end();
		await this.own?.stop();
	}
}

let running: { team: RunningTeam; start: Promise<void> } | undefined;

/** The routes of the service for a team. It needs PostgreSQL, so it is not among the targets of the unit tests. */
export const teamRoutes: Target = {
	name: 'teamRoutes',
	iterations: 150,
	async run(input) {
		if (running === undefined) {
			const team = new RunningTeam();
			running = { team, start: team.start() };
		}
		await running.start;
		return running.team.run(input);
	},
	async stop() {
		await running?.team.stop();
		running = undefined;
	},
};
