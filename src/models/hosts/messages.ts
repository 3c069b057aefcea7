// Messages about a host that was asked, and about its owner.

import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { ClientError, UpstreamProblem } from '../../base/errors.ts';
import { errorOfUpstream, explainFailure } from '../../base/explainFailure.ts';
import { placeOf } from '../../base/hostname.ts';
import type { FaultParts } from '../../base/networkFault.ts';
import { escapeIcons, oneLine } from '../../base/plainText.ts';
import type { PortOwner } from '../../base/portOwner.ts';
import { quote } from '../../platform/notify.ts';
import type { HostAnswer, HostField, HostKind } from './askHost.ts';

const MAXIMUM_URL = 120;

/** The number of characters of a list's row that are certainly visible. */
const ROW_LENGTH = 85;

/** The maximum length of a typed text that is repeated. */
const MAXIMUM_TYPED = 60;

export function hostLabel(field: HostField): string {
	return {
		apiUrl: vscode.l10n.t('Public host for chat'),
		enterpriseUrl: vscode.l10n.t('Enterprise host'),
		cloudUrl: vscode.l10n.t('Host of cloud tasks and look-ups'),
		agentUrl: vscode.l10n.t('Host of the agent task API'),
		orgUrl: vscode.l10n.t('Organization’s host of the encrypted channel'),
		encryptUrl: vscode.l10n.t('Shared host of the encrypted channel'),
		dashboardUrl: vscode.l10n.t('Dashboard'),
	}[field];
}

/** Returns whether a plain model server may be meant, and not a host of a connection. */
export function mayBeServer(kind: HostKind): boolean {
	return kind === 'server' || kind === 'service';
}

/** Returns why the address cannot be that of a connection. */
export function addressRule(): string {
	return vscode.l10n.t(
		'Enter an https address without a user name, query or fragment. Only for this machine (localhost, 127.0.0.1), http is accepted too.',
	);
}

export function ownerText({ kind, user }: PortOwner): string {
	return {
		own: vscode.l10n.t('It runs as you, {0}.', user),
		root: vscode.l10n.t('It runs as {0}, the administrator.', user),
		system: vscode.l10n.t('It runs as the system account {0}.', user),
		other: vscode.l10n.t('It runs as {0}, another user of this machine, who can read what you send to it.', user),
		unknown: vscode.l10n.t('The system doesn’t report which user it runs as.'),
	}[kind];
}

export function answerText(answer: Exclude<HostAnswer, { state: 'failed' }>, kind: HostKind): string {
	switch (answer.state) {
		case 'answers':
			return kind === 'orgUrl'
				? vscode.l10n.t('It responds. The encrypted channel can be checked once a model for it is listed.')
				: vscode.l10n.t('It responds.');
		case 'wants-key': {
			const wantsKey = vscode.l10n.t('It responds and requires a key.');
			return answer.noList ? `${wantsKey} ${modelCount(0)}` : wantsKey;
		}
		case 'fits':
			if (answer.noList) {
				return `${vscode.l10n.t('It responds.')} ${modelCount(0)}`;
			}
			return answer.models ? modelCount(answer.models.length) : vscode.l10n.t('It responds as expected.');
	}
}

export function modelCount(count: number): string {
	switch (count) {
		case 0:
			return vscode.l10n.t('It lists no models.');
		case 1:
			return vscode.l10n.t('It lists one model.');
		default:
			return vscode.l10n.t('It lists {0} models.', count);
	}
}

/** Returns why a host is not of the expected kind, and what to do. `hasKey`: it got a key. */
export function hostProblem(error: ClientError, url: string, kind: HostKind, hasKey: boolean): FaultParts {
	const place = placeOf(url);
	const isServer = mayBeServer(kind);
	if (!isServer && isAboutKey(error) && !hasKey) {
		return {
			cause: vscode.l10n.t('{0} rejected the request (HTTP {1}).', place, error.status ?? 0),
			step: vscode.l10n.t('Check the address.') + quote(error.serviceMessage),
		};
	}
	switch (error.code) {
		case 'not-found':
			return {
				cause: isServer
					? vscode.l10n.t('There’s no list of models at {0} (HTTP 404).', oneLine(url, MAXIMUM_URL))
					: vscode.l10n.t('{0} responds, but not like the service (HTTP {1}).', place, error.status ?? 0),
				step: wrongPathStep(kind),
			};
		case 'bad-response':
			return foreignAnswerParts(error, place, {
				cause: isServer
					? vscode.l10n.t('{0} isn’t a model server.', place)
					: vscode.l10n.t('{0} isn’t the service.', place),
				step: isServer ? vscode.l10n.t('Check the address and the port.') : wrongPathStep(kind),
			});
		default:
			return explainFailure(error, { name: place, url, ...defined({ hasKey: isServer ? hasKey : undefined }) });
	}
}

function wrongPathStep(kind: HostKind): string {
	switch (kind) {
		case 'server':
		case 'service':
			return vscode.l10n.t('Most addresses end in /v1. See the server’s documentation.');
		case 'apiUrl':
		case 'enterpriseUrl':
			return vscode.l10n.t('Enter the part of the address before /v1/chat/completions.');
		case 'cloudUrl':
			return vscode.l10n.t('Enter the part of the address before /api/tasks.');
		case 'agentUrl':
			return vscode.l10n.t('Enter the part of the address before /api/v1/tasks.');
		default:
			return vscode.l10n.t('Check the address. See the service’s documentation.');
	}
}

/** Returns why the local service does not know the models of a server, in the same words. */
export function upstreamProblemText(problem: UpstreamProblem, url: string): string {
	const { cause, step } = hostProblem(errorOfUpstream(problem), url, 'server', problem.hasKey === true);
	return `${cause} ${step}`;
}

/** Breaks a sentence into rows of a list, which would otherwise cut it. */
function asRows(sentence: string): string[] {
	const rows: string[] = [];
	for (const word of sentence.split(' ')) {
		const last = rows.at(-1);
		if (last !== undefined && last.length + word.length < ROW_LENGTH) {
			rows[rows.length - 1] = `${last} ${word}`;
		} else {
			rows.push(word);
		}
	}
	return rows;
}

/** Breaks a sentence into the labels of rows, the first of which has the icon. An empty sentence has no labels. */
export function labelsOf(sentence: string, icon = 'blank'): string[] {
	return sentence === ''
		? []
		: asRows(escapeIcons(sentence)).map((row, index) => `$(${index === 0 ? icon : 'blank'}) ${row}`);
}

/** Returns why the typed text is not an address. Empty for an empty text, and for the beginning of an address. */
export function noAddressText(text: string): string {
	if (['https://', 'http://'].some(scheme => scheme.startsWith(text.toLowerCase()))) {
		return '';
	}
	return vscode.l10n.t(
		'“{0}” isn’t an address. Enter one with a host, such as https://models.example.com/v1 or 192.168.1.20:8000.',
		oneLine(text, MAXIMUM_TYPED),
	);
}

/** Returns whether the failure is about the key, so that another one may help. */
export function isAboutKey({ code }: ClientError): boolean {
	return code === 'unauthorised' || code === 'forbidden';
}

/**
 * Returns the problem if something else answered: a redirect, or a web page. `other` is the message for any other
 * unexpected answer.
 */
function foreignAnswerParts({ status = 0, isPage }: ClientError, place: string, other: FaultParts): FaultParts {
	if (status >= 300 && status < 400) {
		return {
			cause: vscode.l10n.t('{0} redirects to another address, for example to sign in.', place),
			step: vscode.l10n.t('Open the address in a browser to see where it leads, and enter that address.'),
		};
	}
	return isPage
		? {
				cause: vscode.l10n.t('A web page, such as a sign-in page, responded at {0}.', place),
				step: vscode.l10n.t('Check the address, and whether your network requires you to sign in first.'),
			}
		: other;
}
