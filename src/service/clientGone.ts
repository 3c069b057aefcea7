import { CLIENT_GONE } from '../base/streamText.ts';
import type { AppContext } from './server.ts';

/**
 * Calls `answer` with a signal that aborts when the client disconnects, so that work for it ends. Errors that `answer`
 * throws after that are dropped, as nobody can receive them.
 */
export async function untilClientGoes(
	context: AppContext,
	answer: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
	const { outgoing } = context.env;
	const gone = new AbortController();
	if (outgoing.destroyed) {
		// It has gone while the check of the request waited, and nothing will tell of that any more.
		gone.abort(CLIENT_GONE);
	}
	outgoing.once('close', () => gone.abort(CLIENT_GONE));
	try {
		return await answer(gone.signal);
	} catch (error) {
		if (gone.signal.aborted) {
			return new Response(null);
		}
		throw error;
	}
}
