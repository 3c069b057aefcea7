import * as vscode from 'vscode';
import { MAXIMUM_SOURCES } from '../model/citations.ts';
import type { TurnMode } from '../model/mode.ts';

export function modeLabel(mode: TurnMode): string {
	switch (mode) {
		case 'chat':
			return vscode.l10n.t('Chat');
		case 'search':
			return vscode.l10n.t('Search');
		case 'image':
			return vscode.l10n.t('Image');
	}
}

export function modeDescription(mode: TurnMode): string {
	switch (mode) {
		case 'chat':
			return vscode.l10n.t('Ask the chat model');
		case 'search':
			return vscode.l10n.t('Answer with sources of the web');
		case 'image':
			return vscode.l10n.t('Make an image of what you describe');
	}
}

/** The note under the list of a reply's sources. */
export function sourcesCutText(): string {
	const most = new Intl.NumberFormat(vscode.env.language).format(MAXIMUM_SOURCES);
	return vscode.l10n.t('The service gave more citations; the first {0} are kept.', most);
}

/** Why a mode cannot be used with a connection. */
export function noModeText(mode: TurnMode, connection: string): string {
	return mode === 'search'
		? vscode.l10n.t('{0} has no search model. Switch the connection to search the web.', connection)
		: vscode.l10n.t('{0} has no image model. Switch the connection to make images.', connection);
}
