import * as vscode from 'vscode';
import { escapeIcons } from '../base/plainText.ts';
import { executeCommand } from './commands.ts';
import type { CommandId, SettingId } from './ids.ts';
import { explainError, showExplanation } from './notify.ts';
import { type Choice, choose } from './pick.ts';
import { openSetting } from './settings.ts';

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

export const toSetting = (id: SettingId) => leaving(() => openSetting(id));

export const toCommand = (id: CommandId, ...rest: unknown[]) => leaving(() => executeCommand(id, ...rest));

export interface ActionListOptions<End> {
	title: string;
	placeHolder(): string;
	/** Makes the rows again each time that the list is shown. */
	rows(): readonly Action<End>[] | Promise<readonly Action<End>[]>;
	/** The name of the service, for the message about a failed action. */
	name: string;
	/** The placeholder of the list while its rows are being read. Without it, the list is shown with its rows. */
	reading?: string;
	ignoreFocusOut?: boolean;
}

/** Shows the list until one of its actions ends it, or until it is dismissed. */
export async function runActions<End>(options: ActionListOptions<End>): Promise<End | undefined> {
	const { title, placeHolder, rows, name, reading, ignoreFocusOut } = options;
	for (let active: string | undefined; ; ) {
		const made = rows();
		const isLater = reading !== undefined && made instanceof Promise;
		let shown = isLater ? [] : await made;
		const chosen = await choose(title, shown, {
			placeHolder: placeHolder(),
			isActive: ({ label }) => label === active,
			later: isLater
				? {
						items: made.then(found => {
							shown = found;
							return found;
						}),
						placeHolder: reading,
					}
				: undefined,
			ignoreFocusOut,
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
