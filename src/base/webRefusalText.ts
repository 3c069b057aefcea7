import * as l10n from '@vscode/l10n';
import type { WebRefusal } from './fetchWebText.ts';
import { cut } from './plainText.ts';

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
