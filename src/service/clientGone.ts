import type { AppContext } from './server.ts';

/** Made once: every reply ends with its connection's `close`, and an error costs as much as reading some chunks. */
export const CLIENT_GONE = new DOMException('The client has gone.', 'AbortError');

/**
 * Answers with a signal that aborts when the client goes away, so that work for it ends. What `answer` throws after
 * that reaches nobody and is dropped.
 */
export async function untilClientGoes(
	context: AppContext,
	answer: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
	const gone = new AbortController();
	context.env.outgoing.once('close', () => gone.abort(CLIENT_GONE));
	try {
		return await answer(gone.signal);
	} catch (error) {
		if (gone.signal.aborted) {
			return new Response(null);
		}
		throw error;
	}
}
