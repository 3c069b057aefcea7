// A front end: the contract's HTTP for many users. It keeps nothing that another front end would miss but the images of
// the demo and the sessions of the encrypted channel, so any number of them can stand behind one address.
import os from 'node:os';
import { getRequestListener } from '@hono/node-server';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { systemClock } from '../../base/async.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { fillPath, routes } from '../../contract/routes.ts';
import { registerChannelRoutes } from '../../service/channel/channelRoutes.ts';
import { problemOf } from '../../service/guard.ts';
import { startInference } from '../../service/inference/inference.ts';
import { ReasoningSeal } from '../../service/responses/reasoningSeal.ts';
import {
	type App,
	type AppContext,
	createApp,
	type ListenOptions,
	listen,
	refuse,
	type ServiceServer,
} from '../../service/server.ts';
import { parameter } from '../../service/sources/sourceRoutes.ts';
import type { Configuration, Source } from '../configuration.ts';
import { checkSchema } from '../database/migrations.ts';
import { Notifications } from '../database/notifications.ts';
import { People } from '../database/people.ts';
import { openPool } from '../database/pool.ts';
import { SourceTokens } from '../database/sourceTokens.ts';
import { TaskDatabase } from '../database/taskDatabase.ts';
import { Workers } from '../database/workers.ts';
import { RunQueue } from '../runQueue.ts';
import type { Secrets } from '../secrets.ts';
import { beginningOf, hostFor } from '../sources/repositories.ts';
import { Access } from './access.ts';
import { listenForMetrics, registerHealthRoutes, registerMeasures } from './operation.ts';
import { registerTaskRoutes } from './taskRoutes.ts';

/** The time for replies in progress when the front end stops. Followers of logs go on elsewhere at once. */
const CLOSE_GRACE_MS = 10_000;

export interface ServeOptions {
	databaseUrl: string;
	configuration: Configuration;
	secrets: Secrets;
	listen: ListenOptions;
	/** Where metrics can be read without a token. Absent: nowhere. */
	metrics: { host: string; port: number } | undefined;
	version: string;
	logger(topic: string): Logger;
}

export interface FrontEnd {
	readonly address: string;
	/** Where metrics can be read, if anywhere. */
	readonly metricsAddress: string | undefined;
	stop(): Promise<void>;
}

/** @throws UserFacingError if the schema is not of this version, or the front end cannot listen. */
export async function serve(options: ServeOptions): Promise<FrontEnd> {
	const { databaseUrl, configuration, secrets, version, logger } = options;
	const pool = openPool(databaseUrl, logger('database'));
	const notifications = new Notifications(databaseUrl, logger('database'));
	const queue = new RunQueue(databaseUrl, logger('queue'));
	const stopping = new AbortController();
	const registry = new Registry();
	let inference: ReturnType<typeof startInference> | undefined;
	let server: ServiceServer | undefined;
	let metrics: ServiceServer | undefined;

	const end = async (): Promise<void> => {
		stopping.abort();
		await Promise.all([server?.close(CLOSE_GRACE_MS), metrics?.close(0)]);
		await inference?.close();
		await queue.stop();
		await notifications.dispose();
		await pool.end();
	};
	let ended: Promise<void> | undefined;
	const stop = (): Promise<void> => {
		ended ??= end();
		return ended;
	};

	try {
		await checkSchema(pool);
		await queue.start();
		notifications.start();
		collectDefaultMetrics({ register: registry });

		const app = createApp(logger('server'), 'The service failed at this request; its log says why.');
		const people = new People(pool);
		const tokens = new SourceTokens(pool, secrets);
		const workers = new Workers(pool);
		const access = new Access(people, configuration.limits, logger('access'));
		registerMeasures(app, registry, logger('requests'));
		access.register(app);
		registerHealthRoutes(app, pool, stopping.signal, logger('health'));
		inference = startInference({
			app,
			demo: configuration.demo,
			address: () => configuration.address ?? server?.address ?? '',
			aliases: () => configuration.aliases,
			// What one front end has sealed can be opened by every other.
			seal: new ReasoningSeal(secrets.derive('reasoning')),
			handover: configuration.handover,
			clock: systemClock,
			logger,
		});
		registerChannelRoutes(app, {
			gateway: inference.gateway,
			server: 'Errand service',
			version,
			clock: systemClock,
			logger: logger('channel'),
		});
		registerTaskRoutes(app, {
			access,
			people,
			tasks: new TaskDatabase(pool, notifications),
			queue,
			agents: () => workers.agents(),
			beginning: (...asked) => beginningOf({ configuration, tokens, scratchParent: os.tmpdir() }, ...asked),
			limits: configuration.limits,
			stopping: stopping.signal,
			logger: logger('tasks'),
		});
		registerSourceRoutes(app, access, configuration.sources, tokens);

		const answer = getRequestListener(app.fetch);
		server = await listen(options.listen, (request, response) => {
			const problem = problemOf(request);
			void (problem === undefined ? answer(request, response) : refuse(request, response, problem));
		});
		metrics = options.metrics && (await listenForMetrics(options.metrics, registry));
	} catch (error) {
		await stop().catch(failure =>
			logger('service').log('warn', 'a front end did not end cleanly', { reason: describeError(failure) }),
		);
		throw error;
	}
	return { address: server.address, metricsAddress: metrics?.address, stop };
}

/** Registers the look-ups of every source host, which are made with the caller's own token. */
function registerSourceRoutes(app: App, access: Access, sources: readonly Source[], tokens: SourceTokens): void {
	for (const source of sources) {
		const host = (context: AppContext) => hostFor(source, access.userOf(context), tokens);
		const path = (route: { path: string }) => fillPath(route.path, { scm: source.scm });

		app.get(path(routes.organisations), async context => context.json(await (await host(context)).organisations()));

		app.get(path(routes.repositories), async context => {
			const owner = parameter(context, 'owner');
			return context.json(await (await host(context)).repositories(owner));
		});

		app.get(path(routes.branches), async context => {
			const [owner, name] = [parameter(context, 'owner'), parameter(context, 'repo')];
			return context.json(await (await host(context)).branches(owner, name));
		});
	}
}
