import * as vscode from 'vscode';
import { inertText } from './inertText.ts';

/**
 * Runs with a notification that shows the progress and can cancel it, which aborts the signal. `tell` says which step has
 * begun.
 */
export function withProgressNotice<T>(
	title: string,
	run: (signal: AbortSignal, tell: (step: string) => void) => Promise<T>,
): Promise<T> {
	const location = vscode.ProgressLocation.Notification;
	const options = { location, title: inertText(title), cancellable: true };
	return Promise.resolve(
		vscode.window.withProgress(options, (progress, token) => {
			const stopped = new AbortController();
			token.onCancellationRequested(() => stopped.abort());
			return run(stopped.signal, step => progress.report({ message: inertText(step) }));
		}),
	);
}
