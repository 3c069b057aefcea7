// What the flow of model servers says about them: why one does not list its models, and who runs it.
import * as vscode from 'vscode';
import type { ClientError, UpstreamProblem } from '../../base/errors.ts';
import { errorOfUpstream, explainFailure } from '../../base/explainFailure.ts';
import { placeOf } from '../../base/hostname.ts';
import type { FaultParts } from '../../base/networkFaultText.ts';
import { oneLine } from '../../base/plainText.ts';
import type { PortOwner } from '../../base/portOwner.ts';
import { foreignAnswerParts } from '../../platform/addressMessages.ts';

const MAXIMUM_URL = 120;

export function ownerText({ kind, user }: PortOwner): string {
	switch (kind) {
		case 'own':
			return vscode.l10n.t('It runs as you, {0}.', user);
		case 'root':
			return vscode.l10n.t('It runs as {0}, the administrator.', user);
		case 'system':
			return vscode.l10n.t('It runs as the system account {0}.', user);
		case 'other':
			return vscode.l10n.t('It runs as {0}, another user of this machine, who can read what it gets.', user);
		case 'unknown':
			return vscode.l10n.t('The system does not tell which user it runs as.');
	}
}

/** Says why a server did not list its models, and what to do. `hasKey`: it got a key. */
export function serverProblem(error: ClientError, url: string, hasKey: boolean): FaultParts {
	const place = placeOf(url);
	switch (error.code) {
		case 'not-found':
			return {
				cause: vscode.l10n.t('There is no list of models at {0} (HTTP 404).', oneLine(url, MAXIMUM_URL)),
				step: vscode.l10n.t('Most addresses end in /v1; the server’s documents name its own.'),
			};
		case 'bad-response':
			return foreignAnswerParts(error, place, {
				cause: vscode.l10n.t('What answers at {0} is no model server.', place),
				step: vscode.l10n.t('Check the address and the port.'),
			});
		default:
			return explainFailure(error, { name: place, url, hasKey });
	}
}

/** Says why the local service does not know the models of a server, in the same words. */
export function serviceProblem(problem: UpstreamProblem, url: string): string {
	const { cause, step } = serverProblem(errorOfUpstream(problem), url, problem.hasKey === true);
	return `${cause} ${step}`;
}
