// Changing, using and removing a connection of the settings.
import * as vscode from 'vscode';
import { entriesOf } from '../base/entries.ts';
import type { Connection } from '../contract/connection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { searchModelOf } from '../contract/search.ts';
import { askModal, explainError, showExplanation } from '../platform/notify.ts';
import { type Choice, choose, chooseSome, separator, shownText } from '../platform/pick.ts';
import { readSetting } from '../platform/settings.ts';
import { connectionProblem, openConnectionSettings, use } from './connections.ts';
import { type ListField, listWords, planField, serviceFields, serviceNameField } from './edit/entryFields.ts';
import { type Entry, type EntryList, editList, type Field, fieldRow } from './edit/form.ts';
import { HOST_FIELDS, type HostField } from './hosts/askHost.ts';
import { askHostAddress } from './hosts/askHostAddress.ts';
import { hostContext } from './hosts/hostContext.ts';
import { hostLabel } from './hosts/hostMessages.ts';
import { keyStateText } from './keyStateMessages.ts';
import type { ConnectionsDependencies } from './model/connectionsDependencies.ts';
import { domainOf, modelEntry } from './model/newConnection.ts';
import { readConnection } from './model/readConnection.ts';
import { changeConnection, removeConnection } from './saveConnection.ts';

const KEY_KINDS = ['inference', 'cloud', 'agent'] as const satisfies KeyKind[];

type Action =
	| { kind: 'host'; field: HostField }
	| { kind: 'key'; key: KeyKind }
	| { kind: 'field'; field: Field }
	| { kind: 'list'; field: ListField }
	| 'use'
	| 'diagnose'
	| 'export'
	| 'remove'
	| 'settings';

/** What other files of this feature do for the list. */
export interface ManageActions {
	diagnose(name: string): Promise<void>;
	exportSome(names: readonly string[]): Promise<void>;
}

/** Lets the user change a connection until the list is left. Each change is written at once. */
export async function manageConnection(
	name: string,
	dependencies: ConnectionsDependencies,
	actions: ManageActions,
): Promise<void> {
	const flow = new ManageFlow(name, dependencies, actions);
	for (let active: string | undefined; ; ) {
		const rows = await flow.rows();
		const problem = connectionProblem(name);
		const chosen = await choose(vscode.l10n.t('Connection {0}', shownText(name)), rows, {
			placeHolder:
				problem === undefined
					? vscode.l10n.t('Choose what to change')
					: vscode.l10n.t('Cannot be used: {0}. Choose what to change', problem),
			...activeRow(rows, active),
		});
		if (chosen === undefined) {
			return;
		}
		active = rows.find(({ value }) => value === chosen)?.label;
		try {
			if ((await flow.run(chosen)) === 'leave') {
				return;
			}
		} catch (error) {
			await showExplanation(explainError(error, name));
		}
	}
}

function activeRow(rows: readonly Choice<Action>[], label: string | undefined): { active?: Action } {
	const row = label === undefined ? undefined : rows.find(candidate => candidate.label === label);
	return row ? { active: row.value } : {};
}

class ManageFlow {
	private readonly name: string;
	private readonly dependencies: ConnectionsDependencies;
	private readonly actions: ManageActions;

	constructor(name: string, dependencies: ConnectionsDependencies, actions: ManageActions) {
		this.name = name;
		this.dependencies = dependencies;
		this.actions = actions;
	}

	/** The connection as it stands in the settings, which may lack what it needs. */
	private entry(): Entry {
		return entriesOf(entriesOf(readSetting('errand.connections'))[this.name]);
	}

	private connection(): Connection | undefined {
		const read = readConnection(this.name, readSetting('errand.connections'));
		return 'connection' in read ? read.connection : undefined;
	}

	async rows(): Promise<Choice<Action>[]> {
		const entry = this.entry();
		const connection = this.connection();
		const isActive = readSetting('errand.connection') === this.name;
		const text = (value: unknown) => (typeof value === 'string' ? shownText(value) : vscode.l10n.t('not set'));
		const count = (field: ListField) => (Array.isArray(entry[field]) ? entry[field].length : 0);
		const list = (field: ListField, label: string): Choice<Action> => ({
			label,
			description: count(field).toLocaleString(vscode.env.language),
			value: { kind: 'list', field },
		});
		const field = (one: Field): Choice<Action> => fieldRow(one, entry[one.key], { kind: 'field', field: one });
		return [
			...(isActive || !connection
				? []
				: [{ label: vscode.l10n.t('Switch to It'), iconPath: new vscode.ThemeIcon('check'), value: 'use' as const }]),
			...(connection
				? [{ label: vscode.l10n.t('Diagnose'), iconPath: new vscode.ThemeIcon('pulse'), value: 'diagnose' as const }]
				: []),
			separator<Action>(vscode.l10n.t('Addresses')),
			...HOST_FIELDS.map(
				(host): Choice<Action> => ({
					label: hostLabel(host),
					description: text(entry[host]),
					value: { kind: 'host', field: host },
				}),
			),
			...(entry['enterpriseUrl'] === undefined ? [] : [field(planField())]),
			...(connection ? [separator<Action>(vscode.l10n.t('Keys')), ...(await this.keyRows(connection))] : []),
			separator<Action>(vscode.l10n.t('Service')),
			...serviceFields().map(field),
			separator<Action>(vscode.l10n.t('What it offers')),
			list('models', vscode.l10n.t('Models')),
			this.searchRow(),
			list('providers', vscode.l10n.t('Providers')),
			list('providerPrefixes', vscode.l10n.t('Provider prefixes')),
			list('aliases', vscode.l10n.t('Aliases')),
			list('agents', vscode.l10n.t('Agents of cloud tasks')),
			separator<Action>(''),
			{ label: vscode.l10n.t('Export to a File…'), iconPath: new vscode.ThemeIcon('export'), value: 'export' },
			{ label: vscode.l10n.t('Remove…'), iconPath: new vscode.ThemeIcon('trash'), value: 'remove' },
			{
				label: vscode.l10n.t('Change It in the Settings'),
				iconPath: new vscode.ThemeIcon('gear'),
				value: 'settings',
			},
		];
	}

	private async keyRows(connection: Connection): Promise<Choice<Action>[]> {
		const { keys } = this.dependencies;
		const rows = KEY_KINDS.map(async (key): Promise<Choice<Action>[]> => {
			const state = await keys.state(connection, key);
			return state === 'not-needed'
				? []
				: [{ label: await keys.label(key), description: keyStateText(state), value: { kind: 'key', key } }];
		});
		return (await Promise.all(rows)).flat();
	}

	/** Resolves with `leave` where the list is not to come back. */
	async run(action: Action): Promise<'leave' | undefined> {
		switch (action) {
			case 'use':
				await use(this.name, this.dependencies.keys);
				return 'leave';
			case 'diagnose':
				await this.actions.diagnose(this.name);
				return 'leave';
			case 'export':
				await this.actions.exportSome([this.name]);
				return undefined;
			case 'settings':
				await openConnectionSettings();
				return 'leave';
			case 'remove':
				return this.remove();
		}
		switch (action.kind) {
			case 'host':
				await this.changeHost(action.field);
				return undefined;
			case 'key': {
				const connection = this.connection();
				if (connection) {
					await this.dependencies.keys.set(connection, action.key);
				}
				return undefined;
			}
			case 'field': {
				const edited = await action.field.edit(this.entry()[action.field.key]);
				if (edited) {
					await changeConnection(this.name, { [action.field.key]: edited.value });
				}
				return undefined;
			}
			case 'list':
				await editList(this.listOf(action.field));
				return undefined;
		}
	}

	private async changeHost(field: HostField): Promise<void> {
		const present = this.entry()[field];
		const connection = this.connection();
		const model = connection?.models.find(({ channelProvider }) => channelProvider !== undefined);
		const chosen = await askHostAddress(
			{
				field,
				title: vscode.l10n.t('{0} of {1}', hostLabel(field), shownText(this.name)),
				placeholder: placeholderOf(field, domainOf(String(this.entry()['apiUrl'] ?? ''))),
				value: typeof present === 'string' ? present : '',
				isOptional: field !== 'apiUrl',
				...(model?.channelProvider === undefined
					? {}
					: { channelModel: { model: model.id, provider: model.channelProvider } }),
			},
			hostContext(this.dependencies.logger),
		);
		if (chosen === undefined || chosen === 'back') {
			return;
		}
		// The enterprise plan needs its host.
		const plan = field === 'enterpriseUrl' && chosen.url === undefined ? { plan: undefined } : {};
		await changeConnection(this.name, { [field]: chosen.url, ...plan });
	}

	/** The search model has a documented name, which only the service's own name changes. */
	private searchRow(): Choice<Action> {
		const { service } = this.entry();
		return {
			label: vscode.l10n.t('Search model'),
			description:
				typeof service === 'string' && service !== ''
					? vscode.l10n.t('{0}, after the service’s own name', shownText(searchModelOf({ service })))
					: vscode.l10n.t('not set'),
			value: { kind: 'field', field: serviceNameField() },
		};
	}

	private listEntries(field: ListField): readonly Entry[] {
		const value = this.entry()[field];
		return Array.isArray(value) ? value.map(entriesOf) : [];
	}

	private async write(field: ListField, entries: readonly Entry[]): Promise<void> {
		await changeConnection(this.name, { [field]: entries.length === 0 ? undefined : entries });
	}

	private listOf(field: ListField): EntryList {
		return {
			...listWords(field, shownText(this.name)),
			read: () => this.listEntries(field),
			write: entries => this.write(field, entries),
			...(field === 'models'
				? {
						sources: [{ label: vscode.l10n.t('Ask the Service for Its Models…'), find: () => this.findModels() }],
					}
				: {}),
		};
	}

	/**
	 * Asks the service with the saved key. Resolves with the chosen models, a new one with what the list says of it, beside
	 * those that the service does not list.
	 */
	private async findModels(): Promise<readonly Entry[] | undefined> {
		const connection = this.connection();
		if (!connection) {
			return undefined;
		}
		const client = await this.dependencies.client(connection);
		const listed = await vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Asking {0} for its models…', this.name) },
			() => client.models.discover(),
		);
		if (listed === undefined || listed.length === 0) {
			const text = vscode.l10n.t('{0} has no list of models that can be read. Add models by their ids.', this.name);
			await showExplanation({ message: text });
			return undefined;
		}
		const present = this.listEntries('models');
		const chosen = await chooseSome(
			vscode.l10n.t('Models of {0}', shownText(this.name)),
			vscode.l10n.t('The models that you use'),
			listed.map(({ id }) => ({ label: shownText(id), value: id, picked: present.some(model => model['id'] === id) })),
		);
		if (chosen === undefined) {
			return undefined;
		}
		const kept = present.filter(({ id }) => chosen.includes(String(id)) || listed.every(model => model.id !== id));
		const added = listed.filter(({ id }) => chosen.includes(id) && present.every(model => model['id'] !== id));
		return [...kept, ...added.map(model => modelEntry(model, connection.service))];
	}

	private async remove(): Promise<'leave' | undefined> {
		const { keys } = this.dependencies;
		const yes = vscode.l10n.t('Remove');
		const connection = this.connection();
		const question = vscode.l10n.t('Remove the connection {0}?', this.name);
		const detail = vscode.l10n.t(
			'Its entry in the settings and its keys are removed. Conversations that used it stay. Export it first if it may be needed again.',
		);
		if ((await askModal(question, detail, yes)) !== yes) {
			return undefined;
		}
		await removeConnection(this.name);
		if (connection) {
			await keys.removeAll(connection);
		}
		if (readSetting('errand.connection') === this.name) {
			await use('local', keys);
		}
		return 'leave';
	}
}

/** The organisation's host has a documented form; for the others, a service has a host of its own or none. */
function placeholderOf(field: HostField, domain: string | undefined): string {
	if (field === 'orgUrl' && domain !== undefined) {
		return `https://${vscode.l10n.t('your-organisation')}.${domain}`;
	}
	return vscode.l10n.t('An https address, as the service’s documents have it');
}
