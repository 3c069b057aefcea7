import * as vscode from 'vscode';
import { dataUrl } from '../../base/dataUrl.ts';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { thenComposer } from '../../platform/editorUse.ts';
import { views } from '../../platform/ids.ts';
import { showMessage } from '../../platform/notify.ts';
import type { Chat } from '../conversation/chat.ts';
import { findTurn, shownReply, type Turn } from '../model/conversation.ts';
import type { KeptImage } from '../model/images.ts';
import type { TurnMode } from '../model/mode.ts';
import type { FromPage, PageAccess, PageHandlers } from '../protocol/protocol.ts';
import { openableUrl } from '../protocol/protocolSchema.ts';
import type { ImageStore } from '../storage/imageStore.ts';
import type { ShownImage } from './imageFile.ts';

/** The conversations whose modes are chosen and whose images are shown. */
export interface ModeConversations {
	shown(): Promise<Chat>;
	/** Calls `run` with the open chat that has the turn, if any. */
	withTurn(turn: string, run: (chat: Chat) => unknown): Promise<void>;
}

/** The connection's models for the modes. */
export interface ModeConnection {
	/** Returns the modes without a model in the connection, each with the reason as a sentence. */
	refusedModes(): Partial<Record<TurnMode, string>>;
	/** Asks for the model that generates a conversation's images if none is known. */
	nameImageModel(chat: Chat): Promise<void>;
}

export interface ModeDependencies {
	conversations: ModeConversations;
	connection: ModeConnection;
	images: ImageStore;
	page: Pick<PageAccess, 'say' | 'focusComposer'>;
	logger: Logger;
}

export type ModeHandlers = PageHandlers<
	Extract<FromPage, { kind: `mode-${string}` | `reply-image-${string}` }>['kind']
>;

/** Returns the handlers of the page's messages about modes and generated images. */
export function modeHandlers({ conversations, connection, images, page, logger }: ModeDependencies): ModeHandlers {
	const { shown, withTurn } = conversations;
	/** Calls `run` with the stored image of a turn, if any. The user is told about a failure. */
	const withImage = (turnId: string, run: (image: ShownImage) => Promise<void>) =>
		withTurn(turnId, async chat => {
			const turn = findTurn(chat.conversation, turnId);
			const kept = turn && keptImage(turn);
			const bytes = kept && (await images.read(chat.conversation.id, kept.file));
			if (!bytes) {
				return;
			}
			try {
				await run({ bytes, type: kept.type, prompt: turn.question });
			} catch (error) {
				logger.log('warn', 'An image cannot be written', { reason: describeError(error) });
				const code = systemErrorCode(error);
				const message = vscode.l10n.t('Couldn’t save the image there. Select a different location.');
				void showMessage('error', code === undefined ? message : `${message} (${code})`);
			}
		});
	return {
		'mode-choose': async ({ mode }) => {
			const chat = await shown();
			// The connection may have changed since the list was rendered.
			if (connection.refusedModes()[mode] !== undefined) {
				return;
			}
			// The next message does not wait for the disk.
			void chat.setMode(mode);
			if (mode === 'image') {
				await thenComposer(() => connection.nameImageModel(chat), page);
			}
		},
		'reply-image-request': async ({ turn: turnId, file }) => {
			let address: string | undefined;
			await withTurn(turnId, async chat => {
				const turn = findTurn(chat.conversation, turnId);
				const kept = turn?.replies.map(({ image }) => image).find(image => isKept(image) && image.file === file);
				if (isKept(kept)) {
					const bytes = await images.read(chat.conversation.id, file);
					address = bytes && dataUrl(kept.type, bytes);
				}
			});
			return address;
		},
		'reply-image-reload': ({ turn }) =>
			withTurn(turn, async chat => {
				await vscode.window.withProgress({ location: { viewId: views.chat } }, () => chat.reloadImage(turn));
			}),
		'reply-image-save': ({ turn }) => withImage(turn, async image => (await import('./imageFile.ts')).saveImage(image)),
		'reply-image-insert': ({ turn }) =>
			withImage(turn, async image => (await import('./imageFile.ts')).insertImage(image, page.say)),
		'reply-image-open': ({ turn: turnId }) =>
			withTurn(turnId, async chat => {
				const turn = findTurn(chat.conversation, turnId);
				const address = turn?.mode === 'image' ? openableUrl(shownReply(turn).text.trim()) : undefined;
				if (address && address.protocol !== 'mailto:') {
					// The address stays a string: a Uri would decode and re-encode the query, which would break a
					// signed address.
					await vscode.commands.executeCommand('vscode.open', address.href);
				}
			}),
	};
}

function keptImage(turn: Turn): KeptImage | undefined {
	const { image } = shownReply(turn);
	return isKept(image) ? image : undefined;
}

function isKept(image: Turn['replies'][0]['image']): image is KeptImage {
	return image !== undefined && 'file' in image;
}
