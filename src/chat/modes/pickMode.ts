import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { TURN_MODES, type TurnMode } from '../model/mode.ts';
import { modeDescription, modeLabel } from '../protocol/labels.ts';

interface Row extends vscode.QuickPickItem {
	mode: TurnMode;
	refusal: string | undefined;
}

/**
 * Asks for the mode of the conversation's messages. A mode that the connection has no model for says why and cannot be
 * chosen.
 */
export function pickMode(
	current: TurnMode,
	refusals: Partial<Record<TurnMode, string>>,
): Promise<TurnMode | undefined> {
	const pick = vscode.window.createQuickPick<Row>();
	pick.title = vscode.l10n.t('Messages in This Conversation');
	pick.placeholder = vscode.l10n.t('One message can ask for something else: begin it with /chat, /search or /image.');
	pick.items = TURN_MODES.map(mode => {
		const refusal = refusals[mode];
		return {
			mode,
			refusal,
			label: `$(${refusal === undefined ? MODE_ICONS[mode] : 'circle-slash'}) ${modeLabel(mode)}`,
			description: modeDescription(mode),
			...defined({ detail: refusal }),
		};
	});
	pick.activeItems = pick.items.filter(({ mode }) => mode === current);
	return new Promise(resolve => {
		pick.onDidAccept(() => {
			const [row] = pick.selectedItems;
			if (row && row.refusal === undefined) {
				resolve(row.mode);
				pick.hide();
			}
		});
		pick.onDidHide(() => {
			resolve(undefined);
			pick.dispose();
		});
		pick.show();
	});
}

const MODE_ICONS: Record<TurnMode, string> = { chat: 'comment', search: 'globe', image: 'file-media' };
