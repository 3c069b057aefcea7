import * as vscode from 'vscode';
import type { Clock } from '../base/async.ts';
import { readTypedAddress, type TypedAddress } from '../base/typedAddress.ts';
import { PickList } from './pick.ts';

/** What is known of the address in the box. */
export interface TypedState<Answer> {
	/** What is in the box, without a key. */
	text: string;
	/** Undefined where the text is no address yet. */
	url: string | undefined;
	/** Undefined until the server has answered. */
	answer: Answer | undefined;
	/** The key that was pasted, where it may go to this address. */
	key: string | undefined;
	isKeyPasted: boolean;
}

export interface AddressQuestion<Answer, Row extends vscode.QuickPickItem, Result> {
	title: string;
	placeholder: string;
	/** The initial text of the box. */
	value: string;
	position?: { step: number; totalSteps: number };
	clock: Clock;
	/** Reads the text of the box; without it, an address of a private network has http. */
	read?(text: string): TypedAddress;
	mayCarryKey(url: string): boolean;
	/** Asks the server. `key` was pasted together with this address. */
	ask(url: string, key: string | undefined, signal: AbortSignal): Promise<Answer>;
	/** The rows are the list's whole content: whatever is typed is an address and no filter. */
	rows(state: TypedState<Answer>): Row[];
	/**
	 * Returns what a row leads to. Undefined keeps the list open; `wait` does so until the server has answered and then asks
	 * again, with `hasWaited`.
	 */
	accept(row: Row, state: TypedState<Answer>, hasWaited: boolean): Result | 'wait' | undefined;
}

/** After this long without a key press the server is asked, so that few names are looked up that are only half typed. */
const PAUSE_MS = 500;

/** Asks for an address, and asks its server while it is typed. Resolves with `back` where the user wants the step before. */
export function askTypedAddress<Answer, Row extends vscode.QuickPickItem, Result extends object>(
	question: AddressQuestion<Answer, Row, Result>,
): Promise<Result | 'back' | undefined> {
	const { clock, read: readText = readTypedAddress } = question;
	const list = new PickList<Row, Result | 'back'>(picker => {
		picker.title = question.title;
		picker.placeholder = question.placeholder;
		picker.buttons = [vscode.QuickInputButtons.Back];
		picker.ignoreFocusOut = true;
		picker.step = question.position?.step;
		picker.totalSteps = question.position?.totalSteps;
		picker.onDidTriggerButton(() => list.end('back'));
		picker.onDidChangeValue(typed);
		picker.onDidAccept(() => {
			const [row] = picker.selectedItems;
			if (row !== undefined) {
				accept(row, isWaiting);
			}
		});
	});
	let text = '';
	let url: string | undefined;
	let answer: Answer | undefined;
	/** A pasted key belongs to the address that it was pasted with, or, pasted alone, to the one that is accepted. */
	let pasted: { key: string; origin: string | undefined } | undefined;
	let asking = new AbortController();
	let cancelPause = () => {};
	let isWaiting = false;

	const keyFor = (address: string): string | undefined => {
		const { origin } = new URL(address);
		return (pasted?.origin ?? origin) === origin && question.mayCarryKey(address) ? pasted?.key : undefined;
	};
	const state = (): TypedState<Answer> => ({
		text,
		url,
		answer,
		key: url === undefined ? undefined : keyFor(url),
		isKeyPasted: pasted !== undefined,
	});

	function accept(row: Row, hasWaited: boolean): void {
		const result = question.accept(row, state(), hasWaited);
		isWaiting = result === 'wait';
		if (result !== undefined && result !== 'wait') {
			list.end(result);
		}
	}

	function typed(value: string): void {
		const read = readText(value);
		if (read.key !== undefined) {
			pasted = { key: read.key, origin: read.url && new URL(read.url).origin };
			if (list.current) {
				// The key leaves the box at once, where it could be read.
				list.current.value = read.text;
			}
		}
		const isNews = read.url !== url || read.key !== undefined;
		text = read.text;
		if (!isNews) {
			if (url === undefined) {
				draw();
			}
			return;
		}
		url = read.url;
		answer = undefined;
		isWaiting = false;
		asking.abort();
		cancelPause();
		draw();
		if (url !== undefined) {
			const address = url;
			cancelPause = clock.after(PAUSE_MS, () => void ask(address));
		}
	}

	async function ask(address: string): Promise<void> {
		asking = new AbortController();
		const { signal } = asking;
		// A key that was pasted alone goes nowhere before the user has chosen the address.
		const key = pasted?.origin === undefined ? undefined : keyFor(address);
		const came = await question.ask(address, key, signal).catch(() => undefined);
		if (came !== undefined && !signal.aborted) {
			answer = came;
			draw();
			const [first] = list.current?.items ?? [];
			if (isWaiting && first !== undefined) {
				accept(first, true);
			}
		}
	}

	/** These rows follow from what is typed, so they come into the same list. */
	function draw(): void {
		const { current } = list;
		if (current) {
			current.busy = url !== undefined && answer === undefined;
			current.items = question.rows(state());
		}
	}

	list.show([]);
	const initial = readText(question.value).text;
	if (list.current && initial !== '') {
		// Set after the list is shown, as an initial value would be selected and the next letter would replace it. An empty one
		// is not set, as it would take away what is typed meanwhile.
		list.current.value = initial;
	}
	typed(question.value);
	return list.result.finally(() => {
		asking.abort();
		cancelPause();
	});
}
