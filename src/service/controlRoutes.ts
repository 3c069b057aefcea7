import { setTimeout as delay } from 'node:timers/promises';
import { controlPaths, type GatewayPicture, proofNonceSchema, proofOf } from '../contract/control.ts';
import { parseOrRefuse } from './replies.ts';
import type { App } from './server.ts';
import { sseComment, streamReply } from './streamReply.ts';

const HEARTBEAT_MS = 10_000;

export interface ControlDependencies {
	token: string;
	/** The address that the proof is bound to; known once the server listens. */
	address(): string;
	picture(): Promise<GatewayPicture>;
	/** Aborts when the service stops, so that leases end with it. */
	stopping: AbortSignal;
	requestStop(): void;
	/** Milliseconds between two beats of a lease; default 10,000. */
	heartbeatMs?: number;
}

export function registerControlRoutes(app: App, dependencies: ControlDependencies): void {
	app.get(controlPaths.proof, context => {
		const nonce = parseOrRefuse(proofNonceSchema, context.req.query('nonce'));
		return context.json({ proof: proofOf(dependencies.token, dependencies.address(), nonce) });
	});

	app.get(controlPaths.picture, async context => context.json(await dependencies.picture()));

	app.get(controlPaths.lease, context =>
		streamReply(
			signal => lease(AbortSignal.any([signal, dependencies.stopping]), dependencies.heartbeatMs ?? HEARTBEAT_MS),
			{
				outgoing: context.env.outgoing,
				onFailure: () => {},
			},
		),
	);

	app.post(controlPaths.shutdown, context => {
		// After the answer has left: the caller learns that it was heard.
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
