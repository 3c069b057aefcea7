import * as vscode from 'vscode';
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import { placeOf } from '../../base/hostname.ts';
import { oneLine } from '../../base/plainText.ts';
import { mayCarryKey } from '../../contract/upstreams.ts';
import { type Choice, NO_ICON, PickList } from '../../platform/pick.ts';
import { isConnectionAddress, readConnectionAddress } from '../model/newConnection.ts';
import { readTypedAddress } from '../model/typedAddress.ts';
import { askHost, type HostAnswer, type HostContext, type HostQuestion } from './askHost.ts';
import { addressRule, answerText, hostProblem, labelsOf, mayBeServer, noAddressText } from './messages.ts';

export interface AddressQuestion extends Pick<HostQuestion, 'kind' | 'form' | 'channelModel'> {
	title: string;
	placeholder: string;
	value: string;
	canRemove?: boolean;
}

/** The chosen address, the answer of its host, and a key that was pasted. */
export interface ChosenAddress {
	/** Undefined if the address is to be removed. */
	url: string | undefined;
	answer?: HostAnswer;
	key?: string;
}

type Row = Choice<'use' | 'remove' | 'none'>;

interface TypedState {
	/** The text in the box, without a key. */
	text: string;
	/** Undefined if the text is not an address yet. */
	url: string | undefined;
	/** Undefined until the host has answered. */
	answer: HostAnswer | undefined;
	isKeyPasted: boolean;
}

/**
 * The pause between key presses, in milliseconds, after which the host is asked, so that few half-typed names are
 * looked up.
 */
const PAUSE_MS = 500;

const MAXIMUM_URL = 100;

/**
 * Asks for an address and asks its host while it is typed. No key is sent. The first Enter waits for the answer; an
 * address that fails is accepted when the user chooses it again. Resolves with `back` if the user wants the previous
 * step.
 */
export function askAddress(
	question: AddressQuestion,
	context: HostContext,
): Promise<ChosenAddress | 'back' | undefined> {
	const { kind } = question;
	const isForServer = mayBeServer(kind);
	const mayBe = (address: string) => isForServer || isConnectionAddress(address);
	const readText = isForServer ? readTypedAddress : readConnectionAddress;
	const list = new PickList<Row, ChosenAddress | 'back'>(picker => {
		picker.title = question.title;
		picker.placeholder = question.placeholder;
		picker.buttons = [vscode.QuickInputButtons.Back];
		picker.ignoreFocusOut = true;
		picker.onDidTriggerButton(() => list.end('back'));
		picker.onDidChangeValue(typed);
		picker.onDidAccept(() => accept(picker.selectedItems[0]?.value, isWaiting));
	});
	const state: TypedState = { text: '', url: undefined, answer: undefined, isKeyPasted: false };
	/**
	 * A pasted key belongs to the address that it was pasted with or, if pasted alone, to the address that is accepted.
	 */
	let pasted: { key: string; origin: string | undefined } | undefined;
	let asking = new AbortController();
	let cancelPause = () => {};
	/** True if Enter was pressed before the answer could be read. */
	let isWaiting = false;

	function accept(row: Row['value'] | undefined, hasWaited: boolean): void {
		const { url, answer } = state;
		isWaiting = false;
		if (row === 'remove') {
			list.end({ url: undefined });
		} else if (row === 'use' && url !== undefined && mayBe(url)) {
			isWaiting = answer === undefined && !hasWaited;
			const { origin } = new URL(url);
			const key = (pasted?.origin ?? origin) === origin && mayCarryKey(url) ? pasted?.key : undefined;
			if (!isWaiting && !(hasWaited && answer?.state === 'failed')) {
				const place = answer === undefined || answer.state === 'failed' ? url : answer.url;
				list.end({ url: place, ...defined({ answer, key }) });
			}
		}
	}

	function typed(value: string): void {
		const read = readText(value);
		if (read.key !== undefined) {
			pasted = { key: read.key, origin: read.url && new URL(read.url).origin };
			state.isKeyPasted = true;
			if (list.current) {
				// The key is removed from the box at once, as it could be read there.
				list.current.value = read.text;
			}
		}
		state.text = read.text;
		if (read.url === state.url) {
			draw();
			return;
		}
		state.url = read.url;
		state.answer = undefined;
		isWaiting = false;
		asking.abort();
		cancelPause();
		draw();
		if (read.url !== undefined && mayBe(read.url)) {
			const address = read.url;
			cancelPause = context.clock.after(PAUSE_MS, () => void ask(address));
		}
	}

	async function ask(url: string): Promise<void> {
		asking = new AbortController();
		const { signal } = asking;
		const { form, channelModel } = question;
		const answer = await askHost({ kind, url, form, channelModel }, { ...context, signal }).catch(() => undefined);
		if (answer !== undefined && !signal.aborted) {
			state.answer = answer;
			draw();
			if (isWaiting) {
				accept('use', true);
			}
		}
	}

	/** These rows depend on the typed text, so they go into the same list. */
	function draw(): void {
		const { current } = list;
		if (current) {
			current.busy = state.url !== undefined && state.answer === undefined;
			current.items = rowsFor(state, question);
		}
	}

	list.show([]);
	const initial = readText(question.value).text;
	if (list.current && initial !== '') {
		// Set after the list is shown, as an initial value would be selected and the next letter would replace it. An
		// empty value is not set, as it would remove text that was typed meanwhile.
		list.current.value = initial;
	}
	typed(question.value);
	return list.result.finally(() => {
		asking.abort();
		cancelPause();
	});
}

/** All rows are shown whatever is typed, because the text is an address and not a filter. */
function rowsFor({ text, url, answer, isKeyPasted }: TypedState, { kind, canRemove = false }: AddressQuestion): Row[] {
	const rows: Row[] = [];
	const isForServer = mayBeServer(kind);
	const words = (sentence: string, icon?: string): Row[] =>
		labelsOf(sentence, icon).map(label => ({ label, alwaysShow: true, value: 'none' }));
	if (url === undefined) {
		append(rows, words(noAddressText(text), 'warning'));
	} else if (!isForServer && !isConnectionAddress(url)) {
		append(rows, words(addressRule(), 'warning'));
	} else {
		const failed = answer?.state === 'failed' ? hostProblem(answer.error, answer.url, kind, false) : undefined;
		const shown = oneLine((failed ? url : answer?.url) ?? url, MAXIMUM_URL);
		const detail =
			answer === undefined
				? vscode.l10n.t('Contacting {0}…', placeOf(url))
				: answer.state === 'failed'
					? (failed?.cause ?? '')
					: answerText(answer, kind);
		rows.push({
			label: failed
				? `$(warning) ${vscode.l10n.t('Use {0} Anyway', shown)}`
				: `$(arrow-right) ${vscode.l10n.t('Use {0}', shown)}`,
			detail: `${NO_ICON} ${detail}`,
			alwaysShow: true,
			value: 'use',
		});
		append(rows, failed ? words(failed.step) : []);
	}
	if (isKeyPasted) {
		rows.push({
			label: `$(key) ${vscode.l10n.t('The key that you pasted isn’t part of the address')}`,
			detail: `${NO_ICON} ${
				!isForServer
					? vscode.l10n.t('It’s left out: keys are never saved in the settings.')
					: url === undefined || mayCarryKey(url)
						? vscode.l10n.t('It’s saved in the editor’s secret storage, never in the settings.')
						: vscode.l10n.t('It isn’t sent without encryption. Use an https address.')
			}`,
			alwaysShow: true,
			value: 'none',
		});
	}
	if (canRemove) {
		rows.push({ label: `$(trash) ${vscode.l10n.t('Remove the Address')}`, alwaysShow: true, value: 'remove' });
	}
	return rows;
}
