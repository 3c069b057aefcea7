import * as vscode from 'vscode';
import { escapeIcons } from '../base/plainText.ts';
import { explainError, showExplanation } from './notify.ts';
import { type Choice, choose } from './pick.ts';

/** A row that runs an action. The list comes back after it, unless it resolves with a value that ends the list. */
export type Action<End> = Choice<() => Promise<End | undefined>>;

/** Makes a row. The description and the detail may repeat foreign text. */
export function action<End>(
	icon: string,
	label: string,
	value: Action<End>['value'],
	description = '',
	detail = '',
): Action<End> {
	const iconPath = new vscode.ThemeIcon(icon);
	return { label, description: escapeIcons(description), detail: escapeIcons(detail), iconPath, value };
}

/** The list comes back after this. */
export const staying = (run: () => PromiseLike<unknown>) => async (): Promise<undefined> => {
	await run();
};

/** The user goes elsewhere after this. */
export const leaving = (run: () => PromiseLike<unknown>) => async (): Promise<'leave'> => {
	await run();
	return 'leave';
};

export interface ActionListOptions<End> {
	title: string;
	placeHolder(): string;
	/** Makes the rows again each time that the list is shown. */
	rows(): Promise<Action<End>[]>;
	/** The name of the service, for the message about a failed action. */
	name: string;
}

/** Shows the list until one of its actions ends it, or until it is dismissed. */
export async function runActions<End>({
	title,
	placeHolder,
	rows,
	name,
}: ActionListOptions<End>): Promise<End | undefined> {
	for (let active: string | undefined; ; ) {
		const shown = await rows();
		const before = active === undefined ? undefined : shown.find(({ label }) => label === active);
		const chosen = await choose(title, shown, {
			placeHolder: placeHolder(),
			active: before?.value,
		});
		if (chosen === undefined) {
			return undefined;
		}
		active = shown.find(({ value }) => value === chosen)?.label;
		try {
			const end = await chosen();
			if (end !== undefined) {
				return end;
			}
		} catch (error) {
			await showExplanation(explainError(error, name));
		}
	}
}
