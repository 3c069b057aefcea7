// A service of the contract becomes a connection.
import * as vscode from 'vscode';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { chooseSome, input, shownText } from '../platform/pick.ts';
import { readSetting } from '../platform/settings.ts';
import type { AddedModel } from './api.ts';
import type { HostAnswer } from './hosts/askHost.ts';
import { manageConnection } from './manageService.ts';
import { connectionSecret } from './model/keyFormat.ts';
import {
	freeName,
	inferenceAddresses,
	MAXIMUM_WRITTEN_MODELS,
	nameProblem,
	serviceName,
	toSetting,
} from './model/newConnection.ts';
import { connectionNames } from './model/readConnection.ts';
import type { ServiceDraft, StepEnd } from './model/serviceDraft.ts';
import { namedConnection, type Services, saveEntry } from './services.ts';

/**
 * Writes a connection by a name that the user confirms, and then lets the user give what else the service has. Resolves
 * with undefined unless the user switches to it, and with `back` if no model of a long list was chosen.
 */
export async function addConnection(
	draft: ServiceDraft,
	answer: HostAnswer | undefined,
	services: Services,
): Promise<AddedModel | StepEnd> {
	const listed = (answer?.state === 'fits' && answer.models) || [];
	const models = await chooseModels(draft.label, listed);
	if (models === undefined) {
		return 'back';
	}
	const isThere = answer !== undefined && answer.state !== 'failed';
	const [apiUrl = draft.url] = inferenceAddresses(isThere ? answer.url : draft.url);
	const taken = connectionNames(readSetting('errand.connections'));
	const name = await askName(freeName(serviceName(apiUrl, 'service', listed), taken), taken);
	if (name === undefined) {
		return undefined;
	}
	const entry = toSetting({ name, apiUrl, found: (await draft.parts) ?? {}, listed, models });
	// The key was entered for one origin. A host of another one gets it only after the user's confirmation.
	const slot = { secret: connectionSecret(name, 'inference'), origins: [new URL(draft.url).origin] };
	await saveEntry('connection', name, () => entry, { store: services.keys.store, slot, key: draft.key });
	const hint =
		entry['models'] === undefined
			? vscode.l10n.t('Added. It lists no models: enter one for the chat, then switch to it')
			: vscode.l10n.t('Added. Switch to it, or add what else the service has');
	await manageConnection(name, services, hint);
	if (readSetting('errand.connection') !== name) {
		return undefined;
	}
	const { label = name, models: written } = namedConnection(name);
	const model = written.find(({ kinds }) => kinds.includes('chat'));
	return model && { name: model.id, server: label };
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

async function askName(proposed: string, taken: readonly string[]): Promise<string | undefined> {
	const title = vscode.l10n.t('Name of the Connection');
	const prompt = vscode.l10n.t('The connection’s name in the settings, such as acme');
	const name = await input(title, prompt, proposed, typed => nameProblemText(typed.trim(), taken));
	return name?.trim();
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
			return vscode.l10n.t('That looks like a key. Enter a name here.');
		case 'taken':
			return name === LOCAL_CONNECTION_NAME
				? vscode.l10n.t('“{0}” is the connection to this machine. Enter a different name.', LOCAL_CONNECTION_NAME)
				: vscode.l10n.t(
						'A connection with this name already exists. Enter a different name, or change that connection.',
					);
	}
}
