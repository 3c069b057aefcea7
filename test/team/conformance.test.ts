// The suite of the local service, on a front end and a worker that share a PostgreSQL.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Pool } from 'pg';
import { LOCAL_SCM } from '../../src/contract/localConnection.ts';
import type { UpstreamHandoverInput } from '../../src/contract/upstreams.ts';
import { type RunningService, useService } from '../conformance/localService/harness.ts';
import { SourceHostServer } from '../support/sourceHostServer.ts';
import { TeamProcesses } from '../support/teamProcesses.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { newDatabase, startOwnPostgres } from '../support/useTeamDatabase.ts';

const SUITE = path.resolve('test/conformance/localService');
/** The suite asks quickly, and leaves tasks behind. */
const LIMITS = { requestsAMinute: 1_000_000, tasksAtOnce: 1_000 };

async function startTeam(upstreams: UpstreamHandoverInput['upstreams']): Promise<RunningService> {
	const shared = process.env['ERRAND_TEST_POSTGRES'];
	const own = shared === undefined ? await startOwnPostgres() : undefined;
	const databaseUrl = await newDatabase(shared ?? own?.url ?? '');
	const repository = await TemporaryRepository.create();
	const host = await SourceHostServer.start({
		kind: 'gitea',
		accounts: [{ login: 'ada', token: 'source-token' }],
		repositories: [{ owner: 'ada', name: 'notes', writers: ['ada'], folder: repository.path }],
	});
	const keys = upstreams.flatMap(({ slug, key }) => (key === undefined ? [] : [[variableOf(slug), key] as const]));
	const team = await TeamProcesses.create(
		databaseUrl,
		{
			upstreams: upstreams.map(({ key, ...upstream }) => ({
				...upstream,
				...(key === undefined ? {} : { keyFrom: variableOf(upstream.slug) }),
			})),
			sources: [{ scm: LOCAL_SCM, kind: 'gitea', api: host.api, clone: host.clone }],
			limits: LIMITS,
			demo: true,
			allowLocalRepositories: true,
		},
		Object.fromEntries(keys),
	);
	await team.run(['user', 'add', 'ada']);
	await team.run(['source', 'set', 'ada', LOCAL_SCM, '--config', team.configuration], 'source-token\n');
	const token = await team.run(['token', 'add', 'ada']);
	const [{ address }] = await Promise.all([team.serve(), team.work('--slots', '2', '--grace-seconds', '0')]);
	return {
		address,
		token,
		repoUrl: repository.path,
		lookUps: {
			owner: 'ada',
			repo: 'notes',
			cloneUrl: `${host.clone}/ada/notes.git`,
			async breakBranches() {
				host.failure = 500;
				return async () => {
					host.failure = undefined;
				};
			},
		},
		stored: async () => (await contentsOf(databaseUrl)) + team.logs(),
		async stop() {
			await team.stop();
			await host.stop();
			await repository.remove();
			await own?.stop();
		},
	};
}

const variableOf = (slug: string): string => `KEY_OF_${slug.replaceAll(/\W/g, '_').toUpperCase()}`;

/** Returns every row of every table. */
async function contentsOf(databaseUrl: string): Promise<string> {
	const pool = new Pool({ connectionString: databaseUrl });
	const { rows: tables } = await pool.query(
		`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
	);
	const texts: string[] = [];
	for (const { name } of tables) {
		const { rows } = await pool.query(`SELECT t::text AS row FROM ${name} t`);
		texts.push(name, ...rows.map(({ row }) => row));
	}
	await pool.end();
	return texts.join('\n');
}

useService('the service for a team', startTeam);
for (const name of await readdir(SUITE)) {
	if (name.endsWith('.test.ts')) {
		await import(path.join(SUITE, name));
	}
}
