import * as vscode from 'vscode';
import { type NewsPlace, wayToTell } from './newsRule.ts';
import { showMessage } from './notify.ts';
import { readSetting, writeSetting } from './settings.ts';

/** Something that has ended, has failed or waits for an answer. */
export interface News extends Omit<NewsPlace, 'isFocused'> {
	severity: 'information' | 'warning';
	/** May repeat foreign text. */
	message: string;
	/** The labels of the buttons beside the one that turns such notifications off. */
	buttons: readonly string[];
	/** Says whether the user wants notifications of this kind. */
	setting: 'errand.chat.notify' | 'errand.tasks.notify';
	/** Puts it on the badge of its view. */
	mark(): void;
}

/** Tells the user of what is not in view. Resolves with the button that was chosen, if any, which may be hours later. */
export async function tell(news: News): Promise<string | undefined> {
	const { severity, message, buttons, setting, mark } = news;
	const way = wayToTell({ ...news, isFocused: vscode.window.state.focused });
	if (way === 'nothing') {
		return undefined;
	}
	mark();
	if (way === 'badge' || !readSetting(setting)) {
		return undefined;
	}
	const never = vscode.l10n.t('Don’t Show Again');
	const chosen = await showMessage(severity, message, ...buttons, never);
	if (chosen === never) {
		await writeSetting(setting, false);
		return undefined;
	}
	return chosen;
}
