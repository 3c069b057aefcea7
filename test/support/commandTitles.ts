import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The editor's own commands that tests run, by the titles that the palette shows. */
const OF_THE_EDITOR: Readonly<Record<string, string>> = {
	'Developer: Open URL': 'workbench.action.url.openUrl',
	'Errand: Focus on Chat View': 'errand.chat.focus',
	'File: New Untitled Text File': 'workbench.action.files.newUntitledFile',
	'File: Save': 'workbench.action.files.save',
	'Go to Next Problem in Files (Error, Warning, Info)': 'editor.action.marker.nextInFiles',
	'Merge Conflict: Accept All Both': 'merge-conflict.accept.all-both',
	'Notifications: Clear All Notifications': 'notifications.clearAll',
	'Notifications: Hide Notifications': 'notifications.hideList',
	'Notifications: Show Notifications': 'notifications.showList',
	'Terminal: Create New Terminal': 'workbench.action.terminal.new',
	'View: Close All Editors': 'workbench.action.closeAllEditors',
	'View: Close Editor': 'workbench.action.closeActiveEditor',
	'View: Close Primary Side Bar': 'workbench.action.closeSidebar',
	'View: Hide Panel': 'workbench.action.closePanel',
	'View: Revert and Close Editor': 'workbench.action.revertAndCloseActiveEditor',
	'View: Show Explorer': 'workbench.view.explorer',
	'Welcome: Open Walkthrough...': 'welcome.showAllWalkthroughs',
};

let contributed: Readonly<Record<string, string>> | undefined;

/** Returns the id of a command, if it is known for its title. */
export function commandOf(title: string): string | undefined {
	contributed ??= readContributed();
	return contributed[title] ?? OF_THE_EDITOR[title];
}

function readContributed(): Record<string, string> {
	const read = (name: string) => JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../..', name), 'utf8'));
	const words: Record<string, string> = read('package.nls.json');
	const commands: { command: string; title: string; category?: string }[] = read('package.json').contributes.commands;
	return Object.fromEntries(
		commands.map(({ command, title, category }) => {
			const shown = words[title.replaceAll('%', '')] ?? title;
			return [category === undefined ? shown : `${category}: ${shown}`, command];
		}),
	);
}
