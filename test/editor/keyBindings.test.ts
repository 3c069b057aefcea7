import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands, internalCommands, views } from '../../src/platform/ids.ts';

describe('the key bindings in the editor', () => {
	interface Binding {
		key: string;
		command: string;
		args?: { commands?: string[] };
		when?: string;
	}
	/** If our view or one of our documents has the focus, a key may have another meaning than elsewhere. */
	const ours = /errand\.chatFocused|focusedView == '?errand\.|resourceScheme == '?errand-/;

	it('take no key that the editor uses where they apply', async () => {
		const document = await vscode.workspace.openTextDocument(
			vscode.Uri.parse('vscode://defaultsettings/keybindings.json'),
		);
		const text = document.getText().replace(/^\s*\/\/.*$/gm, '');
		const bindings: Binding[] = JSON.parse(text.slice(0, text.lastIndexOf(']') + 1));
		const ids = [...Object.values(commands), ...Object.values(internalCommands), `${views.tasks}.focus`];
		const own = bindings.filter(({ command, args }) =>
			ids.some(id => id === command || args?.commands?.includes(id) === true),
		);
		assert.ok(own.length >= 4 && bindings.length > 500, `${own.length} of ${bindings.length}`);
		const others = bindings.filter(binding => !own.includes(binding) && binding.when !== 'false');
		const collisions = own
			.filter(({ when = '' }) => !ours.test(when))
			.flatMap(({ key }) => others.filter(other => other.key === key || key.startsWith(`${other.key} `)));
		assert.deepEqual(collisions, []);
	});
});
