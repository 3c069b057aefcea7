import type { ClientBase, Pool } from 'pg';
import type { Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';

export declare function openPool(url: string, logger: Logger, connections?: number): Pool;

export declare function transaction<T>(pool: Pool, body: (client: ClientBase) => Promise<T>): Promise<T>;

export declare class Notifications {
	constructor(url: string, logger: Logger);
	/** Begins to listen; it connects and reconnects by itself until disposed. */
	start(): void;
	/** Calls `listener` with each payload of a channel, and with undefined when some may have been lost. */
	on(channel: string, listener: (payload: string | undefined) => void): Disposable;
	dispose(): Promise<void>;
}
