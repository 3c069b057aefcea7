import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { describeError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import { connectionLimits } from './pool.ts';

/** Carries the id of a task that has changed. */
export const TASK_CHANNEL = 'errand_task';

/** How often the connection is tried: nothing else tells of one that is dead at the other end. */
const HEARTBEAT_MS = 5_000;
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Listens to what the database announces, on a connection of its own that is made again whenever it is lost. */
export class Notifications {
	private readonly url: string;
	private readonly logger: Logger;
	private readonly told = new Emitter<string | undefined>();
	/**
	 * Fires with the id of each task that has changed, and with undefined after each new connection: what was announced
	 * before it is lost.
	 */
	readonly onTask = this.told.event;
	private readonly disposing = new AbortController();
	private running: Promise<void> | undefined;

	constructor(url: string, logger: Logger) {
		this.url = url;
		this.logger = logger;
	}

	/** Begins to listen. */
	start(): void {
		this.running ??= this.run();
	}

	async dispose(): Promise<void> {
		this.disposing.abort();
		await this.running;
	}

	private async run(): Promise<void> {
		const { signal } = this.disposing;
		for (let pause = SHORTEST_PAUSE_MS; !signal.aborted; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
			try {
				await this.listen(() => {
					pause = SHORTEST_PAUSE_MS;
				});
			} catch (error) {
				if (!signal.aborted) {
					const fields = { reason: describeError(error) };
					this.logger.log('warn', 'the connection that listens to the database was lost', fields);
					await delay(pause, undefined, { signal }).catch(() => {});
				}
			}
		}
	}

	/** Listens on one connection. Rejects when it is lost or the listener disposed. */
	private async listen(onConnected: () => void): Promise<void> {
		const { signal } = this.disposing;
		const client = new Client({ ...connectionLimits, query_timeout: HEARTBEAT_MS, connectionString: this.url });
		const over = Promise.withResolvers<never>();
		over.promise.catch(() => {});
		const onAbort = () => over.reject(signal.reason);
		signal.addEventListener('abort', onAbort);
		client.on('error', over.reject);
		client.on('end', () => over.reject(new Error('The connection was closed.')));
		client.on('notification', ({ payload }) => this.told.fire(payload));
		try {
			await Promise.race([client.connect(), over.promise]);
			await client.query(`LISTEN ${TASK_CHANNEL}`);
			onConnected();
			this.told.fire(undefined);
			for (;;) {
				await Promise.race([delay(HEARTBEAT_MS, undefined, { signal }), over.promise]);
				await Promise.race([client.query('SELECT 1'), over.promise]);
			}
		} finally {
			signal.removeEventListener('abort', onAbort);
			// A dead connection would not answer to a farewell.
			void client.end().catch(() => {});
			client.connection.stream.destroy();
		}
	}
}
