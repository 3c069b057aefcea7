// The editor's lists of choices, and its input box.
import * as vscode from 'vscode';
import { hasInvisible } from '../base/invisible.ts';
import { escapeIcons, oneLine } from '../base/plainText.ts';
import { inertText } from './inertText.ts';

/**
 * A list of choices that may be redrawn while it is open. Each list ends with one result, or with undefined if the user
 * leaves it.
 */
export class PickList<Row extends vscode.QuickPickItem, Result = void> {
	private readonly prepare: (picker: vscode.QuickPick<Row>) => void;
	private readonly ended = Promise.withResolvers<Result | undefined>();
	private picker: vscode.QuickPick<Row> | undefined;
	/** Set while the editor may not yet show the rows that were put into the list last. */
	private drawing: object | undefined;
	private activeRow: Row | undefined;
	/** True while something that will bring the list back takes its place, such as an input box. */
	isAway = false;

	/** `prepare` sets up each list before it is shown, and listens to it. */
	constructor(prepare: (picker: vscode.QuickPick<Row>) => void) {
		this.prepare = prepare;
	}

	get result(): Promise<Result | undefined> {
		return this.ended.promise;
	}

	/** The last list that was shown, until the choice has ended. */
	get current(): vscode.QuickPick<Row> | undefined {
		return this.picker;
	}

	/** The row that Enter chooses, if it is known. */
	get active(): Row | undefined {
		return this.activeRow;
	}

	/**
	 * Replaces the rows of the list if it is still shown; the user may be leaving it. The editor identifies a row by its
	 * position, so a choice made before the new rows are shown was meant for another row, and `take` ignores it.
	 */
	redraw(items: readonly Row[], active?: Row): void {
		const { picker } = this;
		if (!picker) {
			return;
		}
		picker.items = items;
		if (active) {
			picker.activeItems = [active];
		}
		this.activeRow = active;
		const drawing = {};
		this.drawing = drawing;
		// The editor is told at the end of this turn and answers in order, so once the command has run, it shows the rows.
		setTimeout(async () => {
			await vscode.commands.executeCommand('noop');
			if (this.drawing === drawing) {
				this.drawing = undefined;
			}
		});
	}

	take(result: Result): void {
		if (!this.drawing) {
			this.end(result);
		} else if (this.picker) {
			// Otherwise, the next click on the same row would have no effect.
			this.picker.selectedItems = [];
		}
	}

	/**
	 * Shows the rows in a new list in place of one that is hidden or has just been used, and keeps the filter text that
	 * was typed. `selected` are the checked rows, if several can be chosen.
	 */
	show(items: readonly Row[], active?: Row, selected?: readonly Row[]): vscode.QuickPick<Row> {
		const before = this.picker;
		this.drawing = undefined;
		const picker = vscode.window.createQuickPick<Row>();
		this.picker = picker;
		this.prepare(picker);
		picker.items = items;
		// Set before the list is shown, because Enter may be pressed at once.
		if (selected) {
			picker.selectedItems = selected;
		}
		if (active) {
			picker.activeItems = [active];
		}
		this.activeRow = active;
		picker.onDidChangeActive(([row]) => {
			// Until the new rows are shown, the editor reports earlier ones, by their positions.
			if (!this.drawing) {
				this.activeRow = row;
			}
		});
		picker.onDidHide(() => {
			if (this.picker === picker && !this.isAway) {
				this.end();
			}
		});
		picker.show();
		if (before?.value) {
			// Set after the list is shown: an initial value would be selected, and the next letter would replace it.
			picker.value = before.value;
			// Set again, because filtering activates the first row.
			if (active) {
				picker.activeItems = [active];
			}
		}
		before?.dispose();
		return picker;
	}

	/** Closes the list. Only the first result counts. */
	end(result?: Result): void {
		const { picker } = this;
		this.picker = undefined;
		picker?.dispose();
		this.ended.resolve(result);
	}
}

/**
 * Stands before a text whose line has no icon, so that it begins where the texts of other lines do. It is made of
 * spaces, as a screen reader would read out the name of a blank icon.
 */
export const NO_ICON = '\u{2003}\u{2005}';

const MAXIMUM_SHOWN = 80;

/** Returns a name of foreign origin, made fit for a row or a title. */
export function shownText(text: string): string {
	return escapeIcons(oneLine(text, MAXIMUM_SHOWN));
}

export interface Choice<T> extends vscode.QuickPickItem {
	value: T;
}

export const separator = <T>(label: string): Choice<T> => ({
	label,
	kind: vscode.QuickPickItemKind.Separator,
	value: undefined as T,
});

export interface ChooseOptions<T> {
	placeHolder?: string | undefined;
	/** The value of the item that is focused first. */
	active?: T | undefined;
	/** Finds that item if its value does not. */
	isActive?(item: Choice<T>): boolean;
	/** The items that will take the place of these, with the placeholder until then. A rejection changes nothing. */
	later?: { items: Promise<readonly Choice<T>[]>; placeHolder?: string } | undefined;
	/** Returns false for items that only tell something, which are not chosen. */
	isChoice?(item: Choice<T>): boolean;
	/** Adds the text that was typed into the list to the choice. */
	withText?(value: T, text: string): T;
	/** The result of the button for the previous step, if there is one. */
	back?: T | undefined;
	/** True if the list stays when the focus leaves it. */
	ignoreFocusOut?: boolean | undefined;
}

/** Returns undefined if the list was dismissed. */
export function choose<T>(
	title: string,
	items: readonly Choice<T>[],
	options: ChooseOptions<T> = {},
): Promise<T | undefined> {
	const { placeHolder = '', active, later, back, ignoreFocusOut = false, isChoice = () => true } = options;
	const { withText = (value: T) => value } = options;
	const { isActive = ({ value }) => active !== undefined && value === active } = options;
	const list = new PickList<Choice<T>, T>(picker => {
		picker.title = title;
		picker.placeholder = later?.placeHolder ?? placeHolder;
		picker.matchOnDescription = true;
		picker.matchOnDetail = true;
		picker.ignoreFocusOut = ignoreFocusOut;
		picker.buttons = back === undefined ? [] : [vscode.QuickInputButtons.Back];
		picker.onDidTriggerButton(() => list.end(back));
		picker.onDidAccept(() => {
			const [chosen] = picker.selectedItems;
			if (chosen && isChoice(chosen)) {
				list.take(withText(chosen.value, picker.value));
			}
		});
	});
	const activeOf = (rows: readonly Choice<T>[]) =>
		rows.find(row => row.kind !== vscode.QuickPickItemKind.Separator && isActive(row));
	const isSame = ({ label, description }: Choice<T>) =>
		label === list.active?.label && description === list.active.description;
	const picker = list.show(items, activeOf(items));
	if (later) {
		picker.busy = true;
		later.items
			.then(rows => list.redraw(rows, rows.find(isSame) ?? activeOf(rows)))
			.catch(() => {})
			.finally(() => {
				picker.busy = false;
				picker.placeholder = placeHolder;
			});
	}
	return list.result;
}

/** Lets the user choose any number of items. Returns undefined if the list was dismissed. */
export async function chooseSome(
	title: string,
	placeHolder: string,
	items: readonly Choice<string>[],
): Promise<string[] | undefined> {
	const chosen = await vscode.window.showQuickPick(items, {
		title,
		placeHolder,
		canPickMany: true,
		matchOnDescription: true,
	});
	return chosen?.map(({ value }) => value);
}

/**
 * Asks for a text. The prompt may repeat foreign text. `problem` returns the problem with a text, if any. Resolves with
 * undefined if the input box was dismissed.
 */
export function input(
	title: string,
	prompt: string,
	value: string,
	problem: (text: string) => string | undefined,
): Thenable<string | undefined> {
	return vscode.window.showInputBox({
		title,
		prompt: inertText(prompt),
		value,
		validateInput(text) {
			const found = problem(text);
			return found === undefined ? undefined : inertText(found);
		},
		ignoreFocusOut: true,
	});
}

const MAXIMUM_NAME = 200;

/** Asks for the name of something at a service, such as a model. Resolves with undefined if the box was dismissed. */
export async function inputName(
	title: string,
	prompt: string,
	{ value = '', mayBeEmpty = false }: { value?: string | undefined; mayBeEmpty?: boolean } = {},
): Promise<string | undefined> {
	const answer = await input(title, prompt, value, text => {
		const name = text.trim();
		const isName = /^[^\s-]\S*$/.test(name) && !hasInvisible(name) && name.length <= MAXIMUM_NAME;
		return isName || (mayBeEmpty && name === '') ? undefined : vscode.l10n.t('Enter a name without spaces.');
	});
	return answer?.trim();
}

export interface DraftQuestion {
	title: string;
	placeholder: string;
	/** May repeat foreign text. */
	prompt?: string;
	value: string;
	emptyProblem: string;
}

/**
 * Asks for a text that must not get lost: the draft is returned even if the input box was dismissed. A problem is shown
 * only on Enter, because a draft may be empty while it is being written.
 */
export function inputDraft(question: DraftQuestion): Promise<{ draft: string; isAccepted: boolean }> {
	const box = vscode.window.createInputBox();
	box.title = question.title;
	box.placeholder = question.placeholder;
	box.prompt = question.prompt === undefined ? undefined : inertText(question.prompt);
	box.value = question.value;
	box.ignoreFocusOut = true;
	return new Promise(resolve => {
		const finish = (isAccepted: boolean) => {
			resolve({ draft: box.value, isAccepted });
			// This hides the box and calls `finish` again, which then has no effect.
			box.dispose();
		};
		box.onDidChangeValue(() => {
			box.validationMessage = undefined;
		});
		box.onDidAccept(() => {
			if (box.value.trim() === '') {
				box.validationMessage = question.emptyProblem;
			} else {
				finish(true);
			}
		});
		box.onDidHide(() => finish(false));
		box.show();
	});
}

/**
 * Lets the user choose any number of the items, of the values already set, and of names to be typed. If there are
 * neither items nor values, all names are typed. Returns undefined if it was dismissed.
 */
export async function chooseSomeOrType(
	title: string,
	placeHolder: string,
	listed: readonly Choice<string>[],
	value: readonly string[],
	problem: (text: string) => string | undefined = () => undefined,
): Promise<string[] | undefined> {
	const strange = value.filter(name => !listed.some(choice => choice.value === name));
	const items = [...listed, ...strange.map(name => ({ label: shownText(name), value: name }))];
	if (items.length === 0) {
		return typeSome(title, vscode.l10n.t('{0}, separated by commas', placeHolder), problem);
	}
	const other = { label: vscode.l10n.t('Others…'), value: '' };
	const chosen = await chooseSome(title, placeHolder, [
		...items.map(item => ({ ...item, picked: value.includes(item.value) })),
		other,
	]);
	if (!chosen?.includes('')) {
		return chosen;
	}
	const typed = await typeSome(title, vscode.l10n.t('Others, separated by commas'), problem);
	return typed && [...new Set([...chosen.filter(name => name !== ''), ...typed])];
}

/**
 * Lets the user type names. `problem` returns the problem with a name, if any. Returns undefined if the input box was
 * dismissed.
 */
export async function typeSome(
	title: string,
	prompt: string,
	problem: (text: string) => string | undefined = () => undefined,
): Promise<string[] | undefined> {
	const text = await input(title, prompt, '', typed =>
		typed
			.split(',')
			.map(name => problem(name))
			.find(found => found !== undefined),
	);
	const names = text?.split(',').map(name => name.trim());
	return names && [...new Set(names.filter(name => name !== ''))];
}
