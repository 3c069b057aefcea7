// What is said about a host of a connection that was asked.
import * as vscode from 'vscode';
import type { ClientError } from '../../base/errors.ts';
import { explainFailure } from '../../base/explainFailure.ts';
import { placeOf } from '../../base/hostname.ts';
import type { FaultParts } from '../../base/networkFaultText.ts';
import { foreignAnswerParts, isAboutKey } from '../../platform/addressMessages.ts';
import { quote } from '../../platform/notify.ts';
import type { HostAnswer, HostField } from './askHost.ts';

export function hostLabel(field: HostField): string {
	switch (field) {
		case 'apiUrl':
			return vscode.l10n.t('Public host for chat');
		case 'enterpriseUrl':
			return vscode.l10n.t('Enterprise host');
		case 'cloudUrl':
			return vscode.l10n.t('Host of cloud tasks and look-ups');
		case 'agentUrl':
			return vscode.l10n.t('Host of the agent task API');
		case 'orgUrl':
			return vscode.l10n.t('Organisation’s host of the encrypted channel');
		case 'encryptUrl':
			return vscode.l10n.t('Shared host of the encrypted channel');
		case 'dashboardUrl':
			return vscode.l10n.t('Dashboard');
	}
}

/** Why the address cannot be that of a connection. */
export function addressRule(): string {
	return vscode.l10n.t(
		'Type an https address without user name, query or fragment; http is accepted for this machine only (localhost, 127.0.0.1).',
	);
}

/** Says in a sentence what a host has answered that was not a failure. */
export function hostAnswerText(answer: Exclude<HostAnswer, { state: 'failed' }>, field: HostField): string {
	switch (answer.state) {
		case 'answers':
			return field === 'orgUrl'
				? vscode.l10n.t('Something answers there. The encrypted channel can be asked once a model for it is listed.')
				: vscode.l10n.t('Something answers there.');
		case 'wants-key':
			return answer.noList
				? vscode.l10n.t('It answers and wants a key. It lists no models.')
				: vscode.l10n.t('It answers and wants a key.');
		case 'fits':
			if (answer.noList) {
				return vscode.l10n.t('It answers. It lists no models.');
			}
			if (answer.models === undefined) {
				return vscode.l10n.t('It answers as it should.');
			}
			return answer.models.length === 1
				? vscode.l10n.t('It lists one model.')
				: vscode.l10n.t('It lists {0} models.', answer.models.length);
	}
}

/** Says why a host is not what the connection takes it for, and what to do. `hasKey`: it got a key. */
export function hostProblem(error: ClientError, url: string, field: HostField, hasKey: boolean): FaultParts {
	const place = placeOf(url);
	if (isAboutKey(error) && !hasKey) {
		return {
			cause: vscode.l10n.t('{0} refused the question (HTTP {1}).', place, error.status ?? 0),
			step: vscode.l10n.t('Check the address.') + quote(error.serviceMessage),
		};
	}
	switch (error.code) {
		case 'not-found':
			return {
				cause: vscode.l10n.t('{0} answers, but not as the service does (HTTP {1}).', place, error.status ?? 0),
				step: wrongPathStep(field),
			};
		case 'bad-response':
			return foreignAnswerParts(error, place, {
				cause: vscode.l10n.t('What answers at {0} is not the service.', place),
				step: wrongPathStep(field),
			});
		default:
			return explainFailure(error, { name: place, url });
	}
}

function wrongPathStep(field: HostField): string {
	switch (field) {
		case 'apiUrl':
		case 'enterpriseUrl':
			return vscode.l10n.t('Give the part of the address that stands before /v1/chat/completions.');
		case 'cloudUrl':
			return vscode.l10n.t('Give the part of the address that stands before /api/tasks.');
		case 'agentUrl':
			return vscode.l10n.t('Give the part of the address that stands before /api/v1/tasks.');
		default:
			return vscode.l10n.t('Check the address; the service’s documents have it.');
	}
}
