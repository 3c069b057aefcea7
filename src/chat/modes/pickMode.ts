import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { PickList } from '../../platform/pick.ts';
import { TURN_MODES, type TurnMode } from '../model/mode.ts';
import { MODE_ICONS, modeDescription, modeLabel } from '../protocol/labels.ts';

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
	const list = new PickList<Row, TurnMode>(picker => {
		picker.title = vscode.l10n.t('Messages in This Conversation');
		picker.placeholder = vscode.l10n.t(
			'One message can ask for something else: begin it with /chat, /agent, /search or /image.',
		);
		picker.onDidAccept(() => {
			const [row] = picker.selectedItems;
			if (row && row.refusal === undefined) {
				list.end(row.mode);
			}
		});
	});
	const rows = TURN_MODES.map(mode => {
		const refusal = refusals[mode];
		return {
			mode,
			refusal,
			label: `$(${refusal === undefined ? MODE_ICONS[mode] : 'circle-slash'}) ${modeLabel(mode)}`,
			description: modeDescription(mode),
			...defined({ detail: refusal }),
		};
	});
	list.show(
		rows,
		rows.find(({ mode }) => mode === current),
	);
	return list.result;
}
