import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { Connection } from '../../contract/connection.ts';
import { chatEndpointOf, findModel } from '../../contract/modelIdentifier.ts';
import { routingPolicySchema } from '../../contract/routingPolicy.ts';
import { zeroDataRetentionOf } from '../../contract/zeroDataRetention.ts';
import type { PickerEnd } from '../../platform/editorUse.ts';
import { type Explanation, showExplanation, showMessage } from '../../platform/notify.ts';
import { type Choice, choose, chooseSomeOrType, NO_ICON, separator } from '../../platform/pick.ts';
import { readSetting, writeSetting } from '../../platform/settings.ts';
import type { Chat } from '../conversation/chat.ts';
import { RequestRefusal, type SettingsSource } from '../model/applySettings.ts';
import { nameOf, PRESETS, type Preset, presetSettings } from '../model/presets.ts';
import { previewOf } from '../model/preview.ts';
import {
	type ReplySettings,
	type RetentionChoice,
	replySettings,
	retentionInForce,
	settingsInForce,
} from '../model/settings.ts';
import { presetLabel, retentionText, routingLabel } from '../protocol/labels.ts';
import type { ModelView } from '../protocol/protocol.ts';
import { imageModelsOf, selectImageModel } from './imageModelPicker.ts';
import { presetDetails, reasonText, retentionLabel } from './messages.ts';
import { type ModelSubject, modelsAtHand, selectModel, use } from './modelPicker.ts';
import type { ModelServers, ModelSources } from './modelSources.ts';
import { editParameters } from './parameterEditor.ts';
import { editRouting, providerChoices, type RoutingTarget } from './routingEditor.ts';

export interface SettingsPickersOptions {
	/** The conversation that is shown. */
	shown(): Promise<Chat>;
	/** The model that the settings name for new conversations. */
	defaultModel(): Promise<string | undefined>;
	source: SettingsSource;
	models: ModelSources;
	servers: ModelServers;
	explainError(error: unknown): Explanation;
}

type RoutingAction = Preset | 'retention' | 'edit' | 'preview' | 'reset' | 'edit-default' | 'settings';

/**
 * The quick picks behind the buttons under the composer, which edit the shown conversation's choices. None of them
 * waits until a choice is on disk: the next list or the keyboard focus follows, and must not arrive late.
 */
export class SettingsPickers {
	private readonly options: SettingsPickersOptions;

	constructor(options: SettingsPickersOptions) {
		this.options = options;
	}

	/** Resolves to the models that the composer offers. */
	async modelsAtHand(): Promise<ModelView[]> {
		return modelsAtHand(await this.subject(await this.options.shown()), this.options.models);
	}

	/** Makes a conversation use a model. */
	async useModel(chat: Chat, model: string): Promise<void> {
		use(await this.subject(chat), this.options.models, model);
	}

	private async subject(chat: Chat): Promise<ModelSubject> {
		const { source, defaultModel } = this.options;
		return { chat, connection: await source.connection(), defaultModel: await defaultModel() };
	}

	selectModel(): Promise<PickerEnd> {
		return this.run(async (chat, connection) => {
			const { models, servers, defaultModel, explainError } = this.options;
			await selectModel({
				subject: { chat, connection, defaultModel: await defaultModel() },
				models,
				servers,
				editParameters: () => this.parametersOf(chat, connection),
				explainError,
			});
			return undefined;
		});
	}

	selectRouting(): Promise<PickerEnd> {
		return this.run((chat, connection) => this.pickRouting(chat, connection));
	}

	/** Asks for the model that generates a conversation's images if none is known. */
	async nameImageModel(chat: Chat): Promise<void> {
		const connection = await this.options.source.connection();
		if (chat.conversation.settings?.imageModel === undefined && imageModelsOf(connection).length === 0) {
			await selectImageModel(chat, connection, this.options.servers);
		}
	}

	/**
	 * Runs a picker on one conversation, even if another one is shown meanwhile. Resolves when no list is open any more.
	 */
	private async run(pick: (chat: Chat, connection: Connection) => Promise<PickerEnd>): Promise<PickerEnd> {
		try {
			const [chat, connection] = await Promise.all([this.options.shown(), this.options.source.connection()]);
			return await pick(chat, connection);
		} catch (error) {
			// The message is not awaited, because a notification may stay open for a long time.
			if (error instanceof RequestRefusal && error.problem.kind === 'setting') {
				void offerSettings(error.problem.setting, error.problem.issue);
			} else {
				void showExplanation(this.options.explainError(error));
			}
			return undefined;
		}
	}

	private async pickRouting(chat: Chat, connection: Connection): Promise<PickerEnd> {
		const defaults = this.options.source.defaults();
		const { settings } = chat.conversation;
		const { routing } = settingsInForce(defaults, settings);
		const name = nameOf(routing);
		const hasOwn = settings?.routing !== undefined || settings?.retention !== undefined;
		const asked = await this.askedBy(chat);
		const endpoint = chatEndpointOf(connection, asked.model);
		const retention = zeroDataRetentionOf(connection, { model: asked.model, provider: routing }, endpoint);
		const items: Choice<RoutingAction>[] = [
			...PRESETS.map(preset => ({
				label: `${name.preset === preset ? '$(check)' : NO_ICON} ${presetLabel(preset)}`,
				description: preset === 'only' && routing.only ? routing.only.join(', ') : presetDetails[preset],
				value: preset,
			})),
			separator(vscode.l10n.t('This conversation')),
			{
				label: vscode.l10n.t('$(database) Zero Data Retention…'),
				description: retentionLabel(retentionInForce(defaults, settings)),
				detail: `${NO_ICON} ${retentionText(retention)}`,
				value: 'retention',
			},
			{ label: vscode.l10n.t('$(edit) Edit All Fields…'), description: routingLabel(name), value: 'edit' },
			{ label: vscode.l10n.t('$(eye) Preview Providers…'), value: 'preview' },
			...(hasOwn
				? [
						{
							label: vscode.l10n.t('$(discard) As in the Settings'),
							description: routingLabel(nameOf(settingsInForce(defaults).routing)),
							value: 'reset' as const,
						},
					]
				: []),
			separator(vscode.l10n.t('All conversations')),
			{ label: vscode.l10n.t('$(settings) Edit the Default Routing Policy…'), value: 'edit-default' },
			{ label: vscode.l10n.t('$(json) Open in Settings'), value: 'settings' },
		];
		const chosen = await choose(vscode.l10n.t('Routing Policy'), items, {
			placeHolder: vscode.l10n.t('How providers are chosen for this conversation'),
			active: name.preset === 'custom' ? undefined : name.preset,
		});
		switch (chosen) {
			case undefined:
				break;
			case 'retention':
				await this.retentionOf(chat, connection);
				break;
			case 'edit':
				await editRouting(connection, this.conversationTarget(chat, connection));
				break;
			case 'preview':
				await this.preview(connection, asked);
				break;
			case 'reset':
				void chat.choose({ routing: undefined, retention: undefined });
				break;
			case 'edit-default':
				await editRouting(connection, this.defaultTarget(chat, connection));
				break;
			case 'settings':
				await openSettings('errand.chat.routing');
				return 'elsewhere';
			case 'only': {
				const slugs = await chooseProviders(connection, routing.only ?? []);
				void (slugs && chat.choose(presetSettings('only', defaults.routing, slugs)));
				break;
			}
			default:
				void chat.choose(presetSettings(chosen, defaults.routing));
		}
		return undefined;
	}

	private async retentionOf(chat: Chat, connection: Connection): Promise<void> {
		const defaults = this.options.source.defaults();
		const asked = await this.askedBy(chat);
		const endpoint = chatEndpointOf(connection, asked.model);
		const held = (retention: RetentionChoice) => {
			const { zdr: _, ...others } = asked.provider ?? {};
			const provider = retention === 'account' ? others : { ...others, zdr: retention };
			return retentionText(zeroDataRetentionOf(connection, { model: asked.model, provider }, endpoint));
		};
		const choices: RetentionChoice[] = [true, false, 'account'];
		const items: Choice<RetentionChoice | 'default'>[] = [
			...choices.map(value => ({
				label: retentionLabel(value),
				description:
					value === 'account' ? vscode.l10n.t('requests nothing') : vscode.l10n.t('requests {0}', `zdr: ${value}`),
				detail: held(value),
				value,
			})),
			{
				label: vscode.l10n.t('As in the settings'),
				description: retentionLabel(retentionInForce(defaults)),
				value: 'default',
			},
		];
		const chosen = await choose<RetentionChoice | 'default'>(
			vscode.l10n.t('Zero Data Retention of This Conversation'),
			items,
			{
				placeHolder: vscode.l10n.t('Providers that keep nothing of a request after the reply'),
				active: chat.conversation.settings?.retention ?? 'default',
			},
		);
		if (chosen !== undefined) {
			void chat.choose({ retention: chosen === 'default' ? undefined : chosen });
		}
	}

	private async parametersOf(chat: Chat, connection: Connection): Promise<void> {
		const { model } = await this.askedBy(chat);
		await editParameters({
			defaults: this.options.source.defaults().parameters,
			read: () => chat.conversation.settings?.parameters ?? {},
			write: async parameters =>
				void chat.choose({ parameters: Object.keys(parameters).length === 0 ? undefined : parameters }),
			contextLength: findModel(connection, model)?.contextLength,
		});
	}

	/** Resolves to the model and settings of the conversation's next request. */
	private async askedBy(chat: Chat): Promise<ReplySettings> {
		const { settings } = chat.conversation;
		const model = settings?.model ?? (await this.options.defaultModel()) ?? '';
		return replySettings(model, settingsInForce(this.options.source.defaults(), settings));
	}

	private conversationTarget(chat: Chat, connection: Connection): RoutingTarget {
		return {
			title: vscode.l10n.t('Routing Policy of This Conversation'),
			read: () => settingsInForce(this.options.source.defaults(), chat.conversation.settings).routing,
			write: async ({ zdr, ...routing }) => {
				const retention: RetentionChoice = zdr ?? 'account';
				const inForce = retentionInForce(this.options.source.defaults(), chat.conversation.settings);
				// A retention that was not changed continues to follow the settings.
				void chat.choose({ routing, ...defined({ retention: retention === inForce ? undefined : retention }) });
			},
			preview: async () => this.preview(connection, await this.askedBy(chat)),
		};
	}

	private defaultTarget(chat: Chat, connection: Connection): RoutingTarget {
		return {
			title: vscode.l10n.t('Default Routing Policy'),
			read: () => routingPolicySchema.safeParse(readSetting('errand.chat.routing')).data ?? {},
			write: async routing => writeSetting('errand.chat.routing', routing),
			preview: async () => {
				const { model } = await this.askedBy(chat);
				await this.preview(connection, replySettings(model, settingsInForce(this.options.source.defaults())));
			},
		};
	}

	/** Shows the providers for information only: choosing a row does nothing. */
	private async preview(connection: Connection, asked: ReplySettings): Promise<void> {
		const rows = previewOf(connection, asked);
		const icons = { remains: '$(check)', unclear: '$(question)', out: '$(circle-slash)' };
		const words = {
			remains: vscode.l10n.t('Can serve'),
			unclear: vscode.l10n.t('Not known'),
			out: vscode.l10n.t('Left out'),
		};
		const items = rows.flatMap((row, index): Choice<string>[] => [
			...(rows[index - 1]?.verdict === row.verdict ? [] : [separator<string>(words[row.verdict])]),
			{
				label: `${icons[row.verdict]} ${row.slug}`,
				...defined({ description: row.label === undefined || row.label === row.slug ? undefined : row.label }),
				detail: `${NO_ICON} ${row.reasons.map(reasonText).join(' · ')}`,
				value: row.slug,
			},
		]);
		const none: Choice<string> = {
			label: vscode.l10n.t('The connection lists no providers, so only the service knows which ones it has.'),
			value: '',
		};
		await choose(vscode.l10n.t('Providers for {0}', asked.model), items.length === 0 ? [none] : items, {
			placeHolder: vscode.l10n.t('Based on the connection’s data; not guaranteed by the service'),
		});
	}
}

async function chooseProviders(connection: Connection, value: readonly string[]): Promise<string[] | undefined> {
	const title = vscode.l10n.t('Only These Providers');
	const placeHolder = vscode.l10n.t('Select at least one provider that may serve');
	const chosen = await chooseSomeOrType(title, placeHolder, providerChoices(connection), value);
	return chosen?.length === 0 ? undefined : chosen;
}

async function offerSettings(setting: string, issue: string): Promise<void> {
	const open = vscode.l10n.t('Open Settings');
	const message = vscode.l10n.t('Couldn’t read the setting {0}. {1}', setting, issue);
	if ((await showMessage('error', message, open)) === open) {
		await openSettings(setting);
	}
}

async function openSettings(setting: string): Promise<void> {
	await vscode.commands.executeCommand('workbench.action.openSettings', `@id:${setting}`);
}
