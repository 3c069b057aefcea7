import type { PictureType } from '../../base/pictureHeader.ts';
import { PolicyRefusal } from '../model/applyPolicy.ts';
import { MAXIMUM_REQUEST_IMAGE_BYTES } from '../model/attachedImage.ts';
import { type Conversation, turnsUpTo } from '../model/conversation.ts';
import type { PictureStore } from '../storage/pictureStore.ts';

/**
 * The images that went with the messages up to the turn `turnId`, as `data:` URLs by their files. Throws a PolicyRefusal
 * where one is gone, or where they are more than a request can carry.
 */
export async function requestImages(
	conversation: Conversation,
	turnId: string,
	pictures: Pick<PictureStore, 'read'>,
): Promise<ReadonlyMap<string, string>> {
	const urls = new Map<string, string>();
	const sizes = new Map<string, number>();
	let total = 0;
	for (const { attachments = [] } of turnsUpTo(conversation, turnId)) {
		for (const { image, label } of attachments) {
			if (!image) {
				continue;
			}
			if (!urls.has(image.file)) {
				const bytes = await pictures.read(conversation.id, image.file);
				if (!bytes) {
					throw new PolicyRefusal({ kind: 'image-gone', label });
				}
				sizes.set(image.file, bytes.byteLength);
				urls.set(image.file, dataUrl(image.type, bytes));
			}
			// Each message that has it carries it once more.
			total += sizes.get(image.file) ?? 0;
			if (total > MAXIMUM_REQUEST_IMAGE_BYTES) {
				throw new PolicyRefusal({ kind: 'images-too-large' });
			}
		}
	}
	return urls;
}

export function dataUrl(type: PictureType, bytes: Uint8Array): string {
	return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}
