import { setTimeout as delay } from 'node:timers/promises';
import { sseComment } from '../base/streamText.ts';
import { partialWorkRequestSchema } from '../contract/agents.ts';
import { controlPaths, type GatewayDescription, proofNonceSchema, proofOf } from '../contract/control.ts';
import { type FoundAnswer, foundAnswerSchema } from '../contract/foundServers.ts';
import { parseOrRefuse, RequestRefused, runOrRefuse } from './replies.ts';
import { type App, readBody, streamReply } from './server.ts';
import { type MonthUse, useForReply } from './store/modelUseStore.ts';

const HEARTBEAT_MS = 10_000;

export interface ControlRoutesDependencies {
	token: string;
	/** Returns the address that the proof is bound to. It is known once the server listens. */
	address(): string;
	/** Describes the providers and the agents that the service has, as windows see them. */
	describe(): Promise<GatewayDescription>;
	/** Resolves with false if no such server was found. */
	answerFoundServer(answer: FoundAnswer): Promise<boolean>;
	/**
	 * Commits the work of an ended task's agents. Returns its branch, or undefined if there is no such task.
	 * @throws UserFacingError if it cannot.
	 */
	keepWork(taskId: string): Promise<string | undefined>;
	/** Returns what tasks have used, the latest month first. */
	monthlyUse(): MonthUse[];
	/** Aborts when the service stops, so that leases end with it. */
	stopping: AbortSignal;
	requestStop(): void;
	/** The interval of a lease's heartbeat in milliseconds; 10,000 by default. */
	heartbeatMs?: number;
}

/** Registers the routes by which windows recognise, describe, use and end their service beyond the contract. */
export function registerControlRoutes(app: App, dependencies: ControlRoutesDependencies): void {
	const { token, address, stopping, heartbeatMs = HEARTBEAT_MS } = dependencies;
	app.get(controlPaths.proof, context => {
		const nonce = parseOrRefuse(proofNonceSchema, context.req.query('nonce'));
		return context.json({ proof: proofOf(token, address(), nonce) });
	});

	app.get(controlPaths.description, async context => context.json(await dependencies.describe()));

	app.post(controlPaths.foundServers, async context => {
		const answer = await readBody(context, foundAnswerSchema);
		if (!(await dependencies.answerFoundServer(answer))) {
			throw new RequestRefused(404, `No model server was found at ${answer.url}.`);
		}
		return context.json({ taken: true });
	});

	app.post(controlPaths.keepWork, async context => {
		const { taskId } = await readBody(context, partialWorkRequestSchema);
		const branchName = await runOrRefuse(409, () => dependencies.keepWork(taskId));
		if (branchName === undefined) {
			throw new RequestRefused(404, 'Task not found');
		}
		return context.json({ branchName });
	});

	app.get(controlPaths.costs, context => {
		const months = dependencies.monthlyUse().map(month => ({ ...month, models: month.models.map(useForReply) }));
		return context.json({ months });
	});

	app.get(controlPaths.lease, context =>
		streamReply(signal => lease(AbortSignal.any([signal, stopping]), heartbeatMs), {
			outgoing: context.env.outgoing,
			onFailure: () => {},
		}),
	);

	app.post(controlPaths.shutdown, context => {
		// The service stops only after the reply was sent, so that the caller knows that its request was accepted.
		context.env.outgoing.once('close', () => dependencies.requestStop());
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
