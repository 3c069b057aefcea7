// The web for agents: the host fetches pages and searches for them, as far as the user has agreed to it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientError, UserFacingError } from '../../base/errors.ts';
import { fetchWebText, webRefusalText } from '../../base/fetchWebText.ts';
import { isFields } from '../../base/fields.ts';
import type { GuardedNetwork } from '../../base/guardedRequest.ts';
import { readJsonBody } from '../../base/httpRequest.ts';
import { sendError, sendJson } from './callAnswer.ts';

/** The calls that a host answers. Each resolves with a text, or rejects with an error whose message is a sentence. */
export interface WebAccess {
	/** `what` is the address of a page. */
	fetch?: ((what: string, signal: AbortSignal) => Promise<string>) | undefined;
	/** `what` is what to search for. */
	search?: ((what: string, signal: AbortSignal) => Promise<string>) | undefined;
}

export type WebCall = keyof WebAccess;

export const webCalls = (web: WebAccess): WebCall[] =>
	(['fetch', 'search'] as const).filter(call => web[call] !== undefined);

/** The characters of an address or of a search. */
const MAXIMUM_WHAT = 4_000;

/** Answers `{ what }` with `{ text }`. */
export async function answerWebCall(
	request: IncomingMessage,
	response: ServerResponse,
	run: NonNullable<WebAccess[WebCall]>,
): Promise<void> {
	const gone = new AbortController();
	response.once('close', () => gone.abort());
	const body = await readJsonBody(request, 1);
	const what = 'value' in body && isFields(body.value) ? body.value['what'] : undefined;
	if (typeof what !== 'string' || what.length > MAXIMUM_WHAT) {
		const message = `"what" must be a text of at most ${MAXIMUM_WHAT} characters.`;
		sendError(request, response, { status: 400, code: 'invalid_request', message });
		return;
	}
	try {
		sendJson(response, 200, { text: await run(what, gone.signal) });
	} catch (error) {
		if (!gone.signal.aborted) {
			sendError(request, response, { status: 403, code: 'forbidden', message: sentenceOf(error) });
		}
	}
}

function sentenceOf(error: unknown): string {
	if (ClientError.is(error)) {
		return `The search failed: ${error.serviceMessage ?? error.message}`;
	}
	return error instanceof UserFacingError ? error.message : 'Errand failed at this call.';
}

/** Returns an address as it is agreed to. Throws a UserFacingError for a text that is none. */
export function pageAddress(text: string): URL {
	const url = URL.parse(text);
	if (url === null) {
		throw new UserFacingError('That is not an address. Give a whole one, such as https://example.org/page.');
	}
	url.hash = '';
	return url;
}

/**
 * Fetches the text of a page for an agent, never from this machine or its network, and never from another origin than
 * that of the address. Throws a UserFacingError that says why there is none.
 */
export async function pageText(url: URL, signal: AbortSignal, network?: GuardedNetwork): Promise<string> {
	const fetched = await fetchWebText(url, network, signal);
	signal.throwIfAborted();
	if (fetched.kind === 'text') {
		return fetched.text;
	}
	const { refusal } = fetched;
	throw new UserFacingError(
		refusal.reason === 'redirected'
			? `${url.host} sends on to ${refusal.target.href}, which was not asked. Fetch that address if you need it.`
			: webRefusalText(refusal, url),
	);
}
