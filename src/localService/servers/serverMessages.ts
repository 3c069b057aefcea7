// What the flow of model servers says about them: why one does not list its models, and who runs it.
import * as vscode from 'vscode';
import { ClientError } from '../../base/errors.ts';
import { oneLine } from '../../base/plainText.ts';
import type { PortOwner } from '../../base/portOwner.ts';
import type { UpstreamProblem } from '../../contract/upstreamProblem.ts';
import { foreignAnswerParts, MAXIMUM_PLACE, offlineParts, placeOf } from '../../platform/addressMessages.ts';
import type { FaultParts } from '../../platform/networkFaultMessages.ts';
import { quote } from '../../platform/notify.ts';

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
	const { status = 0 } = error;
	const said = quote(error.serviceMessage);
	switch (error.code) {
		case 'unauthorised':
		case 'forbidden':
			return hasKey
				? {
						cause: vscode.l10n.t('{0} refused the key (HTTP {1}).', place, status),
						step: vscode.l10n.t('Check it, or enter another one.') + said,
					}
				: {
						cause: vscode.l10n.t('{0} wants a key.', place),
						step: vscode.l10n.t('Enter one to see its models.') + said,
					};
		case 'not-found':
			return {
				cause: vscode.l10n.t('There is no list of models at {0} (HTTP 404).', oneLine(url, 2 * MAXIMUM_PLACE)),
				step: vscode.l10n.t('Most addresses end in /v1; the server’s documents name its own.'),
			};
		case 'bad-response':
			return foreignAnswerParts(error, place, {
				cause: vscode.l10n.t('What answers at {0} is no model server.', place),
				step: vscode.l10n.t('Check the address and the port.'),
			});
		case 'offline':
			return offlineParts(error, url);
		case 'timeout':
			return {
				cause: vscode.l10n.t('{0} did not answer in time.', place),
				step: vscode.l10n.t('Check the address and the port, or try again when the server is ready.'),
			};
		case 'payment-required':
			return {
				cause: vscode.l10n.t('The account at {0} has no credit left.', place),
				step: vscode.l10n.t('Add credit there, then try again.') + said,
			};
		case 'rate-limited':
			return {
				cause: vscode.l10n.t('{0} takes no more requests for now (HTTP {1}).', place, status),
				step: vscode.l10n.t('Try again in a moment.') + said,
			};
		default:
			return {
				cause: vscode.l10n.t('{0} failed when it was asked for its models (HTTP {1}).', place, status),
				step: vscode.l10n.t('Check the address and whether it wants http or https.') + said,
			};
	}
}

/** Says why the local service does not know the models of a server, in the same words. */
export function serviceProblem({ code, status, system }: UpstreamProblem, url: string, hasKey: boolean): string {
	const cause = Object.assign(new Error(system), { code: system, hostname: new URL(url).host });
	const parts = serverProblem(new ClientError(code, '', { status, cause }), url, hasKey);
	return `${parts.cause} ${parts.step}`;
}
