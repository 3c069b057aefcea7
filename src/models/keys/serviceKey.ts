import * as vscode from 'vscode';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { escapeIcons } from '../../base/plainText.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import { showMessage } from '../../platform/notify.ts';
import type { KeyState } from '../api.ts';
import type { HostContext } from '../hosts/askHost.ts';
import { isKeyRefusal, type KeyCheck } from '../model/keyCheck.ts';
import { askKey, checkKey, type KeyQuestion } from './askKey.ts';
import { type KeyStore, type StoredKey, stateOf } from './keyStore.ts';
import type { KeyUse } from './keyUse.ts';
import { answerSentence, kindLabel } from './messages.ts';

const STATUS_MS = 8000;

export interface KeysContext {
	store: KeyStore;
	host: HostContext;
}

export class ServiceKey {
	readonly use: KeyUse;
	private readonly context: KeysContext;

	constructor(context: KeysContext, use: KeyUse) {
		this.context = context;
		this.use = use;
	}

	get origins(): string {
		return this.use.slot.origins.join(', ');
	}

	/** Returns the result of a check as a sentence with the next step. */
	sentenceOf(check: KeyCheck): string {
		return answerSentence(check, this.use);
	}

	read(): Promise<StoredKey | undefined> {
		return this.context.store.read(this.use.slot);
	}

	async state(): Promise<KeyState> {
		const { name, slot } = this.use;
		return name === LOCAL_CONNECTION_NAME || slot.origins.length === 0
			? 'not-needed'
			: stateOf(await this.read(), slot);
	}

	/**
	 * Returns the key for a request, or undefined if none is stored.
	 * @throws UserFacingError when the key was saved for other hosts.
	 */
	async forRequest(): Promise<string | undefined> {
		const { key, mustBeConfirmed } = await this.context.store.usable(this.use.slot);
		if (mustBeConfirmed) {
			throw new UserFacingError(
				vscode.l10n.t(
					'The addresses of {0} have changed since its key was saved, so the key wasn’t sent. Confirm it with “Errand: Manage Keys”.',
					this.use.service,
				),
				{ action: 'manageKeys' },
			);
		}
		return key;
	}

	/** Asks for the key, which is checked meanwhile, and saves it. Resolves with false if the user gave none. */
	async set(question: KeyQuestion = {}): Promise<boolean> {
		const entered = await askKey(this.use, this.context.host, question);
		if (typeof entered !== 'object') {
			return false;
		}
		const { key, check } = entered;
		await this.save(key, check);
		const saved = vscode.l10n.t('{0} saved for {1}', kindLabel(this.use.kind), this.use.service);
		const text = check === undefined ? saved : `${saved}. ${this.sentenceOf(check)}`;
		vscode.window.setStatusBarMessage(escapeIcons(text), STATUS_MS);
		return true;
	}

	async save(key: string, check?: KeyCheck): Promise<void> {
		await this.context.store.save(this.use.slot, key, check);
		this.log('key saved');
	}

	async remove(): Promise<void> {
		await this.context.store.remove(this.use.slot);
		this.log('key removed');
	}

	/** Checks a key that may not have been saved yet. Never rejects. */
	async check(key: string): Promise<KeyCheck> {
		const check = await checkKey(this.use, key, { ...this.context.host, signal: new AbortController().signal });
		this.log('key checked', { code: check.answer });
		return check;
	}

	/**
	 * Checks a saved key and stores the result with it. Resolves with undefined if another key has replaced it meanwhile.
	 * Never rejects.
	 */
	async checkSaved(key: string): Promise<KeyCheck | undefined> {
		const check = await this.check(key);
		const { store, host } = this.context;
		try {
			return (await store.keepCheck(this.use.slot, key, check)) ? check : undefined;
		} catch (error) {
			host.logger.log('warn', 'the answer of a check could not be kept', { reason: describeError(error) });
			return check;
		}
	}

	async tell(check: KeyCheck): Promise<void> {
		const sentence = this.sentenceOf(check);
		const replace = vscode.l10n.t('Replace');
		const buttons = isKeyRefusal(check) ? [replace] : [];
		if ((await showMessage(isKeyRefusal(check) ? 'error' : 'information', sentence, ...buttons)) === replace) {
			await this.set();
		}
	}

	/** Replaces the key `present` with a new one, once that has been checked and was not refused. */
	async rotate(present: string): Promise<void> {
		const { page, service } = this.use;
		if (page !== undefined) {
			await vscode.env.openExternal(vscode.Uri.parse(page, true));
		}
		const reason = vscode.l10n.t(
			'Create a new key at {0} and paste it here. The current key stays in use until the new one is checked.',
			service,
		);
		if (await this.set({ reason, replaces: present })) {
			const sentence = vscode.l10n.t('{0} now uses the new key. Delete the old one in its dashboard.', service);
			void showMessage('information', sentence);
		}
	}

	private log(event: 'key saved' | 'key removed' | 'key checked', fields: { code?: string } = {}): void {
		const { name, kind } = this.use;
		this.context.host.logger.log('info', event, { connection: name, keyKind: kind, ...fields });
	}
}
