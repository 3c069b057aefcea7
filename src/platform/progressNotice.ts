import * as vscode from 'vscode';
import { inertText } from './inertText.ts';

/** Says in the status bar, or in a notification, what is being done while `run` works. */
export function withProgress<T>(title: string, run: () => PromiseLike<T>, { isNotice = false } = {}): Promise<T> {
	const { Notification, Window } = vscode.ProgressLocation;
	const options = { location: isNotice ? Notification : Window, title: inertText(title) };
	return Promise.resolve(vscode.window.withProgress(options, run));
}

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
