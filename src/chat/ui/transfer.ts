// Reads content that is dropped on the page or pasted into the composer.

import * as l10n from '@vscode/l10n';
import { decodeText, MAXIMUM_FILE_SIZE, parseUriList } from '../model/addedFiles.ts';
import { MAXIMUM_IMAGE_BYTES } from '../model/images.ts';
import { MAXIMUM_DROP } from '../protocol/protocol.ts';
import type { Post } from './page.ts';

/** The editor's own lists come first, because they also name the files of a remote machine. */
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

/** Sends the content of files without an address. Resolves to whether all were sent; `say` gets each failure. */
export async function postFiles(files: readonly File[], post: Post, say: (hint: string) => void): Promise<boolean> {
	let isComplete = true;
	for (const file of files) {
		const name = file.name.slice(0, 255);
		const image = await imageOfFile(file).catch(() => undefined);
		if (image === 'too-large') {
			say(l10n.t('{0} is larger than 5 MB.', file.name));
			isComplete = false;
			continue;
		}
		if (image !== undefined) {
			post({ kind: 'context-image', name, data: image });
			continue;
		}
		const text = await textOfFile(file).catch(() => undefined);
		if (text === undefined) {
			say(l10n.t('{0} isn’t a text file, or is larger than 1 MB.', file.name));
			isComplete = false;
		} else {
			post({ kind: 'context-text', name, text });
		}
	}
	return isComplete;
}

/** Returns an image in base64, `too-large`, or undefined if the file is not an image. */
async function imageOfFile(file: File): Promise<string | 'too-large' | undefined> {
	if (!/^image\/(?:png|jpeg|gif|webp)$/.test(file.type)) {
		return undefined;
	}
	if (file.size > MAXIMUM_IMAGE_BYTES) {
		return 'too-large';
	}
	const bytes = new Uint8Array(await file.arrayBuffer());
	let text = '';
	// All bytes at once would exceed the number of arguments of a call.
	for (let start = 0; start < bytes.length; start += 0x8000) {
		text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
	}
	return btoa(text);
}

/** Returns the text of a file without an address, or undefined if it is too long or not text. */
async function textOfFile(file: File): Promise<string | undefined> {
	return file.size > MAXIMUM_FILE_SIZE ? undefined : decodeText(new Uint8Array(await file.arrayBuffer()));
}
