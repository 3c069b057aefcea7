import * as vscode from 'vscode';
import { placeOf } from '../base/hostname.ts';
import type { FoundServer } from '../contract/foundServers.ts';
import { type Choice, choose, NO_ICON, separator, shownText } from '../platform/pick.ts';
import type { ServerHere } from './hosts/findServers.ts';
import { ownerText } from './hosts/messages.ts';
import { MODEL_SERVICES, type ModelService } from './model/modelServices.ts';
import type { OwnServer } from './services.ts';

/** The user's choice in the first list. */
export type ServiceChoice =
	| { kind: 'here'; here: ServerHere }
	| { kind: 'service'; service: ModelService }
	/** `text` is the text that was typed into the list. */
	| { kind: 'address'; text: string }
	| { kind: 'look' };

type Row = Choice<ServiceChoice>;

export interface ServiceLists {
	/** The user's present servers: those of the settings, and found ones that are in use. */
	own: readonly Pick<OwnServer, 'slug' | 'setting'>[];
	found: readonly FoundServer[];
	/** The servers found on this machine. Undefined while the search is in progress. */
	here: readonly ServerHere[] | undefined;
}

/**
 * Lets the user choose a service. `looking` resolves with the servers on this machine; then the list is drawn again.
 */
export function pickService(
	shown: ServiceLists,
	looking: Promise<readonly ServerHere[]>,
): Promise<ServiceChoice | undefined> {
	return choose(vscode.l10n.t('Add Service'), serviceRows(shown), {
		placeHolder: vscode.l10n.t('Select a service or model server, or enter an address'),
		later: shown.here === undefined ? { items: looking.then(here => serviceRows({ ...shown, here })) } : undefined,
		withText: (choice, text) => (choice.kind === 'address' ? { ...choice, text } : choice),
		ignoreFocusOut: true,
	});
}

/** Returns the rows: the servers on this machine, the well-known services, and any other address. */
export function serviceRows({ own, found, here }: ServiceLists): Row[] {
	const ownUrls = [...own.map(({ setting }) => setting.url), ...found.map(({ url }) => url)];
	const others = here?.filter(({ server }) => ownUrls.every(url => !isSamePlace(url, server.url)));
	const taken = new Set(own.map(({ slug }) => slug));
	return [
		...(others === undefined || others.length > 0 ? [separator<ServiceChoice>(vscode.l10n.t('On this machine'))] : []),
		...(others === undefined
			? [{ label: `${NO_ICON} ${vscode.l10n.t('Searching this machine…')}`, value: { kind: 'look' as const } }]
			: others.map(hereRow)),
		separator(vscode.l10n.t('Services')),
		...MODEL_SERVICES.filter(({ slug }) => !taken.has(slug)).map(serviceRow),
		separator(vscode.l10n.t('Any other')),
		{
			label: `$(edit) ${vscode.l10n.t('Another Address…')}`,
			detail: `${NO_ICON} ${vscode.l10n.t('A service with its own tasks or routing, or any OpenAI-compatible server')}`,
			alwaysShow: true,
			value: { kind: 'address', text: '' },
		},
		...(others?.length === 0
			? [
					{
						label: `$(refresh) ${vscode.l10n.t('Search This Machine Again')}`,
						detail: `${NO_ICON} ${vscode.l10n.t('No other server responds at the default ports of Ollama, LM Studio, llama.cpp and vLLM')}`,
						value: { kind: 'look' as const },
					},
				]
			: []),
	];
}

function hereRow(here: ServerHere): Row {
	const { server, models, owner } = here;
	const [first, second] = models ?? [];
	const offer =
		models === undefined
			? vscode.l10n.t('Requires a key.')
			: first === undefined
				? vscode.l10n.t('Has no models yet.')
				: second === undefined
					? shownText(first.id)
					: vscode.l10n.t('{0} and {1} more', shownText(first.id), models.length - 1);
	return {
		label: `$(vm) ${hereLabel(here)}`,
		description: placeOf(server.url),
		detail: `${NO_ICON} ${offer} · ${ownerText(owner)}`,
		value: { kind: 'here', here },
	};
}

/** Names the program if it is certain, because many programs share some of the ports. */
export function hereLabel({ server, isNamed }: ServerHere): string {
	return isNamed ? server.label : vscode.l10n.t('Model server at the default port of {0}', server.label);
}

function serviceRow(service: ModelService): Row {
	return {
		label: `$(cloud) ${service.label}`,
		description: placeOf(service.url),
		value: { kind: 'service', service },
	};
}

/** Returns whether two addresses are the same server: hosts of this machine have several names. */
function isSamePlace(one: string, other: string): boolean {
	const [first, second] = [new URL(one), new URL(other)];
	const host = ({ hostname, port, protocol }: URL) => `${protocol}//${localName(hostname)}:${port}`;
	return host(first) === host(second);
}

function localName(hostname: string): string {
	return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) ? 'localhost' : hostname;
}
