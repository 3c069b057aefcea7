import { randomBytes } from 'node:crypto';
import { nullLogger } from '../../src/base/logger.ts';
import { parseConfiguration } from '../../src/team/configuration.ts';
import type { User } from '../../src/team/database/people.ts';
import { SourceTokens } from '../../src/team/database/sourceTokens.ts';
import { Workers } from '../../src/team/database/workers.ts';
import { Secrets } from '../../src/team/secrets.ts';
import { type FrontEnd, type ServeOptions, serve } from '../../src/team/serve/serve.ts';
import { type TeamTasks, useTeamTasks } from './teamTasks.ts';

/** A user with a token, and what the service answers to that user. */
export interface Caller {
	user: User;
	token: string;
	tokenId: string;
	ask(target: string, init?: RequestInit & { json?: unknown }): Promise<Response>;
}

export interface FrontEndTest {
	readonly team: TeamTasks;
	readonly tokens: SourceTokens;
	/** Adds a user with a token, as a member of these teams. */
	caller(name: string, teams?: readonly string[]): Promise<Caller>;
	/** Starts a front end, which is stopped after the tests of the block. */
	start(configuration: object, options?: Partial<ServeOptions>): Promise<FrontEnd>;
}

/** Prepares a database with a worker that takes nothing, so that tasks wait. Callers ask the front end started last. */
export function useFrontEnd(): FrontEndTest {
	const team = useTeamTasks();
	const secrets = new Secrets(randomBytes(32).toString('base64'));
	const started: FrontEnd[] = [];
	before(() =>
		new Workers(team.database.pool).tell({
			id: 'worker',
			slots: 0,
			agents: [{ id: 'demo', label: 'Demo', models: ['demo'] }],
		}),
	);
	after(() => Promise.all(started.map(frontEnd => frontEnd.stop())));
	return {
		team,
		get tokens() {
			return new SourceTokens(team.database.pool, secrets);
		},
		async caller(name, teams = []) {
			const { people } = team;
			await people.addUser(name);
			for (const joined of teams) {
				await people.join(joined, name);
			}
			const { id, token } = await people.addToken(name);
			return {
				user: await people.user(name),
				token,
				tokenId: id,
				ask: (target, { json, ...init } = {}) =>
					fetch(`${started.at(-1)?.address}${target}`, {
						...init,
						...(json === undefined ? {} : { method: init.method ?? 'POST', body: JSON.stringify(json) }),
						headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
					}),
			};
		},
		async start(configuration, options = {}) {
			const frontEnd = await serve({
				databaseUrl: team.database.url,
				configuration: parseConfiguration(JSON.stringify(configuration), {}),
				secrets,
				listen: { host: '127.0.0.1', port: 0 },
				metrics: undefined,
				version: '1.0.0',
				logger: () => nullLogger,
				...options,
			});
			started.push(frontEnd);
			return frontEnd;
		},
	};
}
