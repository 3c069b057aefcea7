import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import type { UnusedServer } from '../../models/api.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { type Explanation, showExplanation, showMessage } from '../../platform/notify.ts';
import { type Choice, choose, chooseSomeOrType, NO_ICON, PickList, separator, shownText } from '../../platform/pick.ts';
import type { Chat } from '../conversation/chat.ts';
import {
	alternatesOf,
	atHand,
	type ModelChoice,
	type ModelGroup,
	modelChoices,
	toKeep,
	withRecent,
} from '../model/modelChoices.ts';
import type { ModelView } from '../protocol/protocol.ts';
import { imageModelsOf, selectImageModel } from './imageModelPicker.ts';
import { addServerRow, modelRow, modelWords, onlyDemoRows, typeModel } from './modelRow.ts';
import type { ModelServers, ModelSources } from './modelSources.ts';

/** The conversation that a model is chosen for, and the connection that it is asked on. */
export interface ModelSubject {
	chat: Chat;
	connection: Connection;
	/** The model that answers if the conversation names none. */
	defaultModel: string | undefined;
}

export interface ModelPickerOptions {
	subject: ModelSubject;
	models: ModelSources;
	servers: ModelServers;
	editParameters(): Promise<void>;
	explainError(error: unknown): Explanation;
}

type Row =
	| { model: string }
	| { server: UnusedServer }
	| 'alternates'
	| 'image'
	| 'other'
	| 'parameters'
	| 'default'
	| 'add-server'
	| 'connection';

/** Lets the user choose the conversation's model and its options. */
export async function selectModel(options: ModelPickerOptions): Promise<void> {
	const chosen = await showList(options);
	switch (chosen) {
		case undefined:
			return;
		case 'alternates':
			return selectAlternates(options.subject, options.servers);
		case 'image':
			return selectImageModel(options.subject.chat, options.subject.connection, options.servers);
		case 'other': {
			const name = await typeModel(vscode.l10n.t('Model'), currentModel(options.subject));
			return name === undefined ? undefined : use(options.subject, options.models, name);
		}
		case 'parameters':
			return options.editParameters();
		case 'default':
			void options.subject.chat.choose({ model: undefined, models: undefined });
			return;
		case 'add-server':
			return options.servers.add(options.subject.chat);
		case 'connection':
			await executeCommand(commands.switchConnection);
			return;
		default:
			return useRow(options, chosen);
	}
}

function useRow({ subject, models }: ModelPickerOptions, chosen: Extract<Row, object>): void {
	if ('server' in chosen) {
		chosen.server.ask();
	} else {
		use(subject, models, chosen.model);
	}
}

const currentModel = ({ chat, defaultModel }: ModelSubject) => chat.conversation.settings?.model ?? defaultModel ?? '';

/** Returns the models that the composer offers beside the whole list. */
export function modelsAtHand(subject: ModelSubject, models: ModelSources): ModelView[] {
	const current = currentModel(subject);
	return atHand(choicesOf(subject, models), current).map(choice => {
		const { name: id } = choice;
		const { label, meaning, facts } = modelWords(subject.connection, choice);
		const detail = [meaning, facts].filter(part => part !== '').join(' · ');
		return { id, name: label, isCurrent: id === current, ...defined({ detail: detail || undefined }) };
	});
}

/** Makes the conversation use a model. */
export function use({ chat, connection }: ModelSubject, { recent }: ModelSources, model: string): void {
	recent.write(connection.name, withRecent(recent.read(connection.name), model));
	void chat.choose({ model, models: alternatesOf(model, chat.conversation.settings?.models) });
}

/** Shows the list with a button that asks the service for its models. Without a list from it, this one is unchanged. */
async function showList(options: ModelPickerOptions): Promise<Row | undefined> {
	const { subject, models, servers } = options;
	const { connection } = subject;
	const refresh = {
		iconPath: new vscode.ThemeIcon('refresh'),
		tooltip: vscode.l10n.t('Get Models from the Service'),
	};
	const list = new PickList<Choice<Row>, Row>(pick => {
		pick.title = vscode.l10n.t('Model of This Conversation');
		pick.placeholder = vscode.l10n.t('Models of {0}', connection.label ?? connection.name);
		pick.matchOnDescription = true;
		pick.matchOnDetail = true;
		pick.buttons = [refresh];
		pick.onDidTriggerButton(() => askService(pick));
		pick.onDidAccept(() => {
			const [row] = pick.selectedItems;
			if (row) {
				list.take(row.value);
			}
		});
	});
	const unused = connection.name === LOCAL_CONNECTION_NAME ? await servers.unused() : [];
	const rows = (): [items: Choice<Row>[], active: Choice<Row> | undefined] => {
		const items = rowsOf(subject, models, unused);
		const current = currentModel(subject);
		return [items, items.find(({ value }) => typeof value === 'object' && 'model' in value && value.model === current)];
	};
	const askService = async (pick: vscode.QuickPick<Choice<Row>>) => {
		pick.busy = true;
		try {
			const listed = await models.discover();
			if (listed) {
				models.found.write(connection.name, toKeep(listed));
			}
			if (listed === undefined) {
				const text = vscode.l10n.t(
					'Couldn’t read a list of models from {0}. Add models with “Errand: Switch or Add Connection”, or type a name under Other Model.',
					connection.label ?? connection.name,
				);
				void showMessage('information', text);
			} else {
				list.redraw(...rows());
			}
		} catch (error) {
			void showExplanation(options.explainError(error));
		}
		pick.busy = false;
	};
	list.show(...rows());
	return list.result;
}

function choicesOf(subject: ModelSubject, { recent, found }: ModelSources): ModelChoice[] {
	const { connection } = subject;
	return modelChoices(connection, {
		recent: recent.read(connection.name),
		found: found.read(connection.name),
		current: currentModel(subject),
	});
}

function rowsOf(subject: ModelSubject, sources: ModelSources, unused: readonly UnusedServer[]): Choice<Row>[] {
	const { chat, connection, defaultModel } = subject;
	const current = currentModel(subject);
	const { model, models = [] } = chat.conversation.settings ?? {};
	const isLocal = connection.name === LOCAL_CONNECTION_NAME;
	const choices = choicesOf(subject, sources);
	const firstRows = onlyDemoRows(connection);
	return [
		...firstRows,
		...choices.flatMap((choice, index) => [
			...(choices[index - 1]?.group === choice.group ? [] : [separator<Row>(groupTexts[choice.group])]),
			{ ...modelRow(connection, choice, choice.name === current), value: { model: choice.name } },
		]),
		...serverRows(vscode.l10n.t('Found on this machine'), unused, 'found'),
		...serverRows(vscode.l10n.t('Didn’t list their models'), unused, 'failing'),
		separator(vscode.l10n.t('More')),
		...(isLocal && firstRows.length === 0 ? [addServerRow()] : []),
		{
			label: vscode.l10n.t('$(list-ordered) Alternates…'),
			description: shownText(models.join(', ')),
			value: 'alternates',
		},
		{
			label: vscode.l10n.t('$(file-media) Image Model…'),
			description: shownText(chat.conversation.settings?.imageModel ?? imageModelsOf(connection)[0]?.id ?? ''),
			value: 'image',
		},
		{ label: vscode.l10n.t('$(settings) Parameters…'), value: 'parameters' },
		{ label: vscode.l10n.t('$(edit) Other Model…'), value: 'other' },
		...(model === undefined
			? []
			: [
					{
						label: vscode.l10n.t('$(discard) As in the Settings'),
						description: shownText(defaultModel ?? ''),
						value: 'default' as const,
					},
				]),
		{ label: vscode.l10n.t('$(plug) Switch Connection…'), value: 'connection' },
	];
}

function serverRows(heading: string, servers: readonly UnusedServer[], kind: UnusedServer['kind']): Choice<Row>[] {
	const shown = servers.filter(server => server.kind === kind);
	return [
		...(shown.length === 0 ? [] : [separator<Row>(heading)]),
		...shown.map(server => ({
			label: `${kind === 'failing' ? '$(warning)' : NO_ICON} ${server.label}…`,
			description: server.place,
			detail: `${NO_ICON} ${server.reason}`,
			value: { server },
		})),
	];
}

const groupTexts: Record<ModelGroup, string> = {
	unlisted: vscode.l10n.t('Selected, but not listed by the connection'),
	recent: vscode.l10n.t('Recent'),
	aliases: vscode.l10n.t('Aliases'),
	models: vscode.l10n.t('Models'),
	code: vscode.l10n.t('Made for code'),
	found: vscode.l10n.t('Listed by the service'),
};

async function selectAlternates(subject: ModelSubject, servers: ModelServers): Promise<void> {
	const { chat, connection } = subject;
	const { models = [] } = chat.conversation.settings ?? {};
	const title = vscode.l10n.t('Alternates');
	const placeHolder = vscode.l10n.t('Models that may serve in place of {0}, in this order', currentModel(subject));
	const firstRows = onlyDemoRows(connection);
	if (firstRows.length > 0) {
		const go = { label: vscode.l10n.t('$(list-selection) Select a Demo…'), value: 'demos' as const };
		const next = await choose<'add-server' | 'demos'>(title, [...firstRows, go], { placeHolder });
		if (next !== 'demos') {
			return next && servers.add(chat);
		}
	}
	const names = connection.models.filter(({ kinds }) => kinds.includes('chat')).map(({ id }) => id);
	const ordered = [...models, ...names.filter(name => !models.includes(name))];
	const items = ordered
		.filter(name => name !== currentModel(subject))
		.map(name => ({ label: shownText(name), value: name }));
	const chosen = await chooseSomeOrType(title, placeHolder, items, models);
	if (chosen) {
		void chat.choose({ models: chosen.length === 0 ? undefined : chosen });
	}
}
