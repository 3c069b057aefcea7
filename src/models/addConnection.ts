// A service of the contract becomes a connection, which the user reviews before it is written.
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { isFields } from '../base/fields.ts';
import { placeOf } from '../base/hostname.ts';
import { type Connection, connectionSchema } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import type { ListedModel } from '../contract/modelList.ts';
import { action, runActions, staying } from '../platform/actionList.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';
import { chooseSome, input, shownText } from '../platform/pick.ts';
import { readSetting } from '../platform/settings.ts';
import { ConnectionEditor, type Entry } from './connectionEditor.ts';
import { openConnectionSettings, saveConnection, use } from './connections.ts';
import type { HostAnswer } from './hosts/askHost.ts';
import {
	freeName,
	inferenceAddresses,
	MAXIMUM_WRITTEN_MODELS,
	nameProblem,
	serviceName,
	toSetting,
} from './model/newConnection.ts';
import { connectionNames } from './model/readConnection.ts';
import type { ServiceDraft } from './model/serviceDraft.ts';
import type { Services } from './services.ts';

/**
 * Shows the findings about a service, each of which can be changed or extended, and writes the connection once the user
 * agrees. Resolves with the connection if the user switches to it, and with `back` if no model of a long list was
 * chosen.
 */
export async function addConnection(
	{ draft, answer }: { draft: ServiceDraft; answer: HostAnswer | undefined },
	services: Services,
): Promise<Connection | 'back' | undefined> {
	const value: unknown = readSetting('errand.connections');
	if (!isFields(value)) {
		const open = vscode.l10n.t('Open Settings');
		const message = vscode.l10n.t('The setting errand.connections isn’t valid. Correct it first.');
		if ((await showMessage('error', message, open)) === open) {
			await openConnectionSettings();
		}
		return undefined;
	}
	const listed = (answer?.state === 'fits' && answer.models) || [];
	const models = await chooseModels(draft.label, listed);
	if (models === undefined) {
		return 'back';
	}
	const isThere = answer !== undefined && answer.state !== 'failed';
	const [apiUrl = draft.url] = inferenceAddresses(isThere ? answer.url : draft.url);
	const name = freeName(serviceName(apiUrl, 'service', listed), connectionNames(value));
	const found = (await draft.parts) ?? {};
	const addition = new Addition(
		{ name, entry: toSetting({ name, apiUrl, found, listed, models }), listed, draft },
		services,
	);
	return addition.run(
		answer?.state === 'wants-key' && draft.key === undefined
			? vscode.l10n.t('{0} responds and requires a key, so nothing else could be checked.', placeOf(apiUrl))
			: undefined,
	);
}

/**
 * Takes a short list whole. If the list is long, asks the user, and asks again if nothing was chosen, as chat needs a
 * model. Resolves with undefined if the user dismisses the question.
 */
async function chooseModels(label: string, listed: readonly { id: string }[]): Promise<readonly string[] | undefined> {
	const ids = listed.map(({ id }) => id);
	if (ids.length <= MAXIMUM_WRITTEN_MODELS) {
		return ids;
	}
	for (let isAgain = false; ; isAgain = true) {
		const chosen = await chooseSome(
			vscode.l10n.t('Models of {0}', shownText(label)),
			isAgain
				? vscode.l10n.t('Select at least one of the {0} models for the chat', ids.length)
				: vscode.l10n.t('It works and lists {0} models. Select the ones that you use', ids.length),
			ids.map(id => ({ label: shownText(id), value: id })),
		);
		if (chosen === undefined || chosen.length > 0) {
			return chosen;
		}
	}
}

/** The findings about a service, under the proposed name of the connection. */
interface Found {
	name: string;
	entry: Entry;
	listed: readonly ListedModel[];
	draft: ServiceDraft;
}

/** A connection that is not written yet. */
class Addition {
	name: string;
	private entry: Entry;
	private readonly listed: readonly ListedModel[];
	private readonly draft: ServiceDraft;
	private readonly services: Services;

	constructor({ name, entry, listed, draft }: Found, services: Services) {
		this.name = name;
		this.entry = entry;
		this.listed = listed;
		this.draft = draft;
		this.services = services;
	}

	/** `reason` says which part could not be checked. */
	async run(reason: string | undefined): Promise<Connection | undefined> {
		const editor = new ConnectionEditor<Connection | 'added'>(this, this.services.context);
		const end = await runActions<Connection | 'added'>({
			title: vscode.l10n.t('Add Connection'),
			name: this.name,
			placeHolder: () =>
				reason ??
				(this.entry['models'] === undefined
					? vscode.l10n.t('It lists no models. Enter one for the chat, then add it')
					: vscode.l10n.t('Review what was found, and add what else the service has')),
			rows: async () => [
				action(
					'check',
					vscode.l10n.t('Add and Switch to It'),
					this.adding(async connection => {
						await use(connection.name, this.services.keys);
						return connection;
					}),
				),
				action(
					'add',
					vscode.l10n.t('Add It'),
					this.adding(async ({ name }) => {
						void showMessage('information', vscode.l10n.t('The connection “{0}” was added.', name));
						return 'added' as const;
					}),
				),
				{ label: vscode.l10n.t('Name'), description: this.name, value: staying(() => this.rename()) },
				...editor.hostRows(),
				...editor.offerRows(),
				...editor.serviceRows(),
			],
		});
		return end === 'added' ? undefined : end;
	}

	read(): Entry {
		return this.entry;
	}

	async change(changes: Entry): Promise<void> {
		this.entry = defined({ ...this.entry, ...changes });
	}

	async listModels(): Promise<readonly ListedModel[]> {
		return this.listed;
	}

	private adding<End>(then: (connection: Connection) => Promise<End>): () => Promise<End | undefined> {
		return async () => {
			const connection = await this.save();
			return connection && then(connection);
		};
	}

	private async rename(): Promise<void> {
		const taken = connectionNames(readSetting('errand.connections'));
		const title = vscode.l10n.t('Name of the Connection');
		const name = await input(
			title,
			vscode.l10n.t('The connection’s name in the settings, such as acme'),
			this.name,
			typed => nameProblemText(typed.trim(), taken),
		);
		if (name !== undefined) {
			this.name = name.trim();
		}
	}

	/** Resolves with undefined if the connection could not be written, which the user was told. */
	private async save(): Promise<Connection | undefined> {
		const { keys } = this.services;
		const { name, entry, draft } = this;
		const problem = nameProblemText(name, connectionNames(readSetting('errand.connections')));
		if (problem !== undefined) {
			await showMessage('error', problem);
			return undefined;
		}
		const connection: Connection = { ...connectionSchema.parse(entry), name };
		const { apiUrl, service } = connection;
		// The key was entered for one origin. Another host that was added here gets it only after the user's
		// confirmation.
		const asked: Connection = { ...connectionSchema.parse({ apiUrl, service }), name };
		const isItsOwn = new URL(apiUrl).origin === new URL(draft.url).origin;
		try {
			// The key is saved before the entry, so that the service is never asked without it.
			if (draft.key !== undefined && isItsOwn) {
				await keys.of(asked, 'inference').save(draft.key);
			}
			await saveConnection(name, entry);
		} catch (error) {
			if (draft.key !== undefined) {
				await keys.removeAll(name);
			}
			await showExplanation(explainError(error, name));
			return undefined;
		}
		return connection;
	}
}

function nameProblemText(name: string, taken: readonly string[]): string | undefined {
	switch (nameProblem(name, taken)) {
		case undefined:
			return undefined;
		case 'empty':
			return vscode.l10n.t('Enter a name for the new connection.');
		case 'form':
			return vscode.l10n.t(
				'Use at most 60 letters, digits, spaces, “.”, “_” and “-”, starting with a letter or digit.',
			);
		case 'key':
			return vscode.l10n.t('That looks like a key. Enter a name here; you’re asked for the key in another step.');
		case 'taken':
			return name === LOCAL_CONNECTION_NAME
				? vscode.l10n.t('“{0}” is the connection to this machine. Enter a different name.', LOCAL_CONNECTION_NAME)
				: vscode.l10n.t(
						'A connection with this name already exists. Enter a different name, or change that connection.',
					);
	}
}
