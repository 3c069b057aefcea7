import * as vscode from 'vscode';
import { type Choice, PickList } from '../platform/pick.ts';

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
	items: Choice<string>[];
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

async function input({ prompt, placeHolder, value, validate }: InputStep, position: Position): Promise<Outcome> {
	const box = vscode.window.createInputBox();
	place(box, position);
	box.prompt = prompt;
	box.placeholder = placeHolder;
	box.value = value;
	const outcome = new Promise<Outcome>(resolve => {
		box.onDidTriggerButton(() => resolve('back'));
		box.onDidHide(() => resolve('dismissed'));
		box.onDidChangeValue(text => {
			// An empty box is not a mistake yet; pressing Enter shows what is missing.
			box.validationMessage = text === '' ? undefined : validate(text);
		});
		box.onDidAccept(() => {
			box.validationMessage = validate(box.value);
			if (box.validationMessage === undefined) {
				resolve({ value: box.value.trim() });
			}
		});
	});
	box.show();
	return outcome.finally(() => box.dispose());
}

async function choose({ placeHolder, items, value }: ChoiceStep, position: Position): Promise<Outcome> {
	const list = new PickList<Choice<string>, Outcome>(picker => {
		place(picker, position);
		picker.placeholder = placeHolder;
		picker.onDidTriggerButton(() => list.end('back'));
		picker.onDidAccept(() => {
			const [chosen] = picker.selectedItems;
			if (chosen) {
				list.end({ value: chosen.value });
			}
		});
	});
	list.show(
		items,
		items.find(item => item.value === value),
	);
	return (await list.result) ?? 'dismissed';
}

function place(
	box: vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>,
	{ title, step, totalSteps }: Position,
): void {
	box.title = title;
	box.step = step;
	box.totalSteps = totalSteps;
	box.ignoreFocusOut = true;
	box.buttons = step > 1 ? [vscode.QuickInputButtons.Back] : [];
}
