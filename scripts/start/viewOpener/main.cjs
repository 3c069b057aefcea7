const { commands, workspace } = require('vscode');

const OPENED = 'opened';

/**
 * Opens the views in the first window only. The question about trust keeps the keyboard until it is answered.
 * @param {import('vscode').ExtensionContext} context
 */
exports.activate = async ({ globalState, subscriptions }) => {
	if (globalState.get(OPENED) !== undefined) {
		return;
	}
	if (!workspace.isTrusted) {
		await new Promise(resolve => subscriptions.push(workspace.onDidGrantWorkspaceTrust(resolve)));
	}
	await commands.executeCommand('errand.tasks.focus');
	await commands.executeCommand('errand.focusChat');
	await globalState.update(OPENED, true);
};
