import * as vscode from 'vscode';
import type { CertificateProblem, NetworkFault } from '../base/networkFault.ts';

/**
 * Names the cause and the next step. `connection` is the label of the connection that was used; `wasSent`: an earlier try
 * of the request may have left this machine.
 */
export function networkFaultWords(fault: NetworkFault, connection: string, wasSent: boolean): string {
	const { cause, step } = networkFaultParts(fault, connection);
	const isUnsent = fault.kind === 'certificate' && !wasSent;
	return [cause, ...(isUnsent ? [vscode.l10n.t('Nothing was sent.')] : []), step].join(' ');
}

/** What is wrong, and what to do: a sentence each, for places that show them apart. */
export interface FaultParts {
	cause: string;
	step: string;
}

export function networkFaultParts(fault: NetworkFault, connection: string): FaultParts {
	switch (fault.kind) {
		case 'certificate': {
			const [cause, step] = certificateWords(fault.problem, connection);
			return { cause, step };
		}
		case 'proxy-credentials':
			return {
				cause: vscode.l10n.t('The user name or the password in the setting http.proxy cannot be read.'),
				step: vscode.l10n.t('Write a “%” that belongs to it as %25, an “@” as %40 and a “:” as %3A.'),
			};
		case 'proxy-refused':
			return fault.status === 407
				? {
						cause: vscode.l10n.t('The proxy asks for a user name and a password, or for other ones (HTTP 407).'),
						step: vscode.l10n.t('Put them into the setting http.proxy, as in http://user:password@host:port.'),
					}
				: {
						cause: vscode.l10n.t('The proxy did not open a tunnel to {0} (HTTP {1}).', connection, fault.status),
						step: vscode.l10n.t(
							'Check the service’s address and the setting http.proxy; an address that needs no proxy belongs into http.noProxy.',
						),
					};
		case 'unreachable':
			return {
				cause: vscode.l10n.t(
					'{0} cannot be reached: nothing answers at {1} ({2}).',
					connection,
					fault.place,
					fault.code,
				),
				step: vscode.l10n.t(
					'If that is your proxy, correct the setting http.proxy; if it is the service, check the network and the address, then try again.',
				),
			};
	}
}

/** What is wrong, and what to do. */
function certificateWords(problem: CertificateProblem, connection: string): [cause: string, step: string] {
	switch (problem) {
		case 'self-signed':
			return [
				vscode.l10n.t('The certificate of {0} is self-signed.', connection),
				vscode.l10n.t(
					'If you trust it, add it to the system’s certificates and start the editor again; else ask whoever runs the service.',
				),
			];
		case 'unknown-issuer':
			return [
				vscode.l10n.t('The certificate of {0} was issued by an authority that is not trusted here.', connection),
				vscode.l10n.t(
					'If it is your company’s own, add that authority’s certificate to the system’s certificates and start the editor again.',
				),
			];
		case 'other-host':
			return [
				vscode.l10n.t('The certificate of {0} is for another host name.', connection),
				vscode.l10n.t(
					'Check the address in the setting errand.connections; if it is right, ask whoever runs the service.',
				),
			];
		case 'expired':
			return [
				vscode.l10n.t('The certificate of {0} has expired.', connection),
				vscode.l10n.t(
					'Check this machine’s date; if it is right, whoever runs the service has to renew the certificate.',
				),
			];
		case 'not-yet-valid':
			return [
				vscode.l10n.t('The certificate of {0} is not valid yet.', connection),
				vscode.l10n.t('Check this machine’s date; if it is right, ask whoever runs the service.'),
			];
		case 'revoked':
			return [
				vscode.l10n.t('The certificate of {0} was revoked.', connection),
				vscode.l10n.t('Ask whoever runs the service.'),
			];
	}
}
