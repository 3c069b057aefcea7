import * as vscode from 'vscode';
import { inertText } from './inertText.ts';

/** Runs `run` with a notification that shows the progress and can be cancelled, which aborts the signal. */
export function withProgressNotice<T>(title: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const location = vscode.ProgressLocation.Notification;
	const options = { location, title: inertText(title), cancellable: true };
	return Promise.resolve(
		vscode.window.withProgress(options, (_, token) => {
			const stopped = new AbortController();
			token.onCancellationRequested(() => stopped.abort());
			return run(stopped.signal);
		}),
	);
}
