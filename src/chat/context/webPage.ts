import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { fetchWebText, refusalOfAddress, type WebRefusal } from '../../base/fetchWebText.ts';
import { cut } from '../../base/plainText.ts';
import { askModal } from '../../platform/notify.ts';
import { withProgressNotice } from '../../platform/progressNotice.ts';
import type { ContextSource } from '../model/contextSource.ts';

/** The maximum number of hosts that an address may lead to. */
const MAXIMUM_HOSTS = 5;

/** The maximum length of a chip's label, in UTF-16 code units. */
const MAXIMUM_LABEL = 60;

/** Web pages as context. An address is contacted only after the user has agreed to its host, once for each address. */
export class WebPages {
	private readonly isEncrypted: () => boolean;
	/** The addresses that the user has agreed to. */
	private readonly agreed = new Set<string>();

	/** `isEncrypted` returns whether the page is for an encrypted conversation. */
	constructor(isEncrypted: () => boolean) {
		this.isEncrypted = isEncrypted;
	}

	/** Resolves to the source of a page, or to none if the user declines. Throws a sentence if it cannot be context. */
	async sources(address: URL): Promise<ContextSource[]> {
		let url = withoutFragment(address);
		let from: URL | undefined;
		for (let hosts = 0; hosts < MAXIMUM_HOSTS; hosts++) {
			if (!refusalOfAddress(url) && !(await this.isAgreed(url, from))) {
				return [];
			}
			const { host } = url;
			const fetched = await withProgressNotice(vscode.l10n.t('Fetching {0}', host), async signal => {
				const outcome = await fetchWebText(url, undefined, signal);
				return signal.aborted ? undefined : outcome;
			});
			if (!fetched) {
				return [];
			}
			if (fetched.kind === 'text') {
				const { text, language } = fetched;
				const label = cut(`${host}${url.pathname === '/' ? '' : url.pathname}`, MAXIMUM_LABEL);
				return [{ kind: 'web', uri: url.href, label, text, ...defined({ language }) }];
			}
			const { refusal } = fetched;
			if (refusal.reason !== 'redirected') {
				throw new UserFacingError(refusalText(refusal, url));
			}
			if (refusal.target.host === '') {
				throw new UserFacingError(
					vscode.l10n.t(
						'{0} sends on to an address that begins with “{1}”, and Errand fetches pages over https alone. Open the page, and copy its text.',
						host,
						refusal.target.protocol,
					),
				);
			}
			[from, url] = [url, withoutFragment(refusal.target)];
		}
		throw new UserFacingError(refusalText({ reason: 'redirects' }, url));
	}

	/** `from` is the address that redirects to this one. */
	private async isAgreed(url: URL, from: URL | undefined): Promise<boolean> {
		if (this.agreed.has(url.href)) {
			return true;
		}
		const { host, href } = url;
		const question = from
			? vscode.l10n.t('{0} sends on to {1}. Fetch the page from there?', from.host, host)
			: vscode.l10n.t('Fetch a page from {0}?', host);
		const detail = [
			href,
			vscode.l10n.t('Errand asks {0} for it without cookies or keys, and adds its text to the chat.', host),
			...(this.isEncrypted()
				? [vscode.l10n.t('The conversation is encrypted, but {0} sees this address and where you ask from.', host)]
				: []),
		].join('\n');
		const yes = vscode.l10n.t('Fetch');
		const isYes = (await askModal(question, detail, yes)) === yes;
		if (isYes) {
			this.agreed.add(href);
		}
		return isYes;
	}
}

/** Returns the address that is typed after `#` or `@`; undefined for any other word. */
export function webAddress(word: string): URL | undefined {
	const url = /^https?:\/\/[^\s/]/i.test(word) ? URL.parse(word) : null;
	return url ?? undefined;
}

function withoutFragment(address: URL): URL {
	const url = new URL(address);
	url.hash = '';
	return url;
}

function refusalText(refusal: Exclude<WebRefusal, { reason: 'redirected' }>, { host, href }: URL): string {
	switch (refusal.reason) {
		case 'not-https':
			return vscode.l10n.t(
				'{0} was not asked: Errand fetches pages over https alone. Write https:// in front of the address if {0} has it.',
				host,
			);
		case 'credentials':
			return vscode.l10n.t(
				'{0} was not asked: the address has a user name or a password in it. Take it out, or paste the text of the page.',
				host,
			);
		case 'private':
			return vscode.l10n.t(
				'{0} was not asked: it is on this machine or in its network, from where Errand fetches nothing. Paste the text of the page.',
				host,
			);
		case 'redirects':
			return vscode.l10n.t(
				'{0} sends from one address to the next without an end. Open the page, and copy its text.',
				host,
			);
		case 'status':
			return statusText(refusal.status, host, href);
		case 'too-large':
			return vscode.l10n.t('{0} sends more than 1 MB. Save the page, and add the part that matters.', host);
		case 'type':
			return refusal.type === ''
				? vscode.l10n.t(
						'{0} does not say what it sends, so it is not read. Save it, and add the file if it is text.',
						host,
					)
				: vscode.l10n.t(
						'{0} sends {1}, and Errand reads pages, text, Markdown and JSON. Save it, and add the file if it is text.',
						host,
						cut(refusal.type, MAXIMUM_LABEL),
					);
		case 'empty':
			return vscode.l10n.t('The page of {0} has no text before its scripts run. Open it, and copy its text.', host);
		case 'port':
			return vscode.l10n.t(
				'{0} was not asked: the port is one of another protocol than https. Check the address.',
				host,
			);
		case 'unreachable':
			return vscode.l10n.t(
				'{0} cannot be reached, or did not answer within 20 seconds. Check the address and the network, then try again.',
				host,
			);
	}
}

function statusText(status: number, host: string, href: string): string {
	switch (status) {
		case 401:
		case 403:
			return vscode.l10n.t(
				'{0} needs a sign-in, which Errand does not have (HTTP {1}). Open the page, and copy its text.',
				host,
				status,
			);
		case 404:
		case 410:
			return vscode.l10n.t('{0} has no page at this address (HTTP {1}). Check the address: {2}', host, status, href);
		default:
			return vscode.l10n.t('{0} answered with HTTP {1}. Open the page, and copy its text.', host, status);
	}
}
