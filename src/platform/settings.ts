import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import type { Disposable } from '../base/disposable.ts';
import { UserFacingError } from '../base/errors.ts';
import { onDidChangeValue, waitUntil } from '../base/event.ts';
import { type SettingId, type SettingTypes, settingScopes } from './ids.ts';

const ARRIVAL_MS = 3_000;

/** Returns the value as the editor resolves it from user, workspace and default within the setting's scope. */
export function readSetting<K extends SettingId>(id: K): SettingTypes[K] {
	return vscode.workspace.getConfiguration().get(id) as SettingTypes[K];
}

/** Reads a setting that must be a text. Any other value in the settings file is an error for the user. */
export function readTextSetting(id: 'errand.chat.model' | 'errand.chat.instructions'): string {
	const value: unknown = readSetting(id);
	if (typeof value !== 'string') {
		throw new UserFacingError(vscode.l10n.t('Couldn’t read the setting {0}: it must be text. Correct it.', id));
	}
	return value;
}

/** Writes to the user's settings. */
export function writeSetting<K extends SettingId>(id: K, value: SettingTypes[K]): Thenable<void> {
	return vscode.workspace.getConfiguration().update(id, value, vscode.ConfigurationTarget.Global);
}

export function clearSetting(id: SettingId): Thenable<void> {
	return vscode.workspace.getConfiguration().update(id, undefined, vscode.ConfigurationTarget.Global);
}

/** Explains why a setting cannot be written, in the editor's own words. */
export function notWritten(error: unknown): UserFacingError {
	const reason = error instanceof Error ? error.message : '';
	return new UserFacingError(vscode.l10n.t('Couldn’t write the settings: {0}', reason), { cause: error });
}

/**
 * Resolves when a setting that was just written has arrived here, which may take a moment in a remote editor. It does
 * not wait long: if another scope has precedence, the value never arrives.
 */
export async function settingHolds<K extends SettingId>(
	id: K,
	holds: (value: SettingTypes[K]) => boolean,
): Promise<void> {
	await waitUntil(() => holds(readSetting(id)), vscode.workspace.onDidChangeConfiguration, ARRIVAL_MS);
}

export async function openSetting(id: SettingId): Promise<void> {
	// In a remote window, a machine setting is among the remote's settings, not the user's.
	const isRemote = settingScopes[id] === 'machine' && vscode.env.remoteName !== undefined;
	const open = isRemote ? 'workbench.action.openRemoteSettings' : 'workbench.action.openSettings';
	await vscode.commands.executeCommand(open, isRemote ? { query: id } : `@id:${id}`);
}

/**
 * Compares the settings by value. A served or remote editor reads settings of `machine` scope from the machine, may
 * have them only after it has activated the extension, and then fires an event that does not name them.
 */
export function onDidChangeSetting(ids: readonly SettingId[], listener: () => void): Disposable {
	return onDidChangeValue(vscode.workspace.onDidChangeConfiguration, () => ids.map(readSetting), listener);
}

/** Returns the proxy that the editor is configured to use, for programs that the extension starts. */
export function readEditorProxy(): { url?: string; except: readonly string[] } {
	const http = vscode.workspace.getConfiguration('http');
	const url = http.get<string>('proxy');
	return { ...defined({ url: url || undefined }), except: http.get<string[]>('noProxy') ?? [] };
}

/** Returns whether saving the document may change its text, according to the user's editor settings. */
export function changesTextOnSave(document: vscode.TextDocument): boolean {
	const settings = vscode.workspace.getConfiguration(undefined, document);
	const actions = settings.get<Record<string, unknown>>('editor.codeActionsOnSave') ?? {};
	return (
		Object.keys(actions).length > 0 ||
		['editor.formatOnSave', 'files.insertFinalNewline', 'files.trimFinalNewlines', 'files.trimTrailingWhitespace'].some(
			name => settings.get(name) === true,
		)
	);
}
