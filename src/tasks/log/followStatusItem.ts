import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { escapeIcons, firstLine } from '../../base/plainText.ts';
import { commands } from '../../platform/ids.ts';
import { followText, rowWords } from '../common/messages.ts';
import { type FollowState, staleSince } from '../model/followState.ts';

const MAXIMUM_TITLE = 24;

/** A followed log, for a single line of text. */
export interface FollowSummary {
	taskId: string;
	title: string;
	state: FollowState;
}

/** The order of importance: trouble before progress, progress before ended logs. */
const order: Record<FollowState['kind'], number> = { failed: 0, reconnecting: 1, connecting: 2, live: 3, ended: 4 };

/** Returns the log that a single line should describe, or undefined if none is followed. */
function foremost(logs: readonly FollowSummary[]): FollowSummary | undefined {
	return [...logs].sort((one, other) => order[one.state.kind] - order[other.state.kind])[0];
}

/** Returns “Title: live”, or the state of the foremost of several logs and their number. */
export function followLine(logs: readonly FollowSummary[]): string | undefined {
	const log = foremost(logs);
	if (!log) {
		return undefined;
	}
	const title = firstLine(log.title, MAXIMUM_TITLE) || rowWords.untitled;
	const line = vscode.l10n.t('{0}: {1}', title, followText(log.state));
	return logs.length === 1 ? line : vscode.l10n.t('{0} ({1} followed)', line, logs.length);
}

/** The status bar item for followed logs, which opens the foremost one. */
export class FollowStatusItem implements Disposable {
	private readonly item: vscode.StatusBarItem;

	constructor() {
		this.item = vscode.window.createStatusBarItem('errand.follow', vscode.StatusBarAlignment.Left, 0);
		this.item.name = vscode.l10n.t('Followed tasks');
	}

	show(logs: readonly FollowSummary[]): void {
		const log = foremost(logs);
		const line = followLine(logs);
		if (!log || line === undefined) {
			this.item.hide();
			return;
		}
		const isTrouble = log.state.kind === 'failed' || staleSince(log.state, Date.now()) !== undefined;
		// Only the icon is Errand's own; text from the task must not become one.
		this.item.text = `$(${iconOf(log.state)}) ${escapeIcons(line)}`;
		this.item.tooltip = vscode.l10n.t('Open the log of this task.');
		this.item.accessibilityInformation = { label: vscode.l10n.t('Followed task {0}', line) };
		this.item.backgroundColor = isTrouble ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
		this.item.command = {
			title: vscode.l10n.t('Open Task Log'),
			command: commands.openTaskLog,
			arguments: [log.taskId],
		};
		this.item.show();
	}

	dispose(): void {
		this.item.dispose();
	}
}

function iconOf(state: FollowState): string {
	switch (state.kind) {
		case 'live':
			return 'radio-tower';
		case 'ended':
			return 'check';
		case 'failed':
			return 'debug-disconnect';
		default:
			return 'sync';
	}
}
