// The rows for changing the fields of a connection. Each change is written at once.
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { type Fields, fieldsOf } from '../base/fields.ts';
import { hasInvisible } from '../base/invisible.ts';
import { redactText } from '../base/redact.ts';
import type { Connection } from '../contract/connection.ts';
import { type Action, staying } from '../platform/actionList.ts';
import { explainError, showExplanation } from '../platform/notify.ts';
import { choose, chooseSomeOrType, input, separator, shownText } from '../platform/pick.ts';
import { withProgress } from '../platform/progressNotice.ts';
import { askAddress } from './hosts/askAddress.ts';
import { HOST_FIELDS, type HostField } from './hosts/askHost.ts';
import { hostLabel } from './hosts/messages.ts';
import { domainOf, modelEntry } from './model/newConnection.ts';
import { changeEntry, describeConnection, type ManageEnd, readEntry, type Services } from './services.ts';

type Entry = Readonly<Fields>;
type Row = Action<ManageEnd>;

const MAXIMUM_TEXT = 300;

/**
 * Returns whether the text has the form of a key or of credentials, which must not be in the settings. Ids of models
 * may be just as long and odd.
 */
function holdsSecret(field: string, text: string): boolean {
	return field === 'id' ? /\b(?:sk-[\w-]{16,}|Bearer\s)/.test(text) : redactText(text) !== text;
}

function textProblem(field: string, typed: string): string | undefined {
	const text = typed.trim();
	if (text === '') {
		return field === 'service' ? vscode.l10n.t('Enter a value.') : undefined;
	}
	if (holdsSecret(field, text)) {
		return vscode.l10n.t(
			'That looks like a key, which would be saved in the settings. Use “Errand: Manage Keys” to set keys.',
		);
	}
	return hasInvisible(text) || text.length > MAXIMUM_TEXT
		? vscode.l10n.t('Enter at most {0} visible characters.', MAXIMUM_TEXT)
		: undefined;
}

export class ConnectionFields {
	private readonly name: string;
	private readonly services: Services;

	constructor(name: string, services: Services) {
		this.name = name;
		this.services = services;
	}

	/** The connection as it is, or undefined if it cannot be used. */
	connection(): Connection | undefined {
		const described = describeConnection(this.name);
		return 'connection' in described ? described.connection : undefined;
	}

	hostRows(): Row[] {
		const entry = this.read();
		return [
			separator(vscode.l10n.t('Addresses')),
			...HOST_FIELDS.map(field => this.row(hostLabel(field), entry[field], () => this.changeHost(field))),
			...(entry['enterpriseUrl'] === undefined
				? []
				: [
						this.choiceRow('plan', vscode.l10n.t('Chat host'), [
							{ label: vscode.l10n.t('Public'), value: undefined },
							{ label: vscode.l10n.t('Enterprise'), value: 'enterprise' },
						]),
					]),
		];
	}

	/** The lists whose entries need only an id. Other details are written in the settings. */
	offerRows(): Row[] {
		const count = (field: 'models' | 'agents') => this.entries(field).length.toLocaleString(vscode.env.language);
		return [
			separator(vscode.l10n.t('What it offers')),
			{ label: vscode.l10n.t('Models'), description: count('models'), value: staying(() => this.changeModels()) },
			{
				label: vscode.l10n.t('Agents of cloud tasks'),
				description: count('agents'),
				value: staying(() =>
					this.changeList('agents', {
						title: vscode.l10n.t('Agents of {0}', shownText(this.name)),
						prompt: vscode.l10n.t('The IDs of the agents. See the service’s documentation'),
						listed: [],
						entryOf: id => ({ id }),
					}),
				),
			},
		];
	}

	/** The fields that are neither addresses nor lists. */
	serviceRows(): Row[] {
		const texts = [
			[
				'label',
				vscode.l10n.t('Display name'),
				vscode.l10n.t('The connection’s display name. Leave empty to use its name in the settings'),
			],
			[
				'service',
				vscode.l10n.t('Service identifier'),
				vscode.l10n.t('The service’s name in its identifiers, as in “<name>-search”, its search model'),
			],
			[
				'scm',
				vscode.l10n.t('Source-hosting provider'),
				vscode.l10n.t(
					'The path segment for the source-hosting provider, as in /api/<name>/repos. See the service’s documentation',
				),
			],
			[
				'cloudTokenPrefix',
				vscode.l10n.t('Cloud token prefix'),
				vscode.l10n.t('What every cloud token of this service starts with; not a token itself'),
			],
			[
				'decisionModel',
				vscode.l10n.t('Decision model'),
				vscode.l10n.t('The name of its latest release, or one version'),
			],
		] as const;
		return [
			separator(vscode.l10n.t('Service')),
			...texts.map(([field, label, prompt]) =>
				this.row(label, this.read()[field], () => this.changeText(field, label, prompt)),
			),
			this.choiceRow('accountZdr', vscode.l10n.t('The account keeps no data, regardless of the request'), [
				{ label: vscode.l10n.t('Yes'), value: true },
				{ label: vscode.l10n.t('No'), value: false },
				{ label: vscode.l10n.t('Not known'), value: undefined },
			]),
		];
	}

	private read(): Entry {
		return readEntry('connection', this.name);
	}

	/** An undefined value removes a field. */
	private change(changes: Entry): Promise<void> {
		return changeEntry('connection', this.name, before => defined({ ...before, ...changes }));
	}

	private row(label: string, value: unknown, run: () => Promise<unknown>): Row {
		return {
			label,
			description: typeof value === 'string' ? shownText(value) : vscode.l10n.t('not set'),
			value: staying(run),
		};
	}

	private choiceRow<T>(field: string, label: string, choices: { label: string; value: T }[]): Row {
		const present = choices.find(({ value }) => value === this.read()[field]);
		return this.row(label, present?.label, async () => {
			const rows = choices.map(choice => ({ label: choice.label, value: choice }));
			const chosen = await choose(label, rows, { active: present });
			if (chosen) {
				await this.change({ [field]: chosen.value });
			}
		});
	}

	private async changeText(field: string, label: string, prompt: string): Promise<void> {
		const present = this.read()[field];
		const value = typeof present === 'string' ? present : '';
		const text = await input(label, prompt, value, typed => textProblem(field, typed));
		if (text !== undefined) {
			await this.change({ [field]: text.trim() || undefined });
		}
	}

	private async changeHost(field: HostField): Promise<void> {
		const entry = this.read();
		const present = entry[field];
		const model = this.connection()?.models.find(({ channelProvider }) => channelProvider !== undefined);
		const chosen = await askAddress(
			{
				kind: field,
				title: vscode.l10n.t('{0} of {1}', hostLabel(field), shownText(this.name)),
				placeholder: placeholderOf(field, domainOf(String(entry['apiUrl'] ?? ''))),
				value: typeof present === 'string' ? present : '',
				canRemove: field !== 'apiUrl' && present !== undefined,
				...defined({
					channelModel:
						model?.channelProvider !== undefined ? { model: model.id, provider: model.channelProvider } : undefined,
				}),
			},
			this.services.keys.host,
		);
		if (typeof chosen === 'object') {
			// The enterprise plan needs its host.
			const plan = field === 'enterpriseUrl' && chosen.url === undefined ? { plan: undefined } : {};
			await this.change({ [field]: chosen.url, ...plan });
		}
	}

	private async changeModels(): Promise<void> {
		const { name } = this;
		const listed = await withProgress(vscode.l10n.t('Getting models from {0}…', name), () =>
			this.listModels().catch((error: unknown) => {
				// Models can still be typed.
				void showExplanation(explainError(error, name));
				return [];
			}),
		);
		const service = String(this.read()['service'] ?? '');
		return this.changeList('models', {
			title: vscode.l10n.t('Models of {0}', shownText(name)),
			prompt: vscode.l10n.t('The IDs of the models that you use'),
			listed: listed.map(({ id }) => id),
			entryOf(id) {
				const model = listed.find(candidate => candidate.id === id);
				return model ? modelEntry(model, service) : { id };
			},
		});
	}

	private async listModels() {
		const connection = this.connection();
		return (connection && (await (await this.services.client(connection)).models.discover())) ?? [];
	}

	private entries(field: 'models' | 'agents'): readonly Entry[] {
		const value = this.read()[field];
		return Array.isArray(value) ? value.map(fieldsOf) : [];
	}

	/** An entry that stays keeps all of its details. */
	private async changeList(
		field: 'models' | 'agents',
		{ title, prompt, listed, entryOf }: { title: string; prompt: string; listed: string[]; entryOf(id: string): Entry },
	): Promise<void> {
		const present = this.entries(field);
		const ids = present.map(({ id }) => String(id));
		const rows = listed.map(id => ({ label: shownText(id), value: id }));
		const chosen = await chooseSomeOrType(title, prompt, rows, ids, typed => textProblem('id', typed));
		if (chosen !== undefined) {
			const kept = present.filter(({ id }) => chosen.includes(String(id)));
			const entries = [...kept, ...chosen.filter(id => !ids.includes(id)).map(entryOf)];
			await this.change({ [field]: entries.length === 0 ? undefined : entries });
		}
	}
}

/** The organisation's host has a documented form; for other fields, a service has its own host or none. */
function placeholderOf(field: HostField, domain: string | undefined): string {
	if (field === 'orgUrl' && domain !== undefined) {
		return `https://${vscode.l10n.t('your-organization')}.${domain}`;
	}
	return vscode.l10n.t('An https address. See the service’s documentation');
}
