import * as vscode from 'vscode';
import { inertText } from './inertText.ts';

/**
 * Runs `run` with a notification that shows the progress and can be cancelled, which aborts the signal. `report` shows
 * what is just being done.
 */
export function withProgressNotice<T>(
	title: string,
	run: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T> {
	const location = vscode.ProgressLocation.Notification;
	const options = { location, title: inertText(title), cancellable: true };
	return Promise.resolve(
		vscode.window.withProgress(options, (progress, token) => {
			const stopped = new AbortController();
			token.onCancellationRequested(() => stopped.abort());
			return run(stopped.signal, message => progress.report({ message: inertText(message) }));
		}),
	);
}
