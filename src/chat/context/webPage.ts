import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { fetchWebText, refusalOfAddress, webRefusalText } from '../../base/fetchWebText.ts';
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
				throw new UserFacingError(webRefusalText(refusal, url));
			}
			if (refusal.target.host === '') {
				throw new UserFacingError(
					vscode.l10n.t(
						'{0} redirects to an address that starts with “{1}”, and Errand fetches pages only over https. Open the page, and copy its text.',
						host,
						refusal.target.protocol,
					),
				);
			}
			[from, url] = [url, withoutFragment(refusal.target)];
		}
		throw new UserFacingError(webRefusalText({ reason: 'redirects' }, url));
	}

	/** `from` is the address that redirects to this one. */
	private async isAgreed(url: URL, from: URL | undefined): Promise<boolean> {
		if (this.agreed.has(url.href)) {
			return true;
		}
		const { host, href } = url;
		const question = from
			? vscode.l10n.t('{0} redirects to {1}. Fetch the page from there?', from.host, host)
			: vscode.l10n.t('Fetch a page from {0}?', host);
		const detail = [
			href,
			vscode.l10n.t('Errand requests it from {0} without cookies or keys, and adds its text to the chat.', host),
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
