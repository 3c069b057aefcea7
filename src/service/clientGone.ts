import type { AppContext } from './server.ts';

/**
 * Answers with a signal that aborts when the client goes away, so that work for it ends. What `answer` throws after
 * that reaches nobody and is dropped.
 */
export async function untilClientGoes(
	context: AppContext,
	answer: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
	const gone = new AbortController();
	context.env.outgoing.once('close', () => gone.abort(new DOMException('The client has gone.', 'AbortError')));
	try {
		return await answer(gone.signal);
	} catch (error) {
		if (gone.signal.aborted) {
			return new Response(null);
		}
		throw error;
	}
}
