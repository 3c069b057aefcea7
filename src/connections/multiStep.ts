import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';

export interface InputStep {
	prompt: string;
	placeHolder: string;
	/** The initial text of the box. */
	value: string;
	/** Returns what is wrong with a value, as a sentence. */
	validate(value: string): string | undefined;
	accept(value: string): void;
}

export interface ChoiceStep {
	placeHolder: string;
	items: (vscode.QuickPickItem & { value: string })[];
	/** The value of the item that is preselected. */
	value: string;
	accept(value: string): void;
}

export type Step = InputStep | ChoiceStep;

interface Position {
	title: string;
	step: number;
	totalSteps: number;
}

type Outcome = { value: string } | 'back' | 'dismissed';

/**
 * Asks one step after another; every step but the first has a back button. `steps` is called anew for each, as an
 * answer can add or remove later steps. Resolves with false if the user dismissed a step; the answers accepted until
 * then must be discarded.
 */
export async function askSteps(title: string, steps: () => Step[]): Promise<boolean> {
	let index = 0;
	for (;;) {
		const all = steps();
		const step = all[index];
		if (step === undefined) {
			return true;
		}
		const position = { title, step: index + 1, totalSteps: all.length };
		const outcome = await ('items' in step ? choose(step, position) : input(step, position));
		if (outcome === 'dismissed') {
			return false;
		}
		if (outcome === 'back') {
			index--;
		} else {
			step.accept(outcome.value);
			index++;
		}
	}
}

function input({ prompt, placeHolder, value, validate }: InputStep, position: Position): Promise<Outcome> {
	const box = vscode.window.createInputBox();
	box.prompt = prompt;
	box.placeholder = placeHolder;
	box.value = value;
	return show(box, position, (store, resolve) => {
		store.add(
			box.onDidChangeValue(text => {
				// An empty box is not a mistake yet; pressing Enter shows what is missing.
				box.validationMessage = text === '' ? undefined : validate(text);
			}),
		);
		store.add(
			box.onDidAccept(() => {
				box.validationMessage = validate(box.value);
				if (box.validationMessage === undefined) {
					resolve({ value: box.value.trim() });
				}
			}),
		);
	});
}

function choose({ placeHolder, items, value }: ChoiceStep, position: Position): Promise<Outcome> {
	const list = vscode.window.createQuickPick<ChoiceStep['items'][number]>();
	list.placeholder = placeHolder;
	list.items = items;
	list.activeItems = items.filter(item => item.value === value);
	return show(list, position, (store, resolve) => {
		store.add(
			list.onDidAccept(() => {
				const [chosen] = list.selectedItems;
				if (chosen) {
					resolve({ value: chosen.value });
				}
			}),
		);
	});
}

function show(
	box: vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem & { value: string }>,
	{ title, step, totalSteps }: Position,
	listen: (store: DisposableStore, resolve: (outcome: Outcome) => void) => void,
): Promise<Outcome> {
	const store = new DisposableStore();
	store.add(box);
	box.title = title;
	box.step = step;
	box.totalSteps = totalSteps;
	box.ignoreFocusOut = true;
	box.buttons = step > 1 ? [vscode.QuickInputButtons.Back] : [];
	return new Promise<Outcome>(resolve => {
		store.add(box.onDidTriggerButton(() => resolve('back')));
		store.add(box.onDidHide(() => resolve('dismissed')));
		listen(store, resolve);
		box.show();
	}).finally(() => store.dispose());
}
