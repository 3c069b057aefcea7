import * as vscode from 'vscode';
import { createLogger, type Logger, type LogSink } from '../base/logger.ts';

/** Creates the `Errand` output channel for diagnostics, which are redacted before they get here. */
export function createLog() {
	const channel = vscode.window.createOutputChannel('Errand', { log: true });
	let disposed = false;
	const sink: LogSink = (level, line) => {
		// Code that ends after the window began to close may still log, and a closed channel throws.
		if (!disposed) {
			channel[level](line);
		}
	};
	return {
		logger: (topic: string): Logger => createLogger(topic, sink),
		show: () => channel.show(),
		dispose() {
			disposed = true;
			channel.dispose();
		},
	};
}
