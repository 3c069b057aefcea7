// Fetches the text of an address that the user has agreed to contact, or says why there is none.

import * as l10n from '@vscode/l10n';
import { defined } from './defined.ts';
import { type GuardedNetwork, GuardRefusal, getGuarded } from './guardedRequest.ts';
import { htmlText } from './htmlText.ts';
import { cut, plainText } from './plainText.ts';

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

/** The maximum length of a content type, in UTF-16 code units. */
const MAXIMUM_LABEL = 60;

/** Returns a sentence that says why a page has no text. */
export function webRefusalText(refusal: Exclude<WebRefusal, { reason: 'redirected' }>, { host, href }: URL): string {
	switch (refusal.reason) {
		case 'not-https':
			return l10n.t(
				'Nothing was requested from {0}: Errand fetches pages only over https. Start the address with https:// if {0} supports it.',
				host,
			);
		case 'credentials':
			return l10n.t(
				'Nothing was requested from {0}: the address contains a user name or password. Remove it, or paste the text of the page.',
				host,
			);
		case 'private':
			return l10n.t(
				'Nothing was requested from {0}: Errand doesn’t fetch pages from this machine or its network. Paste the text of the page.',
				host,
			);
		case 'redirects':
			return l10n.t('{0} redirects too many times. Open the page, and copy its text.', host);
		case 'status':
			return statusText(refusal.status, host, href);
		case 'too-large':
			return l10n.t('The page at {0} is larger than 1 MB. Save it, and add the relevant part.', host);
		case 'type':
			return refusal.type === ''
				? l10n.t(
						'{0} doesn’t say what kind of content it sent, so it isn’t read. Save it, and add the file if it’s text.',
						host,
					)
				: l10n.t(
						'{0} sent {1}, and Errand reads only pages, text, Markdown and JSON. Save it, and add the file if it’s text.',
						host,
						cut(refusal.type, MAXIMUM_LABEL),
					);
		case 'empty':
			return l10n.t('The page at {0} has no text until its scripts run. Open it, and copy its text.', host);
		case 'port':
			return l10n.t(
				'Nothing was requested from {0}: the port belongs to a protocol other than https. Check the address.',
				host,
			);
		case 'unreachable':
			return l10n.t(
				'Couldn’t reach {0}, or it didn’t respond within 20 seconds. Check the address and your network, then try again.',
				host,
			);
	}
}

function statusText(status: number, host: string, href: string): string {
	switch (status) {
		case 401:
		case 403:
			return l10n.t(
				'{0} requires you to sign in, which Errand can’t do (HTTP {1}). Open the page, and copy its text.',
				host,
				status,
			);
		case 404:
		case 410:
			return l10n.t('{0} has no page at this address (HTTP {1}). Check the address: {2}', host, status, href);
		default:
			return l10n.t('{0} responded with HTTP {1}. Open the page, and copy its text.', host, status);
	}
}
