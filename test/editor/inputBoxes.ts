import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** Watches the input boxes that are shown, and answers them as the keyboard does. Call `stop` after each test. */
export class InputBoxes {
	/** Every box that was shown. */
	readonly shown: vscode.InputBox[] = [];
	private readonly createInputBox = vscode.window.createInputBox;

	constructor() {
		const watched = () => {
			const box = this.createInputBox();
			this.shown.push(box);
			return box;
		};
		Object.assign(vscode.window, { createInputBox: watched });
	}

	stop(): void {
		Object.assign(vscode.window, { createInputBox: this.createInputBox });
	}

	/** The box that was shown last. */
	get last(): vscode.InputBox | undefined {
		return this.shown.at(-1);
	}

	/** Writes a text into that box and accepts it with Enter. */
	async enter(text: string): Promise<void> {
		assert.ok(this.last);
		this.last.value = text;
		// The editor must have the text before it is told to accept it.
		await vscode.commands.executeCommand('setContext', 'errand.test', text.length);
		await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
	}
}
