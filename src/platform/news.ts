// The one rule for telling a user that something has ended or waits for an answer, and the telling.
import * as vscode from 'vscode';
import { showMessage } from './notify.ts';
import { readSetting, writeSetting } from './settings.ts';

/** A reply that took less than this, in milliseconds, ended while the user may still have been waiting for it. */
const SHORT_MS = 10_000;

interface NewsPlace {
	isFocused: boolean;
	/** True if it is in view, provided that the window has the focus. */
	isInView: boolean;
	/** The duration in milliseconds of what has ended; undefined if the user is told regardless of the duration. */
	took?: number | undefined;
}

/**
 * Returns how to tell the user: not at all about something in view, only by the view's badge about a short reply during
 * which the user left the window, and otherwise by badge and notification.
 */
export function wayToTell({ isFocused, isInView, took }: NewsPlace): 'nothing' | 'badge' | 'notification' {
	if (isFocused && isInView) {
		return 'nothing';
	}
	return !isFocused && took !== undefined && took < SHORT_MS ? 'badge' : 'notification';
}

/** An event to report: something has ended, has failed or waits for an answer. */
export interface News extends Omit<NewsPlace, 'isFocused'> {
	severity: 'information' | 'warning';
	/** May repeat foreign text. */
	message: string;
	/** The labels of the buttons besides the one that turns such notifications off. */
	buttons: readonly string[];
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
