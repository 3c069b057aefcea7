import * as vscode from 'vscode';
import { type Conversation, findTurn } from '../model/conversation.ts';

/** The files that went with a turn's message: its code is likely about one of them. */
export function contextFiles(conversation: Conversation, turnId: string): vscode.Uri[] {
	const attachments = findTurn(conversation, turnId)?.attachments ?? [];
	return attachments.flatMap(({ kind, uri }) =>
		(kind === 'file' || kind === 'selection') && uri !== undefined ? [vscode.Uri.parse(uri)] : [],
	);
}
