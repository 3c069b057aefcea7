import * as vscode from 'vscode';
import { type NewsPlace, wayToTell } from './newsRule.ts';
import { showMessage } from './notify.ts';
import { readSetting, writeSetting } from './settings.ts';

/** An event to report: something has ended, has failed or waits for an answer. */
export interface News extends Omit<NewsPlace, 'isFocused'> {
	severity: 'information' | 'warning';
	/** May repeat foreign text. */
	message: string;
	/** The labels of the buttons besides the one that turns such notifications off. */
	buttons: readonly string[];
	/** The setting that allows notifications of this kind. */
	setting: 'errand.chat.notify' | 'errand.tasks.notify';
	/** Adds it to the badge of its view. */
	mark(): void;
}

/** Tells the user about an event out of view. Resolves with the chosen button, if any, which may take hours. */
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
