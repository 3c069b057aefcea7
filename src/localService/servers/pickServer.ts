import * as vscode from 'vscode';
import { placeOf } from '../../base/hostname.ts';
import { escapeIcons, oneLine } from '../../base/plainText.ts';
import type { FoundServer } from '../../contract/foundServers.ts';
import { type Choice, PickList, separator } from '../../platform/pick.ts';
import { MODEL_SERVICES, type ModelService } from '../model/modelServices.ts';
import type { ServerHere } from './findServers.ts';
import { isSamePlace, type OwnServer } from './ownServers.ts';
import { ownerText } from './serverMessages.ts';

/** What the first list leads to. */
export type ServerChoice =
	| { kind: 'here'; here: ServerHere }
	| { kind: 'service'; service: ModelService }
	/** `text` is what was typed into the list. */
	| { kind: 'address'; text: string }
	| { kind: 'own'; own: OwnServer }
	| { kind: 'found'; found: FoundServer }
	| { kind: 'look' };

type Row = Choice<ServerChoice>;

export interface ServersShown {
	own: readonly OwnServer[];
	/** Found servers that are used. */
	found: readonly FoundServer[];
	/** What was found on this machine. Undefined while it is looked for. */
	here: readonly ServerHere[] | undefined;
	/** What the latest actions have led to, by the names of the servers. */
	results: ReadonlyMap<string, string>;
}

const MAXIMUM_NAME = 60;
const MAXIMUM_RESULT = 200;

/** Lets the user choose a server. `looking` resolves with what is on this machine, at which the list is drawn again. */
export async function pickServer(
	shown: ServersShown,
	looking: Promise<readonly ServerHere[]>,
	active?: string,
): Promise<ServerChoice | undefined> {
	const list = new PickList<Row, ServerChoice>(picker => {
		picker.title = vscode.l10n.t('Add Model Server');
		picker.placeholder = vscode.l10n.t('A server that speaks the OpenAI form, or its address');
		picker.matchOnDescription = true;
		picker.matchOnDetail = true;
		picker.ignoreFocusOut = true;
		picker.onDidAccept(() => {
			const [row] = picker.selectedItems;
			if (row) {
				list.end(row.value.kind === 'address' ? { ...row.value, text: picker.value } : row.value);
			}
		});
	});
	const rows = serverRows(shown);
	list.show(rows, active === undefined ? undefined : rows.find(({ value }) => nameOf(value) === active)).busy =
		shown.here === undefined;
	void looking.then(here => {
		const before = list.current?.activeItems[0];
		if (shown.here === undefined && list.current !== undefined) {
			const next = serverRows({ ...shown, here });
			const isFirst = before === undefined || before === rows.find(({ kind }) => kind === undefined);
			list.show(
				next,
				isFirst
					? undefined
					: next.find(({ label, description }) => label === before.label && description === before.description),
			);
		}
	});
	return list.result;
}

function nameOf(choice: ServerChoice | undefined): string | undefined {
	return choice?.kind === 'own' ? choice.own.slug : choice?.kind === 'found' ? choice.found.slug : undefined;
}

/** The rows: what the user has, what runs on this machine, the services, and any other address. */
export function serverRows({ own, found, here, results }: ServersShown): Row[] {
	const ownUrls = [...own.map(({ setting }) => setting.url), ...found.map(({ url }) => url)];
	const others = here?.filter(({ server }) => ownUrls.every(url => !isSamePlace(url, server.url)));
	const taken = new Set(own.map(({ slug }) => slug));
	return [
		...(others === undefined || others.length > 0 ? [separator<ServerChoice>(vscode.l10n.t('On this machine'))] : []),
		...(others === undefined ? [lookingRow()] : others.map(hereRow)),
		...(ownUrls.length === 0 ? [] : [separator<ServerChoice>(vscode.l10n.t('Your model servers'))]),
		...own.map(server => ownRow(server, results.get(server.slug))),
		...found.map(server => foundRow(server, results.get(server.slug))),
		separator(vscode.l10n.t('Services')),
		...MODEL_SERVICES.filter(({ slug }) => !taken.has(slug)).map(serviceRow),
		separator(vscode.l10n.t('Any other')),
		{
			label: `$(edit) ${vscode.l10n.t('Another Address…')}`,
			detail: `$(blank) ${vscode.l10n.t('Of any server that speaks the OpenAI form of chat completions')}`,
			alwaysShow: true,
			value: { kind: 'address', text: '' },
		},
		...(others?.length === 0
			? [
					{
						label: `$(refresh) ${vscode.l10n.t('Look on This Machine Again')}`,
						detail: `$(blank) ${vscode.l10n.t('No other server answers at the usual ports of Ollama, LM Studio, llama.cpp and vLLM')}`,
						value: { kind: 'look' as const },
					},
				]
			: []),
	];
}

function lookingRow(): Row {
	return { label: `$(blank) ${vscode.l10n.t('Looking on this machine…')}`, value: { kind: 'look' } };
}

function hereRow(here: ServerHere): Row {
	const { server, models, owner } = here;
	const [first, second] = models ?? [];
	const offer =
		models === undefined
			? vscode.l10n.t('Wants a key.')
			: first === undefined
				? vscode.l10n.t('Has no model yet.')
				: second === undefined
					? rowName(first.id)
					: vscode.l10n.t('{0} and {1} more', rowName(first.id), models.length - 1);
	return {
		label: `$(vm) ${hereLabel(here)}`,
		description: placeOf(server.url),
		detail: `$(blank) ${offer} · ${ownerText(owner)}`,
		value: { kind: 'here', here },
	};
}

/** Names the program where it is certain, because many programs use some of the ports. */
export function hereLabel({ server, isNamed }: ServerHere): string {
	return isNamed ? server.label : vscode.l10n.t('Model server at the usual port of {0}', server.label);
}

function ownRow(own: OwnServer, result: string | undefined): Row {
	return {
		label: `$(server) ${rowName(own.label)}`,
		description: placeOf(own.setting.url),
		detail: `$(blank) ${result === undefined ? own.keyText : resultText(result)}`,
		value: { kind: 'own', own },
	};
}

function foundRow(found: FoundServer, result: string | undefined): Row {
	const state = vscode.l10n.t('Found on this machine, used as you agreed. {0}', ownerText(found.owner));
	return {
		label: `$(server) ${rowName(found.label)}`,
		description: placeOf(found.url),
		detail: `$(blank) ${result === undefined ? state : resultText(result)}`,
		value: { kind: 'found', found },
	};
}

function resultText(result: string): string {
	return escapeIcons(oneLine(result, MAXIMUM_RESULT));
}

function serviceRow(service: ModelService): Row {
	return {
		label: `$(cloud) ${service.label}`,
		description: placeOf(service.url),
		value: { kind: 'service', service },
	};
}

/** A name of a foreign server, fit for a row. */
export function rowName(text: string): string {
	return escapeIcons(oneLine(text, MAXIMUM_NAME));
}
