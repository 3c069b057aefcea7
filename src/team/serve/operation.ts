// What the operator's own programs ask of a front end, and what it counts and logs for them.
import type { Pool } from 'pg';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { describeError } from '../../base/errors.ts';
import { pathOf } from '../../base/httpRequest.ts';
import type { Logger } from '../../base/logger.ts';
import { type App, listen, type ServiceServer } from '../../service/server.ts';
import { checkSchema } from '../database/migrations.ts';

export const HEALTH_PATH = '/health';
export const READY_PATH = '/ready';

const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Registers what counts and logs every request. It has to come first. */
export function registerMeasures(app: App, registry: Registry, logger: Logger): void {
	const labels = ['method', 'route', 'status'] as const;
	const registers = [registry];
	const total = new Counter({
		name: 'errand_requests_total',
		help: 'Requests by route.',
		labelNames: labels,
		registers,
	});
	const duration = new Histogram({
		name: 'errand_request_seconds',
		help: 'The time until the end of a reply.',
		labelNames: ['method', 'route'] as const,
		buckets: SECONDS,
		registers,
	});
	const open = new Gauge({ name: 'errand_requests_open', help: 'Requests whose replies have not ended.', registers });
	app.use(async (context, next) => {
		const began = performance.now();
		const { outgoing } = context.env;
		open.inc();
		outgoing.once('close', () => {
			const { method } = context.req;
			const status = outgoing.statusCode;
			// Paths themselves have ids in them, and those of nobody's routes could be anything.
			const route = context.req.routePath;
			const seconds = (performance.now() - began) / 1000;
			open.dec();
			total.inc({ method, route, status });
			duration.observe({ method, route }, seconds);
			// The operator's own programs ask for these every few seconds.
			const level = route === HEALTH_PATH || route === READY_PATH ? 'debug' : 'info';
			logger.log(level, 'a request ended', { method, path: route, status, durationMs: Math.round(seconds * 1000) });
		});
		await next();
	});
}

/** Registers `/health`, which says that this process answers, and `/ready`, which says that it should be sent requests. */
export function registerHealthRoutes(app: App, pool: Pool, stopping: AbortSignal, logger: Logger): void {
	app.get(HEALTH_PATH, context => context.json({ status: 'healthy' }));
	app.get(READY_PATH, async context => {
		const problem = stopping.aborted ? 'This front end is stopping.' : await databaseProblem(pool, logger);
		return problem === undefined
			? context.json({ ready: true })
			: context.json({ ready: false, message: problem }, 503);
	});
}

/** Whoever asks needs no token, so the cause, which may name machines, is only logged. */
async function databaseProblem(pool: Pool, logger: Logger): Promise<string | undefined> {
	try {
		await checkSchema(pool);
		return undefined;
	} catch (error) {
		logger.log('warn', 'this front end is not ready', { reason: describeError(error) });
		return 'The database does not answer, or its schema is of another version. The log says which.';
	}
}

/** Listens for programs that collect metrics. They send no token, so the place must be one that only they reach. */
export function listenForMetrics(place: { host: string; port: number }, registry: Registry): Promise<ServiceServer> {
	return listen(place, (request, response) => {
		request.resume();
		if (request.method !== 'GET' || pathOf(request) !== '/metrics') {
			response.writeHead(404).end();
			return;
		}
		registry.metrics().then(
			text => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
			() => response.writeHead(500).end(),
		);
	});
}
