import { systemClock } from '../../base/async.ts';
import type { Logger } from '../../base/logger.ts';
import { createFetchTransport } from '../../client/core/fetchTransport.ts';
import { editorFetch } from '../../platform/editorFetch.ts';
import type { HostContext } from './askHost.ts';

/** Hosts are asked through the editor's own fetch, which knows the user's proxy and certificates. */
export function hostContext(logger: Logger): HostContext {
	return { transport: createFetchTransport(editorFetch), logger, clock: systemClock };
}
