// Asks a model server for its models, wherever its list may be.
import type { Clock } from '../../base/async.ts';
import { ClientError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { failureOf } from '../../client/core/failures.ts';
import type { Transport } from '../../client/core/transport.ts';
import { createUpstreamCaller, readUpstreamModels } from '../../client/core/upstreamCaller.ts';
import { type ListedModel, usableModels } from '../../contract/modelList.ts';
import { mayCarryKey } from '../../contract/upstreams.ts';

/** `url` is where the server was asked last; for a list, where it has it. */
export type ServerAnswer = { url: string; models: ListedModel[] } | { url: string; error: ClientError };

export interface AskOptions {
	transport: Transport;
	logger: Logger;
	clock: Clock;
	signal: AbortSignal;
	/** The longest silence, and the longest time for all of it. */
	milliseconds?: { silence: number; whole: number };
}

const PATIENCE = { silence: 8_000, whole: 15_000 };

/**
 * Never rejects, except with the signal's reason. The key goes to the origin of the address alone, and to none that is
 * reached without encryption.
 */
export async function askServer(
	{ url, key }: { url: string; key: string | undefined },
	{ transport, logger, clock, signal, milliseconds = PATIENCE }: AskOptions,
): Promise<ServerAnswer> {
	const late = AbortSignal.timeout(milliseconds.whole);
	const ends = AbortSignal.any([signal, late]);
	const mayGo = key !== undefined && mayCarryKey(url);
	let first: ServerAnswer | undefined;
	for (const candidate of candidateAddresses(url)) {
		const options = { name: 'model server', url: candidate, key: mayGo ? key : undefined, transport, logger, clock };
		const caller = createUpstreamCaller({ ...options, limits: { tries: 1 } });
		try {
			const list = { hasKey: mayGo, milliseconds: milliseconds.silence, signal: ends };
			return { url: candidate, models: usableModels(await readUpstreamModels(caller, list)) };
		} catch (error) {
			signal.throwIfAborted();
			const failure = late.aborted ? new ClientError('timeout', 'no whole answer in time') : failureOf(error);
			const answer = { url: candidate, error: failure };
			if (!isElsewhere(failure)) {
				return answer;
			}
			first ??= answer;
		}
	}
	return first as ServerAnswer;
}

/**
 * Returns whether the answer may be that of a place beside the list: another address of the same server may have it.
 */
function isElsewhere({ code }: ClientError): boolean {
	return code === 'not-found' || code === 'bad-response' || code === 'invalid-request';
}

/**
 * Returns the addresses below which a server may list its models: the named one, then those where servers usually have
 * their version.
 */
export function candidateAddresses(url: string): string[] {
	if (/\/v\d+\w*$/.test(url)) {
		return [url];
	}
	return new URL(url).pathname === '/' ? [`${url}/v1`, `${url}/api/v1`] : [url, `${url}/v1`];
}
