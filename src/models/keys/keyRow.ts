import * as vscode from 'vscode';
import { escapeIcons } from '../../base/plainText.ts';
import { type Action, action, staying } from '../../platform/actionList.ts';
import { hasMovedToEditor } from '../../platform/editorUse.ts';
import { askModal } from '../../platform/notify.ts';
import { choose } from '../../platform/pick.ts';
import { withProgress } from '../../platform/progressNotice.ts';
import { isKeyRefusal, type KeyCheck } from '../model/keyCheck.ts';
import { keyEnding } from '../model/keyFormat.ts';
import { type StoredKey, stateOf } from './keyStore.ts';
import { answerWord, dateText, keyTitle, kindLabel, kindPurpose } from './messages.ts';
import type { ServiceKey } from './serviceKey.ts';

const STATUS_MS = 5000;

/** Returns the row of one key, which lets the user set, check, confirm, replace, rotate and remove it. */
export async function keyRow(key: ServiceKey, label = kindLabel(key.use.kind)): Promise<Action<'leave'>> {
	const purpose = kindPurpose(key.use.kind);
	if (key.origins === '') {
		const nothing = staying(async () => {});
		const detail = vscode.l10n.t('The connection has no address {0}.', purpose);
		return action('circle-slash', label, nothing, vscode.l10n.t('not available'), detail);
	}
	const destination = vscode.l10n.t('Sent only to {0}, {1}', key.origins, purpose);
	const stored = await key.read();
	if (!stored) {
		const set = staying(() => key.set());
		return action('circle-outline', label, set, vscode.l10n.t('not set'), destination);
	}
	const isConfirmed = stateOf(stored, key.use.slot) === 'set';
	return action(
		isConfirmed ? iconOf(stored) : 'warning',
		label,
		() => chooseAction(key, stored, isConfirmed),
		stateText(stored),
		isConfirmed
			? `${datesText(stored)} ${destination}`
			: vscode.l10n.t('Not sent: the addresses have changed since it was saved. Now: {0}', key.origins),
	);
}

function stateText({ key, check }: StoredKey): string {
	const ending = keyEnding(key);
	const set = ending === '' ? vscode.l10n.t('set') : vscode.l10n.t('set, ends in {0}', ending);
	return `${set} · ${check ? answerWord(check) : vscode.l10n.t('not checked yet')}`;
}

function datesText({ savedAt, check }: StoredKey): string {
	return check
		? vscode.l10n.t('Saved {0}, checked {1}.', dateText(savedAt), dateText(check.at))
		: vscode.l10n.t('Saved {0}.', dateText(savedAt));
}

function iconOf({ check }: StoredKey): string {
	return check && isKeyRefusal(check) ? 'error' : check?.answer === 'accepted' ? 'pass' : 'key';
}

async function chooseAction(key: ServiceKey, stored: StoredKey, isConfirmed: boolean): Promise<'leave' | undefined> {
	const row = (icon: string, label: string, detail: string, run: () => Promise<unknown>) =>
		action<'leave'>(icon, label, staying(run), '', detail);
	const check = () => checkAndShow(key, stored.key);
	const isFree = vscode.l10n.t('Check whether the service accepts the key. Free of charge.');
	const use = vscode.l10n.t('Use this key for {0}', key.origins);
	const rotation = key.use.page
		? vscode.l10n.t('Create a key in the dashboard, check it, then replace this one.')
		: vscode.l10n.t('Check a new key, then replace this one. The connection has no dashboard to open.');
	const validity = vscode.l10n.t('It stays valid until you delete it at the service.');
	const chosen = await choose(
		keyTitle(key.use),
		[
			// A key that still needs confirmation is not sent anywhere, not even for a check.
			isConfirmed
				? action('check', vscode.l10n.t('Check'), check, '', isFree)
				: row('check', vscode.l10n.t('Confirm'), use, () => key.save(stored.key)),
			row('edit', vscode.l10n.t('Replace…'), '', () => key.set()),
			row('sync', vscode.l10n.t('Rotate…'), rotation, () => key.rotate(stored.key)),
			row('trash', vscode.l10n.t('Remove…'), validity, () => remove(key)),
		],
		{ placeHolder: stored.check ? key.sentenceOf(stored.check) : '' },
	);
	return chosen?.();
}

/**
 * The list comes back with the result. If the user has moved to an editor meanwhile, a notification shows it instead, as
 * a list would take the keyboard focus from the editor.
 */
async function checkAndShow(key: ServiceKey, secret: string): Promise<'leave' | undefined> {
	let check: KeyCheck | undefined;
	const hasGone = await hasMovedToEditor(async () => {
		check = await checkVisibly(() => key.checkSaved(secret));
	});
	if (hasGone && check) {
		void key.tell(check);
	}
	return hasGone ? 'leave' : undefined;
}

export function checkVisibly<T>(run: () => Promise<T>): Promise<T> {
	return withProgress(vscode.l10n.t('Checking the key…'), run, { isNotice: true });
}

async function remove(key: ServiceKey): Promise<void> {
	const yes = vscode.l10n.t('Remove');
	const { kind, service } = key.use;
	const question = vscode.l10n.t('Remove the {0} of {1}?', kindLabel(kind), service);
	if ((await askModal(question, vscode.l10n.t('Errand can’t show or restore it afterward.'), yes)) === yes) {
		await key.remove();
		const removed = vscode.l10n.t('{0} removed from {1}', kindLabel(kind), service);
		vscode.window.setStatusBarMessage(escapeIcons(removed), STATUS_MS);
	}
}
