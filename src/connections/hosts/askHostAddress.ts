import * as vscode from 'vscode';
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import { placeOf } from '../../base/hostname.ts';
import { oneLine } from '../../base/plainText.ts';
import { labelsOf, noAddressText } from '../../platform/addressMessages.ts';
import type { Choice } from '../../platform/pick.ts';
import { askTypedAddress, type TypedState } from '../../platform/typedAddressList.ts';
import { isConnectionAddress, readConnectionAddress } from '../model/newConnection.ts';
import { askHost, type HostAnswer, type HostContext, type HostField, type HostQuestion } from './askHost.ts';
import { addressRule, hostAnswerText, hostProblem } from './hostMessages.ts';

/** The address that was chosen, what its host has answered, and a key that was pasted with it. */
export interface ChosenHost {
	/** Undefined where the address is to be taken out. */
	url: string | undefined;
	answer?: HostAnswer;
	key?: string;
}

export interface HostAddressQuestion extends Pick<HostQuestion, 'channelModel'> {
	field: HostField;
	title: string;
	placeholder: string;
	value: string;
	position?: { step: number; totalSteps: number };
	/** Whether the connection can do without this address. */
	isOptional: boolean;
}

const MAXIMUM_URL = 100;

type Row = Choice<'use' | 'remove' | 'none'>;

/**
 * Asks for the address of a host, which is asked while it is typed. No key is sent. The first Enter waits for the answer; an
 * address that does not pass is taken when the user chooses it again.
 */
export function askHostAddress(
	{ field, title, placeholder, value, position, isOptional, channelModel }: HostAddressQuestion,
	context: HostContext,
): Promise<ChosenHost | 'back' | undefined> {
	return askTypedAddress<HostAnswer, Row, ChosenHost>({
		title,
		placeholder,
		value,
		...(position && { position }),
		clock: context.clock,
		read: readConnectionAddress,
		mayCarryKey: isConnectionAddress,
		ask: (url, _, signal) =>
			isConnectionAddress(url)
				? askHost({ field, url, channelModel }, { ...context, signal })
				: Promise.reject(new RangeError('a connection cannot have the address')),
		rows: state => rowsFor(state, field, isOptional && value !== ''),
		accept({ value: row }, { url, answer, key }, hasWaited) {
			if (row === 'remove') {
				return { url: undefined };
			}
			if (row === 'none' || url === undefined || !isConnectionAddress(url)) {
				return undefined;
			}
			if (answer === undefined) {
				return hasWaited ? { url, ...defined({ key }) } : 'wait';
			}
			// Enter was pressed before the problem was there to be read.
			return answer.state === 'failed' && hasWaited
				? undefined
				: { url: answer.state === 'failed' ? url : answer.url, answer, ...defined({ key }) };
		},
	});
}

function rowsFor(
	{ text, url, answer, isKeyPasted }: TypedState<HostAnswer>,
	field: HostField,
	canRemove: boolean,
): Row[] {
	const rows: Row[] = [];
	const words = (sentence: string, icon?: string): Row[] =>
		labelsOf(sentence, icon).map(label => ({ label, alwaysShow: true, value: 'none' }));
	if (url === undefined) {
		append(rows, words(noAddressText(text), 'warning'));
	} else if (!isConnectionAddress(url)) {
		append(rows, words(addressRule(), 'warning'));
	} else {
		const failed = answer?.state === 'failed' ? hostProblem(answer.error, answer.url, field, false) : undefined;
		const shown = oneLine((answer?.state === 'failed' ? url : answer?.url) ?? url, MAXIMUM_URL);
		const detail =
			failed?.cause ??
			(answer === undefined || answer.state === 'failed'
				? vscode.l10n.t('Asking {0}…', placeOf(url))
				: hostAnswerText(answer, field));
		rows.push({
			label: failed
				? `$(warning) ${vscode.l10n.t('Use {0} Anyway', shown)}`
				: `$(arrow-right) ${vscode.l10n.t('Use {0}', shown)}`,
			detail: `$(blank) ${detail}`,
			alwaysShow: true,
			value: 'use',
		});
		append(rows, failed ? words(failed.step) : []);
	}
	if (isKeyPasted) {
		rows.push({
			label: `$(key) ${vscode.l10n.t('The key that was pasted is not part of the address')}`,
			detail: `$(blank) ${vscode.l10n.t('It goes into the editor’s secret storage, never into the settings.')}`,
			alwaysShow: true,
			value: 'none',
		});
	}
	if (canRemove) {
		rows.push({ label: `$(trash) ${vscode.l10n.t('Take the Address Out')}`, alwaysShow: true, value: 'remove' });
	}
	return rows;
}
