import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { Chat } from '../conversation/chat.ts';
import { type Conversation, findTurn } from '../model/conversation.ts';
import type { PageHandlers } from '../protocol/protocol.ts';
import { openableUrl } from '../protocol/protocolSchema.ts';
import type { ReplyTools } from './replyTools.ts';

export interface BlockDependencies {
	tools(): Promise<ReplyTools>;
	/** Resolves to the open chat that has the turn, if any. */
	findByTurn(turn: string): Promise<Chat | undefined>;
	/** Resolves to a sentence that says why no image may be loaded now, or to undefined. */
	refusesImages(): Promise<string | undefined>;
}

/** Returns the handlers of the page's messages about the code, files, images and links of a reply. */
export function blockHandlers({
	tools,
	findByTurn,
	refusesImages,
}: BlockDependencies): PageHandlers<
	'code-use' | 'files-check' | 'file-open' | 'image-load' | 'link-open' | 'text-copy'
> {
	return {
		'code-use': async ({ action, turn, code, language, file }) => {
			const chat = await findByTurn(turn);
			const block = {
				code,
				...defined({ language, file }),
			};
			await (await tools()).useCode(action, block, chat ? contextFiles(chat.conversation, turn) : []);
		},
		'link-open': ({ url }) => openLink(url),
		'files-check': async ({ names }) => (await tools()).findFiles(names),
		'file-open': async ({ name }) => (await tools()).openFile(name),
		'image-load': async ({ url }) => {
			const problem = await refusesImages();
			return problem === undefined ? (await tools()).loadImage(url) : { problem };
		},
		'text-copy': ({ text }) => vscode.env.clipboard.writeText(text),
	};
}

/** Returns the files that were attached to a turn's message. The reply's code likely belongs to one of them. */
function contextFiles(conversation: Conversation, turnId: string): vscode.Uri[] {
	const attachments = findTurn(conversation, turnId)?.attachments ?? [];
	return attachments.flatMap(({ kind, uri }) =>
		(kind === 'file' || kind === 'selection') && uri !== undefined ? [vscode.Uri.parse(uri)] : [],
	);
}

async function openLink(url: string): Promise<void> {
	const address = openableUrl(url);
	if (address?.protocol === 'mailto:') {
		await vscode.env.openExternal(vscode.Uri.parse(address.href));
	} else if (address) {
		// The address stays a string, because a Uri would decode and re-encode the query and change it.
		await vscode.commands.executeCommand('vscode.open', address.href);
	}
}
