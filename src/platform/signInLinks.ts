import * as vscode from 'vscode';
import { EXTENSION_ID } from './ids.ts';

/** The path of the link by which the browser returns from a sign-in. */
const SIGN_IN_PATH = '/sign-in';

/** The sign-ins in the browser that were begun in this window. */
export class SignInLinks {
	private readonly waiting = new Map<string, (answer: URLSearchParams) => void>();

	/** Resolves to the address by which the browser returns to this window. */
	async address(): Promise<string> {
		const link = vscode.Uri.parse(`${vscode.env.uriScheme}://${EXTENSION_ID}${SIGN_IN_PATH}`);
		return (await vscode.env.asExternalUri(link)).toString(true);
	}

	/** Opens a page in the browser. Resolves to false if the user or the system has refused. */
	open(page: URL): Thenable<boolean> {
		// The editor opens a string as it is. It would encode a Uri anew, which changes nested addresses.
		return vscode.env.openExternal(page.href.replaceAll('+', '%20') as unknown as vscode.Uri);
	}

	/** Resolves to what the browser brings back with a state. Rejects with the signal's reason. */
	answer(state: string, signal: AbortSignal): Promise<URLSearchParams> {
		return new Promise<URLSearchParams>((resolve, reject) => {
			this.waiting.set(state, resolve);
			signal.addEventListener('abort', () => reject(signal.reason), { once: true });
		}).finally(() => this.waiting.delete(state));
	}

	/** Takes the query of a link. One that no sign-in of this window waits for is refused with a message. */
	async take(query: string): Promise<void> {
		// A desktop has decoded the query, so that what looks like an escape is none. A browser passes it on as it is.
		const isDecoded = vscode.env.uiKind !== vscode.UIKind.Web;
		const encoded = isDecoded ? query.replaceAll('%', '%25').replaceAll('+', '%2B') : query;
		const answer = new URLSearchParams(encoded);
		const resolve = this.waiting.get(answer.get('state') ?? '');
		if (resolve === undefined) {
			const { showMessage } = await import('./notify.ts');
			void showMessage(
				'error',
				vscode.l10n.t(
					'This sign-in was not begun in this window, or it is over. Send the agent a message to begin it.',
				),
			);
		} else {
			resolve(answer);
		}
	}
}

/** Registers for the links by which the browser returns from a sign-in. Any other link does nothing. */
export function registerSignInLinks(subscriptions: vscode.Disposable[]): SignInLinks {
	const links = new SignInLinks();
	const handleUri = ({ path, query }: vscode.Uri) => (path === SIGN_IN_PATH ? links.take(query) : undefined);
	subscriptions.push(vscode.window.registerUriHandler({ handleUri }));
	return links;
}
