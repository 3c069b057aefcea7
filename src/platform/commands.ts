import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { CommandId, ContextKey, ContextKeyTypes } from './ids.ts';

/** Runs when the user or another extension invokes the command; arguments must not be trusted. */
export function registerCommand(id: CommandId, run: (...args: unknown[]) => unknown): Disposable {
	return vscode.commands.registerCommand(id, run);
}

export function executeCommand<T>(id: CommandId, ...args: unknown[]): Thenable<T> {
	return vscode.commands.executeCommand<T>(id, ...args);
}

export function setContextKey<K extends ContextKey>(key: K, value: ContextKeyTypes[K]): void {
	void vscode.commands.executeCommand('setContext', key, value);
}
