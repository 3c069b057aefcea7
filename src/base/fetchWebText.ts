// Fetches the text of an address that the user has agreed to contact.

import { defined } from './defined.ts';
import { type GuardedNetwork, GuardRefusal, getGuarded } from './guardedRequest.ts';
import { htmlText } from './htmlText.ts';
import { plainText } from './plainText.ts';

/** The limit for the content of one address, in bytes. */
const MAXIMUM_BYTES = 1_000_000;
const MAXIMUM_REDIRECTS = 5;
const TIMEOUT_MS = 20_000;

/** These headers reveal nothing about the user, and neither cookies nor keys are sent. */
const HEADERS = {
	accept: 'text/html, text/markdown, text/plain, application/json;q=0.9, text/*;q=0.8',
	'user-agent': 'Errand (extension for VS Code)',
};

export type WebRefusal =
	/** The address does not begin with `https:`. */
	| { reason: 'not-https' }
	/** The address contains a user name or a password. */
	| { reason: 'credentials' }
	/** The address leads into this machine or its network. */
	| { reason: 'private' }
	/** The server redirects to an address of another origin. */
	| { reason: 'redirected'; target: URL }
	/** The server redirects in a circle, or to something that is not an address. */
	| { reason: 'redirects' }
	| { reason: 'status'; status: number }
	| { reason: 'too-large' }
	/** `type` is the content type that the server sends; empty if it states none. */
	| { reason: 'type'; type: string }
	/** The page has no text that a reader could see. */
	| { reason: 'empty' }
	/** The address has a port of another protocol. */
	| { reason: 'port' }
	/** The server cannot be reached, or not in time. */
	| { reason: 'unreachable' };

export type WebText = { kind: 'text'; text: string; language?: string } | { kind: 'refused'; refusal: WebRefusal };

/** Returns the reason why an address is refused before its name is resolved, if there is one. */
export function refusalOfAddress({ protocol, username, password }: URL): WebRefusal | undefined {
	if (protocol !== 'https:') {
		return { reason: 'not-https' };
	}
	return username === '' && password === '' ? undefined : { reason: 'credentials' };
}

/** Never rejects. */
export async function fetchWebText(
	url: URL,
	network: GuardedNetwork = { trustedOrigins: [] },
	signal?: AbortSignal,
): Promise<WebText> {
	const refusal = refusalOfAddress(url);
	if (refusal) {
		return refused(refusal);
	}
	try {
		const limits = { maximumBytes: MAXIMUM_BYTES, maximumRedirects: MAXIMUM_REDIRECTS, timeoutMs: TIMEOUT_MS };
		const { headers, bytes } = await getGuarded(url, { ...network, ...limits, headers: HEADERS, signal });
		return readText(bytes, headers['content-type'] ?? '', headers['content-encoding'] ?? 'identity');
	} catch (error) {
		return refused(error instanceof GuardRefusal ? refusalOf(error) : { reason: 'unreachable' });
	}
}

function refusalOf({ reason, target, status }: GuardRefusal): WebRefusal {
	switch (reason) {
		case 'redirected':
			return target ? { reason, target } : { reason: 'redirects' };
		case 'unreachable':
			return status === undefined ? { reason } : { reason: 'status', status };
		default:
			return { reason };
	}
}

function readText(bytes: Uint8Array, contentType: string, encoding: string): WebText {
	const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
	const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
	const isJson = type === 'application/json' || type.endsWith('+json');
	if (encoding !== 'identity') {
		return refused({ reason: 'type', type: encoding });
	}
	if (!isHtml && !isJson && !type.startsWith('text/')) {
		return refused({ reason: 'type', type });
	}
	const decoded = decode(bytes, /charset="?([\w-]{1,40})/i.exec(contentType)?.[1] ?? (isHtml ? charsetOf(bytes) : ''));
	// Text that no reader sees could still instruct the model.
	const text = plainText(isHtml ? htmlText(decoded) : decoded);
	if (text.trim() === '') {
		return refused({ reason: 'empty' });
	}
	const language = isJson ? 'json' : isHtml || type === 'text/markdown' ? 'markdown' : undefined;
	return { kind: 'text', text, ...defined({ language: language || undefined }) };
}

/** Returns the encoding that a page states in its head, or an empty string. */
function charsetOf(bytes: Uint8Array): string {
	const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
	return /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(head)?.[1] ?? '';
}

/** Decodes text. An unknown encoding is read as UTF-8. */
function decode(bytes: Uint8Array, charset: string): string {
	try {
		return new TextDecoder(charset || 'utf-8').decode(bytes);
	} catch {
		return new TextDecoder().decode(bytes);
	}
}

function refused(refusal: WebRefusal): WebText {
	return { kind: 'refused', refusal };
}
