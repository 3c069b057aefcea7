// What is said about an address that was asked.
import * as vscode from 'vscode';
import type { ClientError } from '../base/errors.ts';
import type { FaultParts } from '../base/networkFaultText.ts';
import { escapeIcons, oneLine } from '../base/plainText.ts';

/** The characters of a row of a list that are certainly seen. */
const ROW_LENGTH = 85;

/** The most of a typed text that is repeated. */
const MAXIMUM_TYPED = 60;

/** Breaks a sentence into the rows of a list, which would cut it. */
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

/** Breaks a sentence into the labels of rows, of which the first one has the icon. Nothing has none. */
export function labelsOf(sentence: string, icon = 'blank'): string[] {
	return sentence === ''
		? []
		: asRows(escapeIcons(sentence)).map((row, index) => `$(${index === 0 ? icon : 'blank'}) ${row}`);
}

/** Says of what was typed that it is no address. Empty for nothing, and for the beginning of one. */
export function noAddressText(text: string): string {
	if (['https://', 'http://'].some(scheme => scheme.startsWith(text.toLowerCase()))) {
		return '';
	}
	return vscode.l10n.t(
		'“{0}” is not an address. One has a host, such as https://models.example.com/v1 or 192.168.1.20:8000.',
		oneLine(text, MAXIMUM_TYPED),
	);
}

/** Returns whether the failure is about the key, so that another one may help. */
export function isAboutKey({ code }: ClientError): boolean {
	return code === 'unauthorised' || code === 'forbidden';
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
