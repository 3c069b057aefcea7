import * as vscode from 'vscode';
import type { Disposable, MutableDisposable } from '../../base/disposable.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { escapeIcons } from '../../base/plainText.ts';
import type { Client } from '../../client/types.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { inertText } from '../../platform/inertText.ts';
import { showMessage } from '../../platform/notify.ts';
import { withProgress } from '../../platform/progressNotice.ts';
import type { KeyState } from '../api.ts';
import { failedCheck, isKeyRefusal, type KeyCheck } from '../model/keyCheck.ts';
import { connectionKey, type KeySlot, keyProblem } from '../model/keyFormat.ts';
import { type KeyStore, type StoredKey, stateOf } from './keyStore.ts';
import { answerSentence, connectionLabel, keyTitle, kindLabel, problemText } from './messages.ts';

const STATUS_MS = 8000;

export interface KeysContext {
	store: KeyStore;
	/** Creates a client for the connection that sends this key. */
	client(connection: Connection, key: string): Promise<Client>;
	logger: Logger;
	/** The status bar message about the key that was saved last; a later one replaces it. */
	note: MutableDisposable<Disposable>;
}

/** One key of a connection. */
export class ConnectionKey {
	readonly connection: Connection;
	readonly kind: KeyKind;
	readonly slot: KeySlot;
	/** The name of the connection for the user. */
	readonly service: string;
	private readonly context: KeysContext;

	constructor(context: KeysContext, connection: Connection, kind: KeyKind) {
		this.context = context;
		this.connection = connection;
		this.kind = kind;
		this.slot = connectionKey(connection, kind);
		this.service = connectionLabel(connection);
	}

	/** The origins to which it is sent. */
	get origins(): string {
		return this.slot.origins.join(', ');
	}

	get title(): string {
		return keyTitle(this.kind, this.connection);
	}

	/** Returns the result of a check as a sentence with the next step. */
	sentenceOf(check: KeyCheck): string {
		return answerSentence(check, this.kind, this.connection);
	}

	/** Returns the problem with the form of a key, as a sentence. */
	problemOf(key: string): string | undefined {
		const problem = keyProblem(this.kind, key, this.connection);
		return problem && problemText(problem, this.connection);
	}

	read(): Promise<StoredKey | undefined> {
		return this.context.store.read(this.slot);
	}

	async state(): Promise<KeyState> {
		return this.connection.name === LOCAL_CONNECTION_NAME || this.slot.origins.length === 0
			? 'not-needed'
			: stateOf(await this.read(), this.slot);
	}

	/**
	 * Returns the key for a request, or undefined if none is stored.
	 * @throws UserFacingError when the key was saved for other hosts.
	 */
	async forRequest(): Promise<string | undefined> {
		const { key, mustBeConfirmed } = await this.context.store.usable(this.slot);
		if (mustBeConfirmed) {
			throw new UserFacingError(
				vscode.l10n.t(
					'The addresses of {0} have changed since its key was saved, so the key wasn’t sent. Confirm it with “Errand: Manage Keys”.',
					this.service,
				),
				{ action: 'manageKeys' },
			);
		}
		return key;
	}

	/**
	 * Asks for the key, which is hidden while it is typed. The box names the connection, the kind and the hosts to which
	 * the key is sent, after `reason`. `replaces` is the present key, which is not an answer. Returns undefined if the
	 * user dismissed it.
	 */
	async ask({ reason, replaces }: { reason?: string; replaces?: string } = {}): Promise<string | undefined> {
		const keeping = vscode.l10n.t('Saved in the editor’s secret storage and sent only to {0}.', this.origins);
		const text = await vscode.window.showInputBox({
			title: this.title,
			prompt: inertText(reason === undefined ? keeping : `${reason} ${keeping}`),
			password: true,
			ignoreFocusOut: true,
			validateInput: typed => {
				const key = typed.trim();
				const problem =
					key !== '' && key === replaces
						? vscode.l10n.t('This is the current key. Paste the new one.')
						: this.problemOf(key);
				return problem && inertText(problem);
			},
		});
		return text?.trim();
	}

	/** Asks for the key, saves it, and reports whether the service accepts it. */
	async set(): Promise<void> {
		const key = await this.ask();
		if (key !== undefined) {
			await this.saveAndTell(key);
		}
	}

	async save(key: string, check?: KeyCheck): Promise<void> {
		await this.context.store.save(this.slot, key, check);
		this.log('key saved');
	}

	/** Saves a key and resolves without waiting for its check, the result of which is shown as soon as it is known. */
	async saveAndTell(key: string): Promise<void> {
		const { note } = this.context;
		await this.save(key);
		const saved = vscode.l10n.t('{0} saved for {1}', kindLabel(this.kind), this.service);
		note.value = vscode.window.setStatusBarMessage(escapeIcons(saved));
		void this.checkSaved(key).then(check => {
			if (check && isKeyRefusal(check)) {
				note.value = undefined;
				this.tell(check);
			} else if (check) {
				const text = escapeIcons(`${saved}. ${this.sentenceOf(check)}`);
				note.value = vscode.window.setStatusBarMessage(text, STATUS_MS);
			}
		});
	}

	async remove(): Promise<void> {
		await this.context.store.remove(this.slot);
		this.log('key removed');
	}

	/** Checks a key that may not have been saved yet. Never rejects. */
	async check(key: string): Promise<KeyCheck> {
		const check = await checkKey(await this.context.client(this.connection, key), this.kind);
		this.log('key checked', { code: check.answer });
		return check;
	}

	/**
	 * Checks a saved key and stores the result with it. Resolves with undefined if another key has replaced it meanwhile.
	 * Never rejects.
	 */
	async checkSaved(key: string): Promise<KeyCheck | undefined> {
		const check = await this.check(key);
		try {
			return (await this.context.store.keepCheck(this.slot, key, check)) ? check : undefined;
		} catch (error) {
			this.context.logger.log('warn', 'the answer of a check could not be kept', { reason: describeError(error) });
			return check;
		}
	}

	/** Shows the result of a check in a notification. */
	tell(check: KeyCheck): void {
		const sentence = this.sentenceOf(check);
		if (!isKeyRefusal(check)) {
			void showMessage('information', sentence);
			return;
		}
		const replace = vscode.l10n.t('Replace');
		void showMessage('error', sentence, replace).then(chosen => (chosen === replace ? this.set() : undefined));
	}

	/** Replaces the key `present` with a new one, once that has been checked and was not refused. */
	async rotate(present: string): Promise<void> {
		const { dashboardUrl } = this.connection;
		if (dashboardUrl !== undefined) {
			await vscode.env.openExternal(vscode.Uri.parse(dashboardUrl, true));
		}
		const reason = vscode.l10n.t(
			'Create a new key at {0} and paste it here. The current key stays in use until the new one is checked.',
			this.service,
		);
		for (;;) {
			const key = await this.ask({ replaces: present, reason });
			if (key === undefined) {
				return;
			}
			const check = await this.checkVisibly(() => this.check(key));
			const decision = await this.decide(check);
			if (decision === 'replace') {
				await this.save(key, check);
				const replaced = vscode.l10n.t('{0} now uses the new key. Delete the old one in its dashboard.', this.service);
				const message = check.answer === 'accepted' ? replaced : `${replaced} ${this.sentenceOf(check)}`;
				void showMessage('information', message);
			}
			if (decision !== 'again') {
				return;
			}
		}
	}

	checkVisibly<T>(run: () => Promise<T>): Promise<T> {
		return withProgress(vscode.l10n.t('Checking the key…'), run, { isNotice: true });
	}

	private async decide(check: KeyCheck): Promise<'replace' | 'again' | 'keep'> {
		const isRefused = isKeyRefusal(check);
		if (!isRefused && check.answer !== 'no-answer') {
			return 'replace';
		}
		const message = vscode.l10n.t('The current key stays in use. {0}', this.sentenceOf(check));
		const button = isRefused ? vscode.l10n.t('Try Again') : vscode.l10n.t('Replace Anyway');
		const chosen = await showMessage(isRefused ? 'error' : 'warning', message, button);
		return chosen !== button ? 'keep' : isRefused ? 'again' : 'replace';
	}

	private log(event: 'key saved' | 'key removed' | 'key checked', fields: { code?: string } = {}): void {
		this.context.logger.log('info', event, { connection: this.connection.name, keyKind: this.kind, ...fields });
	}
}

/**
 * Checks whether the service accepts a key by sending a request that costs nothing. `client` must send that key. Never
 * rejects.
 */
export async function checkKey(
	{ tasks, agentTasks, models }: Pick<Client, 'tasks' | 'agentTasks' | 'models'>,
	kind: KeyKind,
): Promise<KeyCheck> {
	const asks: Record<KeyKind, () => Promise<unknown>> = {
		cloud: () => tasks.list({ limit: 1 }),
		agent: () => agentTasks.list({ limit: 1 }),
		// contract: not shown. This is the only inference route that costs nothing, if a service offers it.
		inference: () => models.discover(),
	};
	try {
		const reply = await asks[kind]();
		return { at: Date.now(), answer: reply === undefined ? 'not-checkable' : 'accepted' };
	} catch (error) {
		return failedCheck(kind, error, Date.now());
	}
}
