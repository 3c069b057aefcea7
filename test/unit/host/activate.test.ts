import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activate } from '../../../src/extension.ts';

describe('an extension that cannot start', () => {
	it('says why to the user, as the editor shows nothing, and leaves the error to the editor', () => {
		const shown: string[] = [];
		const context = {
			get secrets(): never {
				throw new Error('the keys are locked');
			},
		};
		Object.assign(vscode.l10n, { bundle: undefined });
		Object.assign(vscode.window, { showErrorMessage: (message: string) => shown.push(message) });
		try {
			assert.throws(() => activate(context as unknown as vscode.ExtensionContext), /^Error: the keys are locked$/);
		} finally {
			Reflect.deleteProperty(vscode.l10n, 'bundle');
			Reflect.deleteProperty(vscode.window, 'showErrorMessage');
		}
		assert.deepEqual(shown, ['Errand couldn’t start: the keys are locked. Reload the window to try again.']);
	});
});
