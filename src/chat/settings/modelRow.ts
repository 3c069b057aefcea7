import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME, realModels } from '../../contract/localConnection.ts';
import { type Choice, input, NO_ICON, shownText } from '../../platform/pick.ts';
import { hostsOf, type ModelChoice } from '../model/modelChoices.ts';
import { modelText } from './messages.ts';

/** Returns the row of a model in a list. */
export function modelRow(
	connection: Connection,
	choice: Omit<ModelChoice, 'group'>,
	isCurrent: boolean,
): Choice<string> {
	const { label, meaning, facts } = modelWords(connection, choice);
	return {
		label: `${isCurrent ? '$(check)' : NO_ICON} ${shownText(label)}`,
		description: shownText(meaning),
		...defined({ detail: facts === '' ? undefined : `${NO_ICON} ${facts}` }),
		value: choice.name,
	};
}

/** Returns the texts for a model: its name, its other names, and the known facts. The last two may be empty. */
export function modelWords(
	connection: Connection,
	{ name, model, alias, listed }: Omit<ModelChoice, 'group'>,
): { label: string; meaning: string; facts: string } {
	const label = alias ? name : (model?.label ?? listed?.name ?? name);
	const meaning = alias ? aliasText(alias.model, connection.plan) : label === name ? '' : name;
	const facts = model
		? modelText(model, hostsOf(connection, model.id).length > 1)
		: listed?.context_length
			? modelText({ id: name, kinds: ['chat'], contextLength: listed.context_length }, false)
			: '';
	return { label, meaning, facts };
}

function aliasText(model: string, plan: Connection['plan']): string {
	return plan === 'enterprise'
		? vscode.l10n.t('alias of {0}', model)
		: vscode.l10n.t('alias of {0}, enterprise host only', model);
}

/** Asks for the name of a model. Resolves to undefined when dismissed. */
export async function typeModel(title: string, current: string): Promise<string | undefined> {
	const prompt = vscode.l10n.t('The name used in requests: an ID, an alias or a full path');
	const name = await input(title, prompt, current, text =>
		text.trim() === '' ? vscode.l10n.t('Enter the name of a model.') : undefined,
	);
	return name?.trim();
}

export const addServerRow = (): Choice<'add-server'> => ({
	label: vscode.l10n.t('$(add) Add Service…'),
	value: 'add-server',
});

/** Returns the first rows of a list of models that has only demos. */
export function onlyDemoRows(connection: Connection): Choice<'add-server'>[] {
	const hasOnlyDemo = connection.name === LOCAL_CONNECTION_NAME && realModels(connection).length === 0;
	const detail = `${NO_ICON} ${vscode.l10n.t('Only the demo is available, which isn’t a model.')}`;
	return hasOnlyDemo ? [{ ...addServerRow(), detail }] : [];
}
