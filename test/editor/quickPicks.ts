import * as vscode from 'vscode';
import { spoken } from '../support/spoken.ts';
import { waitFor } from '../support/waitFor.ts';

/** Watches the lists that are shown, and chooses their rows as the keyboard does. Call `stop` after each test. */
export class QuickPicks {
	/** Every list that was shown. */
	readonly shown: vscode.QuickPick<vscode.QuickPickItem>[] = [];
	private readonly createQuickPick = vscode.window.createQuickPick;
	private readonly hidden = new Set<unknown>();

	constructor() {
		const watched = () => {
			const picker = this.createQuickPick();
			picker.onDidHide(() => this.hidden.add(picker));
			this.shown.push(picker);
			return picker;
		};
		Object.assign(vscode.window, { createQuickPick: watched });
	}

	async stop(): Promise<void> {
		Object.assign(vscode.window, { createQuickPick: this.createQuickPick });
		await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
	}

	/** The list that was shown last. */
	get last(): vscode.QuickPick<vscode.QuickPickItem> | undefined {
		return this.shown.at(-1);
	}

	/** The words of the rows of that list. */
	rows(): string[] {
		return this.last?.items.map(spoken) ?? [];
	}

	/** Resolves when the editor has done all that it was told before. */
	editorHasCaughtUp(): Thenable<unknown> {
		return vscode.commands.executeCommand('setContext', 'errand.test', this.shown.length);
	}

	/** Presses Enter in the list in front. */
	accept(): Thenable<unknown> {
		return vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
	}

	/**
	 * Chooses a row of the list in front with Enter, by its label without its icon or its indent, and by its detail where
	 * that is given.
	 */
	async pick(label: string, detail?: string): Promise<void> {
		let chosen: vscode.QuickPick<vscode.QuickPickItem> | undefined;
		await waitFor(`the row ${label} to be chosen`, async () => {
			const picker = chosen ?? this.last;
			const item = picker?.items.find(
				found =>
					found.label.replace(/^(?:\$\([a-z-]+\)|\s+) /, '') === label &&
					(detail === undefined || found.detail === detail),
			);
			if (!picker || !item) {
				return false;
			}
			if (this.hidden.has(picker)) {
				// One that was closed before is followed by another.
				return chosen !== undefined;
			}
			// A list that has just been shown activates its first row, and tells so a little later.
			if (chosen === undefined || picker.activeItems[0] !== item) {
				chosen = picker;
				picker.activeItems = [item];
				return false;
			}
			await this.editorHasCaughtUp();
			if (picker.activeItems[0] === item) {
				await this.accept();
			}
			return this.hidden.has(picker);
		});
	}

	/** Leaves what is open until the command that shows it has ended. */
	async leaveAll(command: Promise<unknown>): Promise<void> {
		let isOver = false;
		void command.finally(() => {
			isOver = true;
		});
		await this.leave(() => isOver);
	}

	/** Leaves what is open until `isOver` returns true. */
	async leave(isOver: () => boolean): Promise<void> {
		await waitFor('the list to close', async () => {
			await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
			return isOver();
		});
	}
}
