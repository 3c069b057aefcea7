// The URIs of log documents.
import * as vscode from 'vscode';

interface NamedLog {
	target: { connection: { name: string }; taskId: string };
	/** The name for the document's title. */
	name: string;
}

/** The query distinguishes logs of the same title; the tab shows the path. */
export function uriOf(scheme: string, { target, name }: NamedLog): vscode.Uri {
	return vscode.Uri.from({
		scheme,
		path: `/${name.replaceAll(/[\\/]/g, '∕')}`,
		query: JSON.stringify([target.connection.name, target.taskId]),
	});
}

/** Parses a URI made by `uriOf`. Other extensions may open URIs of their own making. */
export function readTarget(uri: vscode.Uri): { connection: string; taskId: string } | undefined {
	try {
		const [connection, taskId]: unknown[] = JSON.parse(uri.query);
		return typeof connection === 'string' && typeof taskId === 'string' ? { connection, taskId } : undefined;
	} catch {
		return undefined;
	}
}
