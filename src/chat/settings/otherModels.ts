import * as vscode from 'vscode';
import type { Connection } from '../../contract/connection.ts';
import type { ConnectionModel } from '../../contract/modelIdentifier.ts';
import { executeCommand } from '../../platform/commands.ts';
import { showMessage } from '../../platform/notify.ts';
import { type Choice, separator, shownText } from '../../platform/pick.ts';
import type { Chat } from '../conversation/chat.ts';
import { isForChat } from '../model/modelChoices.ts';
import { decisionModelText, newDecisionButton, notForChatText } from './messages.ts';
import { modelRow } from './modelRow.ts';

/** A model that the chat cannot use. The decision model is only a name. */
export type OtherModel = { other: ConnectionModel } | { decision: string };

/** Returns the rows of the models that are not for chat, so that users see what they are for. */
export function otherModelRows(connection: Connection): Choice<OtherModel>[] {
	const { models, decisionModel } = connection;
	const rows = models
		.filter(model => !isForChat(model))
		.map(model => ({ ...modelRow(connection, { name: model.id, model }, false), value: { other: model } }));
	const decisions =
		decisionModel === undefined
			? []
			: [
					{
						label: `$(blank) ${shownText(decisionModel)}`,
						detail: `$(blank) ${vscode.l10n.t('decisions')}`,
						value: { decision: decisionModel },
					},
				];
	const all: Choice<OtherModel>[] = [...rows, ...decisions];
	return all.length === 0 ? [] : [separator(vscode.l10n.t('Not for chat')), ...all];
}

/** Makes an image model the conversation's. For other models, says where they can be used. */
export function useOther(chat: Chat, chosen: OtherModel): void {
	if ('decision' in chosen) {
		void tellDecisionModel(chosen.decision);
		return;
	}
	const { id, kinds } = chosen.other;
	if (kinds.includes('image')) {
		void chat.choose({ imageModel: id });
	} else {
		void showMessage('information', notForChatText(id, kinds));
	}
}

async function tellDecisionModel(name: string): Promise<void> {
	const { label, command } = newDecisionButton();
	if ((await showMessage('information', decisionModelText(name), label)) === label) {
		await executeCommand(command);
	}
}
