import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { escapeIcons } from '../base/plainText.ts';
import { type CommandId, commands, internalCommands } from '../platform/ids.ts';

const MAXIMUM_NAME = 28;

/** The status bar item with the connection and the model of the next message. A click on it switches the connection. */
export class ConnectionStatus implements Disposable {
	private readonly item: vscode.StatusBarItem;

	constructor() {
		this.item = vscode.window.createStatusBarItem('errand.connection', vscode.StatusBarAlignment.Right, 0);
		this.item.name = vscode.l10n.t('Connection and Model');
		this.item.command = commands.switchConnection;
	}

	/** `problem` is a sentence. The label is empty if the settings name no connection that works. */
	show(label: string, model: string | undefined, problem: string | undefined): void {
		const { item } = this;
		const names = [label, model].filter(name => name !== undefined && name !== '') as string[];
		const text = names.length === 0 ? vscode.l10n.t('No Connection') : names.map(shortened).join(' · ');
		// Only the first icon is intended: text from settings or a service must not become an icon.
		item.text = `$(${problem === undefined ? 'plug' : 'warning'}) ${escapeIcons(text)}`;
		item.backgroundColor = problem === undefined ? undefined : new vscode.ThemeColor('statusBarItem.warningBackground');
		const state = problem ?? used(label, model);
		item.accessibilityInformation = { label: vscode.l10n.t('Errand: {0}', state), role: 'button' };
		item.tooltip = tooltip(state);
		item.show();
	}

	dispose(): void {
		this.item.dispose();
	}
}

function used(label: string, model: string | undefined): string {
	return model === undefined
		? vscode.l10n.t('Messages are sent to {0}.', label)
		: vscode.l10n.t('Messages are sent to {0} on {1}.', model, label);
}

function tooltip(state: string): vscode.MarkdownString {
	const link = (words: string, command: CommandId) => `[${words}](command:${command})`;
	const links = [
		link(vscode.l10n.t('Switch Connection'), commands.switchConnection),
		link(vscode.l10n.t('Select Model'), internalCommands.selectModel),
	];
	// Names come from settings and services, so all Markdown characters in them are escaped.
	const plain = state.replace(/[!-/:-@[-`{-~]/g, '\\$&');
	const words = new vscode.MarkdownString(`${plain}\n\n${links.join(' · ')}`);
	words.isTrusted = { enabledCommands: [commands.switchConnection, internalCommands.selectModel] };
	return words;
}

/**
 * Shortens a name in the middle, because both ends distinguish models: the vendor at the start, the size at the end.
 */
function shortened(name: string): string {
	return name.length <= MAXIMUM_NAME ? name : `${name.slice(0, 13)}…${name.slice(-14)}`;
}
