import * as vscode from 'vscode';
import type { Connection } from '../../contract/connection.ts';
import type { ConnectionModel } from '../../contract/modelIdentifier.ts';
import { type Choice, choose, separator, shownText } from '../../platform/pick.ts';
import type { Chat } from '../conversation/chat.ts';
import { modelRow, onlyDemoRows, typeModel } from './modelRow.ts';
import type { ModelServers } from './modelSources.ts';

type Row = { name: string } | 'other' | 'add-server';

/** Lets the user choose the model that generates the conversation's images, or type its name. */
export async function selectImageModel(
	chat: Chat,
	connection: Connection,
	servers: Pick<ModelServers, 'add'>,
): Promise<void> {
	const title = vscode.l10n.t('Image Model of This Conversation');
	const known = imageModelsOf(connection);
	const chosen = chat.conversation.settings?.imageModel;
	const current = chosen ?? known[0]?.id ?? '';
	const strange = chosen === undefined || known.some(({ id }) => id === chosen) ? [] : [chosen];
	const models: Choice<Row>[] = [
		...strange.map(name => ({ label: `$(check) ${shownText(name)}`, value: { name } })),
		...known.map(model => ({
			...modelRow(connection, { name: model.id, model }, model.id === current),
			value: { name: model.id },
		})),
	];
	const items: Choice<Row>[] = [
		...onlyDemoRows(connection),
		...models,
		separator(vscode.l10n.t('More')),
		{ label: vscode.l10n.t('$(edit) Other Model…'), value: 'other' },
	];
	const placeHolder = vscode.l10n.t('Select the model that generates the images of this conversation');
	const active = models.find(({ value }) => typeof value === 'object' && value.name === current)?.value;
	const row = models.length === 0 ? 'other' : await choose(title, items, { placeHolder, active });
	if (row === 'add-server') {
		return servers.add(chat);
	}
	const imageModel = row === 'other' ? await typeModel(title, chosen ?? '') : row?.name;
	if (imageModel !== undefined) {
		void chat.choose({ imageModel });
	}
}

export function imageModelsOf({ models }: Connection): ConnectionModel[] {
	return models.filter(({ kinds }) => kinds.includes('image'));
}
