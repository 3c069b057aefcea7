import * as vscode from 'vscode';
import type { Disposable, MutableDisposable } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { escapeIcons } from '../../base/plainText.ts';
import type { Client } from '../../client/types.ts';
import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { showMessage } from '../../platform/notify.ts';
import { isKeyRefusal, type KeyCheck } from '../model/keyCheck.ts';
import { connectionKey } from '../model/keyFormat.ts';
import { askForKey } from './askForKey.ts';
import { checkKey } from './checkKey.ts';
import type { KeyStore } from './keyStore.ts';
import { answerSentence, connectionLabel, kindLabel } from './messages.ts';

const STATUS_MS = 8000;

export interface KeysContext {
	store: KeyStore;
	/** Creates a client for the connection that sends this key. */
	client(connection: Connection, key: string): Promise<Client>;
	logger: Logger;
	/** The status bar message about the key that was saved last; a later one replaces it. */
	note: MutableDisposable<Disposable>;
}

/** Asks for a key, saves it, and reports whether the service accepts it. */
export async function setKey(context: KeysContext, connection: Connection, kind: KeyKind): Promise<void> {
	const key = await askForKey({ connection, kind });
	if (key !== undefined) {
		await saveAndTell(context, connection, kind, key);
	}
}

/** Saves a key and resolves without waiting for its check, the result of which is shown as soon as it is known. */
export async function saveAndTell(
	context: KeysContext,
	connection: Connection,
	kind: KeyKind,
	key: string,
): Promise<void> {
	await saveKey(context, connection, kind, key);
	const saved = vscode.l10n.t('{0} saved for {1}', kindLabel(kind), connectionLabel(connection));
	context.note.value = vscode.window.setStatusBarMessage(escapeIcons(saved));
	void checkSaved(context, connection, kind, key).then(check => {
		if (!check) {
			return;
		}
		if (isKeyRefusal(check)) {
			context.note.value = undefined;
			tellCheck(context, connection, kind, check);
		} else {
			const sentence = answerSentence(check, kind, connection);
			context.note.value = vscode.window.setStatusBarMessage(escapeIcons(`${saved}. ${sentence}`), STATUS_MS);
		}
	});
}

export async function saveKey(
	{ store, logger }: KeysContext,
	connection: Connection,
	kind: KeyKind,
	key: string,
	check?: KeyCheck,
): Promise<void> {
	await store.save(connectionKey(connection, kind), key, check);
	logger.log('info', 'key saved', { connection: connection.name, keyKind: kind });
}

/**
 * Checks a saved key and stores the result with it. Resolves with undefined if another key has replaced it meanwhile.
 * Never rejects.
 */
export async function checkSaved(
	context: KeysContext,
	connection: Connection,
	kind: KeyKind,
	key: string,
): Promise<KeyCheck | undefined> {
	const check = await checkWithService(context, connection, kind, key);
	try {
		return (await context.store.keepCheck(connectionKey(connection, kind), key, check)) ? check : undefined;
	} catch (error) {
		context.logger.log('warn', 'the answer of a check could not be kept', { reason: describeError(error) });
		return check;
	}
}

/** Checks a key that may not have been saved yet. Never rejects. */
export async function checkWithService(
	{ client, logger }: KeysContext,
	connection: Connection,
	kind: KeyKind,
	key: string,
): Promise<KeyCheck> {
	const check = await checkKey(await client(connection, key), kind);
	logger.log('info', 'key checked', { connection: connection.name, keyKind: kind, code: check.answer });
	return check;
}

/** Shows the result of a check in a notification. */
export function tellCheck(context: KeysContext, connection: Connection, kind: KeyKind, check: KeyCheck): void {
	const sentence = answerSentence(check, kind, connection);
	if (!isKeyRefusal(check)) {
		void showMessage('information', sentence);
		return;
	}
	const replace = vscode.l10n.t('Replace');
	void showMessage('error', sentence, replace).then(chosen =>
		chosen === replace ? setKey(context, connection, kind) : undefined,
	);
}
