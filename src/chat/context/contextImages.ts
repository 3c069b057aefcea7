import * as vscode from 'vscode';
import { dataUrl } from '../../base/dataUrl.ts';
import { UserFacingError } from '../../base/errors.ts';
import { type Explanation, helpfulButton } from '../../platform/notify.ts';
import { newConversationButton } from '../messages/messages.ts';
import type { Attachment } from '../model/attachment.ts';
import type { ContextSource } from '../model/contextSource.ts';
import { MAXIMUM_IMAGE_BYTES, readAttachedImage } from '../model/images.ts';
import type { ImageStore } from '../storage/imageStore.ts';
import { nameOf, pathOf } from './readSource.ts';

/** Replaces a conversation's id: the store keeps the images of unsent chips under this name. */
const UNSENT = 'unsent';

/** Stores the images that are attached to messages, from the moment a chip is added until its message has them. */
export class ContextImages {
	private readonly store: ImageStore;

	constructor(store: ImageStore) {
		this.store = store;
		void store.forgetOld(UNSENT);
	}

	/** Reads an image file. Throws a sentence for the user if it cannot be context. */
	async ofFile(place: vscode.Uri): Promise<ContextSource> {
		const label = nameOf(place);
		let bytes: Uint8Array | undefined;
		try {
			const { size } = await vscode.workspace.fs.stat(place);
			bytes = size > MAXIMUM_IMAGE_BYTES ? undefined : await vscode.workspace.fs.readFile(place);
		} catch (error) {
			throw new UserFacingError(vscode.l10n.t('Couldn’t read {0}. It may have been moved or deleted.', label), {
				cause: error,
			});
		}
		if (!bytes) {
			throw tooLarge(label);
		}
		return { ...(await this.ofBytes(label, bytes)), uri: place.toString(), path: pathOf(place) };
	}

	/** Stores an image without a file, such as a pasted one. Throws a sentence for the user if it cannot be context. */
	async ofBytes(label: string, bytes: Uint8Array): Promise<Extract<ContextSource, { kind: 'image' }>> {
		const found = readAttachedImage(bytes);
		if ('problem' in found) {
			throw found.problem === 'too-large'
				? tooLarge(label)
				: new UserFacingError(
						vscode.l10n.t('Models can’t read {0}. They accept PNG, JPEG, GIF and WebP images.', label),
					);
		}
		const file = await this.store.keep(UNSENT, bytes);
		if (file === undefined) {
			throw new UserFacingError(vscode.l10n.t('Couldn’t save {0}. See the log for details.', label));
		}
		return { kind: 'image', label, image: { ...found, file } };
	}

	/**
	 * Gives the conversation its own copies of the images of attachments. Resolves to the files that it did not have
	 * before and, if one cannot be copied, to the reason.
	 */
	async copyTo(
		conversation: string,
		attachments: readonly Attachment[],
	): Promise<{ files: string[]; problem?: Explanation }> {
		const files: string[] = [];
		for (const { image, label } of attachments) {
			if (image && !(await this.store.read(conversation, image.file))) {
				const problem = await this.copyOne(conversation, image.file, label);
				if (problem) {
					return { files, problem };
				}
				files.push(image.file);
			}
		}
		return { files };
	}

	private async copyOne(conversation: string, file: string, label: string): Promise<Explanation | undefined> {
		const bytes = await this.store.read(UNSENT, file);
		if (!bytes) {
			return {
				message: vscode.l10n.t('Not sent: the image {0} no longer exists. Remove it, or add it again.', label),
			};
		}
		if (!(await this.store.hasRoom(conversation))) {
			return {
				message: vscode.l10n.t('Not sent: this conversation has reached its limit of images. Start a new one.'),
				action: newConversationButton(),
			};
		}
		if ((await this.store.keep(conversation, bytes)) === undefined) {
			return {
				message: vscode.l10n.t('Couldn’t save {0}. See the log for details.', label),
				action: helpfulButton('showLog'),
			};
		}
		return undefined;
	}

	/** Removes images from a conversation again. */
	async remove(conversation: string, files: readonly string[]): Promise<void> {
		for (const file of files) {
			await this.store.remove(conversation, file);
		}
	}

	/**
	 * Resolves to an image as a `data:` URL, or to undefined if it is gone. Without `conversation`, the image is that of
	 * an unsent chip.
	 */
	async address(image: NonNullable<Attachment['image']>, conversation: string = UNSENT): Promise<string | undefined> {
		const bytes = await this.store.read(conversation, image.file);
		return bytes && dataUrl(image.type, bytes);
	}
}

function tooLarge(label: string): UserFacingError {
	return new UserFacingError(vscode.l10n.t('{0} is larger than 5 MB. Make it smaller, then add it again.', label));
}
