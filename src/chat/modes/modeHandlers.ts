import * as vscode from 'vscode';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { thenComposer } from '../../platform/editorUse.ts';
import { views } from '../../platform/ids.ts';
import { showMessage } from '../../platform/notify.ts';
import type { Chat } from '../conversation/chat.ts';
import { dataUrl } from '../conversation/replyRequest.ts';
import { findTurn, shownReply, type Turn } from '../model/conversation.ts';
import type { TurnMode } from '../model/mode.ts';
import type { KeptPicture } from '../model/picture.ts';
import type { FromPage, PageHandlers } from '../protocol/protocol.ts';
import { openableUrl } from '../protocol/protocolSchema.ts';
import type { PictureStore } from '../storage/pictureStore.ts';
import type { ShownPicture } from './pictureFile.ts';

export interface ModeDependencies {
	pictures: PictureStore;
	shown(): Promise<Chat>;
	/** Runs with the chat that has the turn, where one has. */
	withTurn(turn: string, run: (chat: Chat) => unknown): Promise<void>;
	refusedModes(): Partial<Record<TurnMode, string>>;
	focusComposer(): void;
	logger: Logger;
}

export type ModeHandlers = PageHandlers<Extract<FromPage, { kind: `mode-${string}` | `picture-${string}` }>['kind']>;

/** Does what the page asks about modes and pictures. */
export function modeHandlers({
	pictures,
	shown,
	withTurn,
	refusedModes,
	focusComposer,
	logger,
}: ModeDependencies): ModeHandlers {
	/** With the kept picture of a turn, where it is there. What fails is said. */
	const withPicture = (turnId: string, run: (picture: ShownPicture) => Promise<void>) =>
		withTurn(turnId, async chat => {
			const turn = findTurn(chat.conversation, turnId);
			const kept = turn && keptPicture(turn);
			const bytes = kept && (await pictures.read(chat.conversation.id, kept.file));
			if (!bytes) {
				return;
			}
			try {
				await run({ bytes, type: kept.type, prompt: turn.question });
			} catch (error) {
				logger.log('warn', 'A picture cannot be written', { reason: describeError(error) });
				const code = systemErrorCode(error);
				const message = vscode.l10n.t('The picture could not be written there. Choose another place.');
				void showMessage('error', code === undefined ? message : `${message} (${code})`);
			}
		});
	return {
		'mode-pick': async () => {
			const chat = await shown();
			const { pickMode } = await import('./pickMode.ts');
			await thenComposer(async () => {
				const mode = await pickMode(chat.mode, refusedModes());
				if (mode !== undefined) {
					// The keyboard does not wait for the disk.
					void chat.setMode(mode);
				}
				return undefined;
			}, focusComposer);
		},
		'picture-request': async ({ turn: turnId, file }) => {
			let address: string | undefined;
			await withTurn(turnId, async chat => {
				const turn = findTurn(chat.conversation, turnId);
				const kept = turn?.replies
					.map(({ picture }) => picture)
					.find(picture => isKept(picture) && picture.file === file);
				if (isKept(kept)) {
					const bytes = await pictures.read(chat.conversation.id, file);
					address = bytes && dataUrl(kept.type, bytes);
				}
			});
			return address;
		},
		'picture-reload': ({ turn }) =>
			withTurn(turn, async chat => {
				await vscode.window.withProgress({ location: { viewId: views.chat } }, () => chat.reloadPicture(turn));
			}),
		'picture-save': ({ turn }) =>
			withPicture(turn, async picture => (await import('./pictureFile.ts')).savePicture(picture)),
		'picture-insert': ({ turn }) =>
			withPicture(turn, async picture => (await import('./pictureFile.ts')).insertPicture(picture)),
		'picture-open': ({ turn: turnId }) =>
			withTurn(turnId, async chat => {
				const turn = findTurn(chat.conversation, turnId);
				const address = turn?.mode === 'image' ? openableUrl(shownReply(turn).text.trim()) : undefined;
				if (address && address.protocol !== 'mailto:') {
					// As a string: a Uri would decode and encode the query anew, and a signed address would not hold.
					await vscode.commands.executeCommand('vscode.open', address.href);
				}
			}),
	};
}

function keptPicture(turn: Turn): KeptPicture | undefined {
	const { picture } = shownReply(turn);
	return isKept(picture) ? picture : undefined;
}

function isKept(picture: Turn['replies'][0]['picture']): picture is KeptPicture {
	return picture !== undefined && 'file' in picture;
}
