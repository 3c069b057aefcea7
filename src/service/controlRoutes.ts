import { setTimeout as delay } from 'node:timers/promises';
import { UserFacingError } from '../base/errors.ts';
import { sseComment } from '../base/streamText.ts';
import { partialWorkRequestSchema } from '../contract/agents.ts';
import { controlPaths, type GatewayDescription, proofNonceSchema, proofOf } from '../contract/control.ts';
import { type FoundAnswer, foundAnswerSchema } from '../contract/foundServers.ts';
import { parseOrRefuse, RequestRefused } from './replies.ts';
import { type App, readJson } from './server.ts';
import { type MonthUse, useForReply } from './store/modelUseStore.ts';
import { streamReply } from './streamReply.ts';

const HEARTBEAT_MS = 10_000;
const BODY_MEGABYTES = 1;

/** The facts by which a window recognises its service. */
export interface ServiceIdentity {
	token: string;
	/** Returns the address that the proof is bound to. It is known once the server listens. */
	address(): string;
}

/** The providers and the agents that the service has, as windows see them. */
export interface ServiceOffer {
	describe(): Promise<GatewayDescription>;
	/** Resolves with false if no such server was found. */
	answerFoundServer(answer: FoundAnswer): Promise<boolean>;
}

/** Requests of windows about tasks that go beyond the contract. */
export interface TaskRecords {
	/**
	 * Commits the work of an ended task's agents. Returns its branch, or undefined if there is no such task.
	 * @throws UserFacingError if it cannot.
	 */
	keepWork(taskId: string): Promise<string | undefined>;
	/** Returns what tasks have used, the latest month first. */
	monthlyUse(): MonthUse[];
}

/** The end of the service, and the leases that keep it from ending. */
export interface ServiceLifetime {
	/** Aborts when the service stops, so that leases end with it. */
	stopping: AbortSignal;
	requestStop(): void;
	/** The interval of a lease's heartbeat in milliseconds; 10,000 by default. */
	heartbeatMs?: number;
}

export function registerProofRoute(app: App, { token, address }: ServiceIdentity): void {
	app.get(controlPaths.proof, context => {
		const nonce = parseOrRefuse(proofNonceSchema, context.req.query('nonce'));
		return context.json({ proof: proofOf(token, address(), nonce) });
	});
}

export function registerOfferRoutes(app: App, { describe, answerFoundServer }: ServiceOffer): void {
	app.get(controlPaths.description, async context => context.json(await describe()));

	app.post(controlPaths.foundServers, async context => {
		const answer = parseOrRefuse(foundAnswerSchema, await readJson(context, BODY_MEGABYTES));
		if (!(await answerFoundServer(answer))) {
			throw new RequestRefused(404, `No model server was found at ${answer.url}.`);
		}
		return context.json({ taken: true });
	});
}

export function registerTaskRecordRoutes(app: App, { keepWork, monthlyUse }: TaskRecords): void {
	app.post(controlPaths.keepWork, async context => {
		const { taskId } = parseOrRefuse(partialWorkRequestSchema, await readJson(context, BODY_MEGABYTES));
		const branchName = await keepWork(taskId).catch(error => {
			throw error instanceof UserFacingError ? new RequestRefused(409, error.message) : error;
		});
		if (branchName === undefined) {
			throw new RequestRefused(404, 'Task not found');
		}
		return context.json({ branchName });
	});

	app.get(controlPaths.costs, context => {
		const months = monthlyUse().map(month => ({ ...month, models: month.models.map(useForReply) }));
		return context.json({ months });
	});
}

export function registerLifetimeRoutes(
	app: App,
	{ stopping, requestStop, heartbeatMs = HEARTBEAT_MS }: ServiceLifetime,
): void {
	app.get(controlPaths.lease, context =>
		streamReply(signal => lease(AbortSignal.any([signal, stopping]), heartbeatMs), {
			outgoing: context.env.outgoing,
			onFailure: () => {},
		}),
	);

	app.post(controlPaths.shutdown, context => {
		// The service stops only after the reply was sent, so that the caller knows that its request was accepted.
		context.env.outgoing.once('close', () => requestStop());
		return context.json({ stopping: true });
	});
}

async function* lease(signal: AbortSignal, heartbeatMs: number): AsyncGenerator<string, void, undefined> {
	yield sseComment('lease');
	while (!signal.aborted) {
		await delay(heartbeatMs, undefined, { signal }).catch(() => {});
		if (!signal.aborted) {
			yield sseComment('alive');
		}
	}
}
