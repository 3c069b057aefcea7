// The sign-ins at MCP servers at addresses: the question, the page in the browser and the answer.
import * as vscode from 'vscode';
import { type AuthorizationOptions, RemoteAuthorization, type SignInPage } from '../../agents/mcp/authorization.ts';
import { digestOfServer } from '../../agents/mcp/mcpServers.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { oneLine } from '../../base/plainText.ts';
import { type RemoteServer, signInSecret } from '../../contract/mcpServers.ts';
import { askModal, showMessage } from '../../platform/notify.ts';
import { withProgressNotice } from '../../platform/progressNotice.ts';
import type { SignInLinks } from '../../platform/signInLinks.ts';

const SIGN_IN_MS = 10 * 60_000;
const MAXIMUM_SHOWN = 600;

export class SignIns {
	private readonly secrets: AuthorizationOptions['secrets'];
	private readonly links: Pick<SignInLinks, 'address' | 'open' | 'answer'>;
	/** One per declaration and name, so that nobody is asked twice at the same time. */
	private readonly known = new Map<string, RemoteAuthorization>();

	constructor(secrets: AuthorizationOptions['secrets'], links: Pick<SignInLinks, 'address' | 'open' | 'answer'>) {
		this.secrets = secrets;
		this.links = links;
	}

	/** Returns what signs in at a server. */
	at(server: RemoteServer & { folder: string | undefined }): RemoteAuthorization {
		const key = `${server.name} ${digestOfServer(server)}`;
		const known =
			this.known.get(key) ??
			new RemoteAuthorization(server, {
				key: signInSecret(server),
				secrets: this.secrets,
				returnAddress: () => this.links.address(),
				open: (page, redeem) => this.open(server.name, page, redeem),
			});
		this.known.set(key, known);
		return known;
	}

	private async open(
		name: string,
		{ page, state, scope }: SignInPage,
		redeem: (answer: URLSearchParams) => Promise<void>,
	): Promise<void> {
		const openPage = vscode.l10n.t('Open Page');
		const detail = [
			vscode.l10n.t(
				'The page is at {0}, which the server has named. What you allow there is kept as a secret of the editor and sent to this server alone.',
				oneLine(page.host, MAXIMUM_SHOWN),
			),
			...(scope === '' ? [] : [vscode.l10n.t('It asks for: {0}', oneLine(scope, MAXIMUM_SHOWN))]),
		];
		const question = vscode.l10n.t('The MCP server “{0}” wants you to sign in. Open its page in the browser?', name);
		if ((await askModal(question, detail.join('\n'), openPage)) !== openPage) {
			throw new UserFacingError(vscode.l10n.t('you did not sign in. You are asked again at its next use.'));
		}
		const answer = await this.answerOf(page, state);
		try {
			await redeem(answer);
		} catch (error) {
			// The agent may not have waited for it.
			void showMessage(
				'error',
				vscode.l10n.t('The sign-in for the MCP server “{0}” has failed: {1}', name, describeError(error)),
			);
			throw error;
		}
		void showMessage(
			'information',
			vscode.l10n.t(
				'You are signed in for the MCP server “{0}”. If the agent has not waited for it, send another message.',
				name,
			),
		);
	}

	private answerOf(page: URL, state: string): Promise<URLSearchParams> {
		return withProgressNotice(vscode.l10n.t('Waiting for the sign-in at {0}…', page.host), async cancelled => {
			const signal = AbortSignal.any([cancelled, AbortSignal.timeout(SIGN_IN_MS)]);
			const answered = this.links.answer(state, signal).catch(() => undefined);
			const answer = (await this.links.open(page)) ? await answered : undefined;
			if (answer === undefined) {
				throw new UserFacingError(vscode.l10n.t('the sign-in was not finished. You are asked again at its next use.'));
			}
			return answer;
		});
	}
}
