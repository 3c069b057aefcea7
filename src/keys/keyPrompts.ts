import * as vscode from 'vscode';
import type { Connection } from '../contract/connection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { showMessage } from '../platform/notify.ts';
import { askForKey } from './askForKey.ts';
import { keyStateOf } from './keyState.ts';
import { connectionLabel, kindLabel } from './messages.ts';
import { secretName } from './model/keyFormat.ts';
import { checkSaved, type KeysContext, saveKey, setKey } from './saveKey.ts';

/** Asks for missing keys when an action of the user needs them. */
export class KeyPrompts {
	private readonly context: KeysContext;
	/** The open questions by name of the secret, so that two actions that need the same key ask for it once. */
	private readonly open = new Map<string, Promise<boolean>>();

	constructor(context: KeysContext) {
		this.context = context;
	}

	/**
	 * Asks for the key if it is missing. Resolves with false if the user gave none, which a notification then says.
	 * `onAsk` is called when the question is shown.
	 */
	async ensure(connection: Connection, kind: KeyKind, onAsk?: () => void): Promise<boolean> {
		if ((await keyStateOf(this.context.store, connection, kind)) !== 'missing') {
			return true;
		}
		onAsk?.();
		const name = secretName(connection.name, kind);
		const asking = this.open.get(name) ?? this.ask(connection, kind).finally(() => this.open.delete(name));
		this.open.set(name, asking);
		return asking;
	}

	private async ask(connection: Connection, kind: KeyKind): Promise<boolean> {
		const key = await askForKey({
			connection,
			kind,
			reason: vscode.l10n.t('{0} needs a key for this.', connectionLabel(connection)),
		});
		if (key === undefined) {
			void this.sayMissing(connection, kind);
			return false;
		}
		await saveKey(this.context, connection, kind, key);
		// The check runs silently: the request that needs the key follows at once and reports a refused key itself.
		void checkSaved(this.context, connection, kind, key);
		return true;
	}

	private async sayMissing(connection: Connection, kind: KeyKind): Promise<void> {
		const add = vscode.l10n.t('Add Key');
		const message = vscode.l10n.t(
			'Nothing was sent: {0} needs a key for this ({1}). Add one, then try again.',
			connectionLabel(connection),
			kindLabel(kind),
		);
		if ((await showMessage('warning', message, add)) === add) {
			await setKey(this.context, connection, kind);
		}
	}
}
