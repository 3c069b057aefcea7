import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { pauses } from '../base/pauses.ts';
import type { RequestRules } from '../chat/api.ts';
import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME, realModels } from '../contract/localConnection.ts';
import type { ConnectionModel } from '../contract/modelIdentifier.ts';
import { type ModelLimits, requestBudget } from '../contract/modelLimits.ts';
import { formatNumber } from '../platform/amounts.ts';
import { inertText } from '../platform/inertText.ts';
import { shownText } from '../platform/pick.ts';

/** A model as the editor gets it, with the data for a request to it. */
export interface OfferedModel extends vscode.LanguageModelChatInformation {
	/** The name of its connection in the settings. */
	readonly connection: string;
	/** The name of the model in a request. */
	readonly model: string;
	readonly limits: ModelLimits;
}

/**
 * The values for the editor if the connection states none, in tokens: the editor requires numbers, and drops messages
 * beyond them.
 */
const ASSUMED_LENGTH = 32_768;
const ASSUMED_OUTPUT = 4_096;

/**
 * Resolves with the chat models of a connection. `servedBy` returns the last provider of a model. A connection may have
 * thousands of models, so the work is done in short steps.
 */
export async function offeredModels(
	connection: Connection,
	rules: Pick<RequestRules, 'describe'>,
	servedBy: (model: string) => string | undefined,
): Promise<OfferedModel[]> {
	const offered: OfferedModel[] = [];
	const pause = pauses();
	for (const model of modelsOf(connection)) {
		offered.push(offeredModel(connection, model, rules, servedBy(model.id)));
		await pause();
	}
	return offered;
}

function offeredModel(
	connection: Connection,
	model: ConnectionModel,
	rules: Pick<RequestRules, 'describe'>,
	last: string | undefined,
): OfferedModel {
	const { name, label = name } = connection;
	const { contextLength, maxOutputTokens } = model;
	const { served, lines } = rules.describe(connection, model);
	const told = [
		...lines,
		...(contextLength === undefined
			? [vscode.l10n.t('The connection doesn’t list its limit; {0} tokens are assumed.', formatNumber(ASSUMED_LENGTH))]
			: []),
		...(last === undefined ? [] : [vscode.l10n.t('Served last by {0}.', shownText(providerName(connection, last)))]),
	];
	const length = contextLength ?? ASSUMED_LENGTH;
	const input = requestBudget(defined({ contextLength: length, maxOutputTokens })) ?? length;
	return {
		// The id names the connection, so that a model that the user has chosen never leads to another service.
		id: `${name}/${model.id}`,
		name: shownText(model.label ?? model.id),
		family: model.id,
		// The contract has no versions of models.
		version: '',
		detail: inertText([shownText(label), served].filter(part => part !== '').join(' · ')),
		// The editor reads a tooltip as Markdown.
		tooltip: inertText(told.join('\n\n')),
		maxInputTokens: input,
		maxOutputTokens: maxOutputTokens ?? Math.min(ASSUMED_OUTPUT, length - input),
		capabilities: { imageInput: model.images !== false, toolCalling: model.tools !== false },
		connection: name,
		model: model.id,
		limits: defined({ contextLength, maxOutputTokens }),
	};
}

const providerName = ({ providers }: Connection, slug: string) =>
	providers.find(provider => provider.slug === slug)?.label ?? slug;

/** The demo of the local service is only offered if there is no other model. */
function modelsOf(connection: Connection): ConnectionModel[] {
	const chat = connection.models.filter(({ kinds }) => kinds.includes('chat'));
	if (connection.name !== LOCAL_CONNECTION_NAME) {
		return chat;
	}
	const real = realModels({ models: chat, providers: connection.providers });
	return real.length === 0 ? chat : real;
}
