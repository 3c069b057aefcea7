import * as vscode from 'vscode';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import type { ListedModel } from '../../contract/modelList.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { type Explanation, offer, showExplanation, showMessage } from '../../platform/notify.ts';
import { type Choice, choose, chooseSome, input, PickList, separator } from '../../platform/pick.ts';
import type { Chat } from '../conversation/chat.ts';
import {
	alternatesOf,
	bareModel,
	hostsOf,
	type ModelChoice,
	type ModelGroup,
	modelChoices,
	prefixesFor,
	toKeep,
	withRecent,
} from '../model/modelChoices.ts';
import { modelText } from './messages.ts';
import type { RoutingTarget } from './routingEditor.ts';

export interface ModelPickerOptions {
	chat: Chat;
	connection: Connection;
	/** Returns the models that the service lists, or undefined where it has no list that can be read. */
	discover(): Promise<ListedModel[] | undefined>;
	/** The recently used models of a connection. */
	recent: { read(connection: string): readonly string[]; write(connection: string, names: string[]): void };
	/** The models that the service listed when it was last asked. */
	found: { read(connection: string): readonly ListedModel[]; write(connection: string, found: ListedModel[]): void };
	/** Model servers of this machine that the local connection does not use yet. */
	unusedServers(): Promise<readonly UnusedServer[]>;
	defaultModel: string | undefined;
	/** The conversation's routing policy. */
	target: Pick<RoutingTarget, 'read' | 'write'>;
	editParameters(): Promise<void>;
	explainError(error: unknown): Explanation;
}

/** A server whose models the list would have if the user agreed to it. */
export interface UnusedServer {
	label: string;
	place: string;
	/** Why it is not used, as sentences. */
	reason: string;
	/** Asks the user whether to use it. */
	ask(): void;
}

type Row =
	| { model: string }
	| { server: UnusedServer }
	| 'prefix'
	| 'alternates'
	| 'other'
	| 'parameters'
	| 'default'
	| 'connection';

/** Lets the user choose the conversation's model and the options that go with it. */
export async function selectModel(options: ModelPickerOptions): Promise<void> {
	const chosen = await showList(options);
	switch (chosen) {
		case undefined:
			return;
		case 'prefix':
			return throughProvider(options);
		case 'alternates':
			return selectAlternates(options);
		case 'other': {
			const title = vscode.l10n.t('Model');
			const prompt = vscode.l10n.t('The name as in a request: an id, an alias or a full path');
			const name = await input(title, prompt, currentModel(options), text =>
				text.trim() === '' ? vscode.l10n.t('Write the name of a model.') : undefined,
			);
			return name === undefined ? undefined : use(options, name.trim());
		}
		case 'parameters':
			return options.editParameters();
		case 'default':
			void options.chat.choose({ model: undefined, models: undefined });
			return;
		case 'connection':
			await executeCommand(commands.switchConnection);
			return;
		default:
			return 'server' in chosen ? chosen.server.ask() : use(options, chosen.model);
	}
}

const currentModel = ({ chat, defaultModel }: ModelPickerOptions) =>
	chat.conversation.settings?.model ?? defaultModel ?? '';

function use({ chat, connection, recent }: ModelPickerOptions, model: string): void {
	recent.write(connection.name, withRecent(recent.read(connection.name), model));
	void chat.choose({ model, models: alternatesOf(model, chat.conversation.settings?.models) });
}

/**
 * Shows the list with a button that asks the service for its models. Where the service has no list, this one stays as
 * it is.
 */
async function showList(options: ModelPickerOptions): Promise<Row | undefined> {
	const { connection, discover, found } = options;
	const refresh = {
		iconPath: new vscode.ThemeIcon('refresh'),
		tooltip: vscode.l10n.t('Ask the Service for Its Models'),
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
				list.end(row.value);
			}
		});
	});
	const unused = connection.name === LOCAL_CONNECTION_NAME ? await options.unusedServers() : [];
	const show = () => {
		const items = rowsOf(options, unused);
		const current = currentModel(options);
		list.show(
			items,
			items.find(({ value }) => typeof value === 'object' && 'model' in value && value.model === current),
		);
	};
	const askService = async (pick: vscode.QuickPick<Choice<Row>>) => {
		pick.busy = true;
		try {
			const listed = await discover();
			if (listed) {
				found.write(connection.name, toKeep(listed));
			}
			if (listed === undefined) {
				const text = vscode.l10n.t(
					'{0} has no list of models that can be read. Add models to the connection in the settings, or type a name under Other Model.',
					connection.label ?? connection.name,
				);
				void showMessage('information', text);
			} else if (list.current) {
				show();
			}
		} catch (error) {
			void showExplanation(options.explainError(error));
		}
		pick.busy = false;
	};
	show();
	return list.result;
}

function rowsOf(options: ModelPickerOptions, unused: readonly UnusedServer[]): Choice<Row>[] {
	const { chat, connection, recent, found, defaultModel } = options;
	const current = currentModel(options);
	const choices = modelChoices(connection, {
		recent: recent.read(connection.name),
		found: found.read(connection.name),
		current,
	});
	const { model, models = [] } = chat.conversation.settings ?? {};
	return [
		...choices.flatMap((choice, index) => [
			...(choices[index - 1]?.group === choice.group ? [] : [separator<Row>(groupText(choice.group))]),
			modelRow(connection, choice, choice.name === current),
		]),
		...(unused.length === 0 ? [] : [separator<Row>(vscode.l10n.t('Found on this machine'))]),
		...unused.map(server => ({
			label: `$(blank) ${server.label}…`,
			description: server.place,
			detail: `$(blank) ${server.reason}`,
			value: { server },
		})),
		separator(vscode.l10n.t('More')),
		{
			label: vscode.l10n.t('$(server) Through a Provider…'),
			...(connection.plan === 'enterprise' ? {} : { description: vscode.l10n.t('enterprise host only') }),
			value: 'prefix',
		},
		{ label: vscode.l10n.t('$(list-ordered) Alternates…'), description: models.join(', '), value: 'alternates' },
		{ label: vscode.l10n.t('$(settings) Parameters…'), value: 'parameters' },
		{ label: vscode.l10n.t('$(edit) Other Model…'), value: 'other' },
		...(model === undefined
			? []
			: [
					{
						label: vscode.l10n.t('$(discard) As in the Settings'),
						description: defaultModel ?? '',
						value: 'default' as const,
					},
				]),
		{ label: vscode.l10n.t('$(plug) Switch Connection…'), value: 'connection' },
	];
}

function modelRow(
	connection: Connection,
	{ name, model, alias, listed }: ModelChoice,
	isCurrent: boolean,
): Choice<Row> {
	const label = model?.label ?? listed?.name ?? name;
	const meaning = alias ? aliasText(alias.model, connection.plan) : label === name ? '' : name;
	const facts = model
		? modelText(model, hostsOf(connection, model.id).length > 1)
		: listed?.context_length
			? modelText({ id: name, kinds: ['chat'], contextLength: listed.context_length }, false)
			: '';
	return {
		label: `${isCurrent ? '$(check)' : '$(blank)'} ${alias ? name : label}`,
		description: meaning,
		...(facts === '' ? {} : { detail: `$(blank) ${facts}` }),
		value: { model: name },
	};
}

function aliasText(model: string, plan: Connection['plan']): string {
	return plan === 'enterprise'
		? vscode.l10n.t('alias of {0}', model)
		: vscode.l10n.t('alias of {0}, enterprise host only', model);
}

function groupText(group: ModelGroup): string {
	switch (group) {
		case 'unlisted':
			return vscode.l10n.t('Chosen, and not listed by the connection');
		case 'recent':
			return vscode.l10n.t('Recent');
		case 'aliases':
			return vscode.l10n.t('Aliases');
		case 'models':
			return vscode.l10n.t('Models');
		case 'code':
			return vscode.l10n.t('Made for code');
		case 'found':
			return vscode.l10n.t('Listed by the service');
	}
}

/** Only the enterprise host understands a prefix; elsewhere the order of the routing policy has the same effect. */
async function throughProvider(options: ModelPickerOptions): Promise<void> {
	const { connection, target, explainError } = options;
	const model = bareModel(connection, currentModel(options));
	const items = prefixesFor(connection, model).map(({ prefix, provider }) => ({
		label: `${prefix}/${model}`,
		description: provider === prefix ? '' : provider,
		value: { prefix, provider },
	}));
	if (items.length === 0) {
		void showMessage('information', vscode.l10n.t('The connection lists no provider prefix for {0}.', model));
		return;
	}
	const chosen = await choose(vscode.l10n.t('Through a Provider'), items, {
		placeHolder: vscode.l10n.t('The provider to try first; others follow when it cannot'),
	});
	if (chosen === undefined) {
		return;
	}
	if (connection.plan === 'enterprise' || chosen.prefix === connection.service) {
		return use(options, `${chosen.prefix}/${model}`);
	}
	offer(
		vscode.l10n.t(
			'Only the enterprise host understands a provider prefix, and this connection uses the public host. The routing policy can put {0} first instead.',
			chosen.provider,
		),
		vscode.l10n.t('Put It First in the Routing Policy'),
		() => target.write({ ...target.read(), order: [chosen.provider] }),
		explainError,
	);
}

async function selectAlternates(options: ModelPickerOptions): Promise<void> {
	const { chat, connection } = options;
	const { models = [] } = chat.conversation.settings ?? {};
	const names = connection.models.filter(({ kinds }) => kinds.includes('chat')).map(({ id }) => id);
	const ordered = [...models, ...names.filter(name => !models.includes(name))];
	const items = ordered
		.filter(name => name !== currentModel(options))
		.map(name => ({ label: name, picked: models.includes(name), value: name }));
	const title = vscode.l10n.t('Alternates');
	const placeHolder = vscode.l10n.t('Models that may serve in place of {0}, in this order', currentModel(options));
	const chosen = await chooseSome(title, placeHolder, items);
	if (chosen) {
		void chat.choose({ models: chosen.length === 0 ? undefined : chosen });
	}
}
