import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { placeOf } from '../../base/hostname.ts';
import { oneLine } from '../../base/plainText.ts';
import { mayCarryKey } from '../../contract/upstreams.ts';
import { isAboutKey, labelsOf, noAddressText } from '../../platform/addressMessages.ts';
import type { Choice } from '../../platform/pick.ts';
import { askTypedAddress, type TypedState } from '../../platform/typedAddressList.ts';
import { askServer, type ServerAnswer } from './askServer.ts';
import { rowName } from './pickServer.ts';
import type { AskContext, StepEnd } from './serverDraft.ts';
import { serverProblem } from './serverMessages.ts';

/** The address that was chosen, the key that was pasted with it, and the model, where one of the list was chosen. */
export interface ChosenAddress {
	url: string;
	key?: string;
	model?: string;
}

const MAXIMUM_URL = 100;

type Row = Choice<{ model?: string } | undefined>;

/** Asks for an address, and lists the models of the server while it is typed. */
export function askAddress(
	context: AskContext,
	{ title, value }: { title: string; value: string },
): Promise<ChosenAddress | StepEnd> {
	return askTypedAddress<ServerAnswer, Row, ChosenAddress>({
		title,
		placeholder: vscode.l10n.t('The address with its version, such as http://192.168.1.20:8000/v1'),
		value,
		clock: context.clock,
		mayCarryKey,
		ask: (url, key, signal) => askServer({ url, key }, { ...context, signal }),
		rows: rowsFor,
		accept: ({ value: row }, { url, answer, key }) =>
			url === undefined || row === undefined ? undefined : { url: answer?.url ?? url, ...defined({ key }), ...row },
	});
}

/** All rows are shown whatever is typed, which is an address and no filter. */
function rowsFor({ text, url, answer, key, isKeyPasted }: TypedState<ServerAnswer>): Row[] {
	const rows: Row[] =
		url === undefined
			? rowsOf(noAddressText(text), 'warning')
			: [
					{
						label: `$(${answer && 'error' in answer && !isAboutKey(answer.error) ? 'warning' : 'arrow-right'}) ${vscode.l10n.t('Use {0}', oneLine(answer?.url ?? url, MAXIMUM_URL))}`,
						detail: `$(blank) ${stateText(url, answer, key !== undefined)}`,
						alwaysShow: true,
						value: {},
					},
					...rowsOf(stepText(answer, key !== undefined)),
				];
	if (isKeyPasted) {
		rows.push({
			label: `$(key) ${vscode.l10n.t('The key that was pasted is not part of the address')}`,
			detail: `$(blank) ${
				url === undefined || mayCarryKey(url)
					? vscode.l10n.t('It goes into the editor’s secret storage, never into the settings.')
					: vscode.l10n.t('It is not sent there without encryption: give an https address.')
			}`,
			alwaysShow: true,
			value: undefined,
		});
	}
	const models = answer && 'models' in answer ? answer.models : [];
	return [
		...rows,
		...models.map(({ id, name }) => ({
			label: `$(blank) ${rowName(id)}`,
			description: name === undefined || name === null || name === id ? '' : rowName(name),
			alwaysShow: true,
			value: { model: id },
		})),
	];
}

/** What can be done about a problem. */
function stepText(answer: ServerAnswer | undefined, hasKey: boolean): string {
	return answer && 'error' in answer ? serverProblem(answer.error, answer.url, hasKey).step : '';
}

function rowsOf(sentence: string, icon?: string): Row[] {
	return labelsOf(sentence, icon).map(label => ({ label, alwaysShow: true, value: undefined }));
}

function stateText(url: string, answer: ServerAnswer | undefined, hasKey: boolean): string {
	if (answer === undefined) {
		return vscode.l10n.t('Asking {0} for its models…', placeOf(url));
	}
	if ('error' in answer) {
		return serverProblem(answer.error, answer.url, hasKey).cause;
	}
	switch (answer.models.length) {
		case 0:
			return vscode.l10n.t('It lists no models.');
		case 1:
			return vscode.l10n.t('It lists one model.');
		default:
			return vscode.l10n.t('It lists {0} models.', answer.models.length);
	}
}
