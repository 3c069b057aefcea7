// What is said about an address that was asked: where it is, and why it cannot be reached.
import * as vscode from 'vscode';
import { type ClientError, causesOf, systemErrorCode } from '../base/errors.ts';
import { isLoopbackHost } from '../base/loopback.ts';
import { networkFaultOf } from '../base/networkFault.ts';
import { oneLine } from '../base/plainText.ts';
import { type FaultParts, networkFaultParts } from './networkFaultMessages.ts';

export const MAXIMUM_PLACE = 60;

/** The host and port of an address. */
export function placeOf(url: string): string {
	return oneLine(new URL(url).host, MAXIMUM_PLACE);
}

/** The characters of a row of a list that are certainly seen. */
const ROW_LENGTH = 85;

/** Breaks a sentence into the rows of a list, which would cut it. */
export function asRows(sentence: string): string[] {
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

/** Says of what was typed that it is no address. */
export function noAddressText(text: string): string {
	return vscode.l10n.t(
		'“{0}” is not an address. One has a host, such as https://models.example.com/v1 or 192.168.1.20:8000.',
		oneLine(text, MAXIMUM_PLACE),
	);
}

/** Returns whether the failure is about the key, so that another one may help. */
export function isAboutKey({ code }: ClientError): boolean {
	return code === 'unauthorised' || code === 'forbidden';
}

/** Says why there was no exchange with the server, and what to do. */
export function offlineParts(error: ClientError, url: string): FaultParts {
	const place = placeOf(url);
	const fault = networkFaultOf(error);
	if (fault?.kind === 'certificate' && fault.problem === 'other-host') {
		return {
			cause: networkFaultParts(fault, place).cause,
			step: vscode.l10n.t('Check the address; if it is right, ask whoever runs the server.'),
		};
	}
	if (fault?.kind !== 'unreachable') {
		return fault ? networkFaultParts(fault, place) : brokenOff(error, url, place);
	}
	if (fault.code === 'ENOTFOUND' || fault.code === 'EAI_AGAIN') {
		return {
			cause: vscode.l10n.t('There is no host named {0}.', oneLine(fault.place, MAXIMUM_PLACE)),
			step: vscode.l10n.t('Check the spelling and the network.'),
		};
	}
	return isLoopbackHost(new URL(url).hostname)
		? {
				cause: vscode.l10n.t('Nothing answers at {0}: the connection was refused.', place),
				step: vscode.l10n.t('Start the server, or check the port.'),
			}
		: networkFaultParts(fault, place);
}

/** The connection ended without an answer. */
function brokenOff(error: ClientError, url: string, place: string): FaultParts {
	if ([...causesOf(error)].some(({ message }) => message === 'bad port')) {
		return {
			cause: vscode.l10n.t(
				'The editor connects to no server at the port of {0}, which is reserved for another use.',
				place,
			),
			step: vscode.l10n.t('Let the server listen at another port.'),
		};
	}
	const isWithoutTls = /^(?:ERR_SSL_|EPROTO)/.test(systemErrorCode(error.cause) ?? '');
	return isWithoutTls && url.startsWith('https:')
		? {
				cause: vscode.l10n.t('{0} does not speak https.', place),
				step: vscode.l10n.t('Write http:// in front of the address if the server is on your own network.'),
			}
		: {
				cause: vscode.l10n.t('{0} broke the connection off before it answered.', place),
				step: vscode.l10n.t('Check the port, and whether the server wants http or https.'),
			};
}

/**
 * What is wrong where something else answered: a redirect, or a page of the web. `other` is what is said of any other
 * answer that is not the expected one.
 */
export function foreignAnswerParts({ status = 0, isPage }: ClientError, place: string, other: FaultParts): FaultParts {
	if (status >= 300 && status < 400) {
		return {
			cause: vscode.l10n.t('{0} sends the question on to another address, as for a login.', place),
			step: vscode.l10n.t('Open the address in a browser to see where it leads, and give that one.'),
		};
	}
	return isPage
		? {
				cause: vscode.l10n.t('A web page answered at {0}, such as one for a login.', place),
				step: vscode.l10n.t('Check the address, and whether the network asks for a login first.'),
			}
		: other;
}
