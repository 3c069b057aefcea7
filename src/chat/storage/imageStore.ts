import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { describeError } from '../../base/errors.ts';
import { removeOldFiles, replaceFile } from '../../base/files.ts';
import type { Logger } from '../../base/logger.ts';
import { type ImageProblem, MAXIMUM_KEPT_BYTES, type ReplyImage, readImage } from '../model/images.ts';

/** A folder inside that of the conversations. It has one folder, named by its id, for each conversation with images. */
const IMAGES_FOLDER = 'images';

const FORGOTTEN_AFTER_MS = 30 * 24 * 60 * 60_000;

/** Loads an image from an address. Never rejects. */
export type FetchImage = (
	url: string,
	signal: AbortSignal,
) => Promise<{ kind: 'loaded'; bytes: Uint8Array } | { kind: 'refused'; problem: ImageProblem }>;

/** Stores the images of replies beside their conversations, because their addresses expire. */
export class ImageStore {
	private readonly folder: string;
	private readonly fetch: FetchImage;
	private readonly logger: Logger;

	/** `folder` is the folder of the conversations. */
	constructor(folder: string, fetch: FetchImage, logger: Logger) {
		this.folder = folder;
		this.fetch = fetch;
		this.logger = logger;
	}

	/** Resolves to whether the conversation may store another image. */
	async hasRoom(conversation: string): Promise<boolean> {
		return (await sizeOf(this.folderOf(conversation))) < MAXIMUM_KEPT_BYTES;
	}

	/** Loads an image and stores it. Never rejects; without an image, the result says why. */
	async load(conversation: string, url: string, signal: AbortSignal): Promise<ReplyImage> {
		const loaded = await this.fetch(url, signal);
		if (loaded.kind === 'refused') {
			return { problem: loaded.problem };
		}
		const found = readImage(loaded.bytes);
		if (!found) {
			return { problem: 'type' };
		}
		const file = await this.keep(conversation, loaded.bytes);
		return file === undefined ? { problem: 'not-kept' } : { file, ...found };
	}

	/** Resolves to the name of the image's file, or to undefined if it cannot be written, which is logged. */
	async keep(conversation: string, bytes: Uint8Array): Promise<string | undefined> {
		const file = createHash('sha256').update(bytes).digest('hex');
		try {
			await replaceFile(path.join(this.folderOf(conversation), file), bytes);
			return file;
		} catch (error) {
			this.logger.log('error', 'An image cannot be kept', { reason: describeError(error) });
			return undefined;
		}
	}

	/** Removes an image, and the folder after its last image. Never rejects. */
	async remove(conversation: string, file: string): Promise<void> {
		const folder = this.folderOf(conversation);
		await rm(path.join(folder, file), { force: true }).catch(() => {});
		await rmdir(folder).catch(() => {});
	}

	/** Removes images that were last written more than a month ago. Never rejects. */
	forgetOld(conversation: string): Promise<void> {
		return removeOldFiles(this.folderOf(conversation), FORGOTTEN_AFTER_MS);
	}

	/** Resolves to the bytes of a stored image, or to undefined if they are gone or have changed. */
	async read(conversation: string, file: string): Promise<Uint8Array | undefined> {
		const bytes = await readFile(path.join(this.folderOf(conversation), file)).catch(() => undefined);
		return bytes && createHash('sha256').update(bytes).digest('hex') === file ? bytes : undefined;
	}

	/** Copies the images of a conversation that continues as a copy, so that each then has its own. */
	async copy(from: string, to: string): Promise<void> {
		await cp(this.folderOf(from), this.folderOf(to), { recursive: true }).catch(() => {});
	}

	private folderOf(conversation: string): string {
		return imagesOf(this.folder, conversation);
	}
}

async function sizeOf(folder: string): Promise<number> {
	const names = await readdir(folder).catch(() => []);
	const sizes = await Promise.all(
		names.map(async name => (await stat(path.join(folder, name)).catch(() => undefined))?.size ?? 0),
	);
	return sizes.reduce((sum, size) => sum + size, 0);
}

/** Moves a conversation's images along with it, if there are any. */
export async function moveImages(from: string, to: string): Promise<void> {
	await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
	await rename(from, to).catch(() => {});
}

/** Returns the folder of a conversation's images. `folder` is the folder of the conversations. */
export function imagesOf(folder: string, conversation: string): string {
	return path.join(folder, IMAGES_FOLDER, conversation);
}
