// Reads what is dropped on the page or pasted into the composer.

import { decodeText, MAXIMUM_FILE_SIZE, parseUriList } from '../model/addedFiles.ts';
import { MAXIMUM_IMAGE_BYTES } from '../model/images.ts';
import { MAXIMUM_DROP } from '../protocol/protocol.ts';

/** The editor's own lists come first: they name the files of a remote machine as well. */
const URI_LISTS = ['application/vnd.code.uri-list', 'text/uri-list'];

/** Returns whether a drag may contain files. Its content is known only when it is dropped. */
export function mayHoldFiles({ types }: DataTransfer): boolean {
	return types.includes('Files') || [...URI_LISTS, 'resourceurls'].some(type => types.includes(type));
}

/** Returns the URIs of the dropped files. */
export function droppedUris(data: DataTransfer): string[] {
	for (const type of URI_LISTS) {
		const uris = parseUriList(data.getData(type));
		if (uris.length > 0) {
			return uris.slice(0, MAXIMUM_DROP);
		}
	}
	try {
		const uris: unknown = JSON.parse(data.getData('resourceurls') || '[]');
		return Array.isArray(uris) ? uris.filter(uri => typeof uri === 'string').slice(0, MAXIMUM_DROP) : [];
	} catch {
		return [];
	}
}

/** Returns an image in base64, `too-large`, or undefined if the file is not an image. */
export async function imageOfFile(file: File): Promise<string | 'too-large' | undefined> {
	if (!/^image\/(?:png|jpeg|gif|webp)$/.test(file.type)) {
		return undefined;
	}
	if (file.size > MAXIMUM_IMAGE_BYTES) {
		return 'too-large';
	}
	const bytes = new Uint8Array(await file.arrayBuffer());
	let text = '';
	// All bytes at once would be more arguments than a call takes.
	for (let start = 0; start < bytes.length; start += 0x8000) {
		text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
	}
	return btoa(text);
}

/** Returns the text of a file that came without an address, or undefined if it is not text or too long. */
export async function textOfFile(file: File): Promise<string | undefined> {
	return file.size > MAXIMUM_FILE_SIZE ? undefined : decodeText(new Uint8Array(await file.arrayBuffer()));
}
