import * as vscode from 'vscode';
import type { TurnMode } from '../model/mode.ts';

/** Why a mode cannot be used with a connection. */
export function noModeText(mode: TurnMode, connection: string): string {
	return mode === 'search'
		? vscode.l10n.t('{0} has no search model. Switch the connection to search the web.', connection)
		: vscode.l10n.t('{0} has no image model. Switch the connection to make images.', connection);
}
