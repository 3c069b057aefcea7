import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { describeError } from '../../base/errors.ts';
import { removeOldFiles, replaceFile } from '../../base/files.ts';
import type { Logger } from '../../base/logger.ts';
import { MAXIMUM_KEPT_BYTES, type Picture, type PictureProblem, readPicture } from '../model/picture.ts';

/** Below the folder of the conversations: a folder for each conversation that has pictures, named by its id. */
const PICTURES_FOLDER = 'pictures';

const FORGOTTEN_AFTER_MS = 30 * 24 * 60 * 60_000;

/** What came from an address. Never rejects. */
export type FetchPicture = (
	url: string,
	signal: AbortSignal,
) => Promise<{ kind: 'loaded'; bytes: Uint8Array } | { kind: 'refused'; problem: PictureProblem }>;

/** Keeps the pictures of replies beside their conversations: their addresses expire. */
export class PictureStore {
	private readonly folder: string;
	private readonly fetch: FetchPicture;
	private readonly logger: Logger;

	/** `folder` is that of the conversations. */
	constructor(folder: string, fetch: FetchPicture, logger: Logger) {
		this.folder = folder;
		this.fetch = fetch;
		this.logger = logger;
	}

	/** Whether the conversation may have another picture. */
	async hasRoom(conversation: string): Promise<boolean> {
		return (await sizeOf(this.folderOf(conversation))) < MAXIMUM_KEPT_BYTES;
	}

	/** Loads a picture and keeps it. Never rejects: a picture that is not there says why. */
	async load(conversation: string, url: string, signal: AbortSignal): Promise<Picture> {
		const loaded = await this.fetch(url, signal);
		if (loaded.kind === 'refused') {
			return { problem: loaded.problem };
		}
		const found = readPicture(loaded.bytes);
		if (!found) {
			return { problem: 'type' };
		}
		const file = await this.keep(conversation, loaded.bytes);
		return file === undefined ? { problem: 'not-kept' } : { file, ...found };
	}

	/** Resolves with the name of its file; undefined where it cannot be written, which is logged. */
	async keep(conversation: string, bytes: Uint8Array): Promise<string | undefined> {
		const file = createHash('sha256').update(bytes).digest('hex');
		try {
			await replaceFile(path.join(this.folderOf(conversation), file), bytes);
			return file;
		} catch (error) {
			this.logger.log('error', 'A picture cannot be kept', { reason: describeError(error) });
			return undefined;
		}
	}

	/** Removes a picture, and the folder with the last one. Never rejects. */
	async remove(conversation: string, file: string): Promise<void> {
		const folder = this.folderOf(conversation);
		await rm(path.join(folder, file), { force: true }).catch(() => {});
		await rmdir(folder).catch(() => {});
	}

	/** Removes those that nobody has put there for a month. Never rejects. */
	forgetOld(conversation: string): Promise<void> {
		return removeOldFiles(this.folderOf(conversation), FORGOTTEN_AFTER_MS);
	}

	/** The bytes of a kept picture; undefined where they are gone or are not those that were kept. */
	async read(conversation: string, file: string): Promise<Uint8Array | undefined> {
		const bytes = await readFile(path.join(this.folderOf(conversation), file)).catch(() => undefined);
		return bytes && createHash('sha256').update(bytes).digest('hex') === file ? bytes : undefined;
	}

	/** A conversation went on as a copy: each has its own pictures from then on. */
	async copy(from: string, to: string): Promise<void> {
		await cp(this.folderOf(from), this.folderOf(to), { recursive: true }).catch(() => {});
	}

	private folderOf(conversation: string): string {
		return picturesOf(this.folder, conversation);
	}
}

async function sizeOf(folder: string): Promise<number> {
	const names = await readdir(folder).catch(() => []);
	const sizes = await Promise.all(
		names.map(async name => (await stat(path.join(folder, name)).catch(() => undefined))?.size ?? 0),
	);
	return sizes.reduce((sum, size) => sum + size, 0);
}

/** Moves a conversation's pictures along with it. There may be none. */
export async function movePictures(from: string, to: string): Promise<void> {
	await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
	await rename(from, to).catch(() => {});
}

/** The folder of a conversation's pictures. `folder` is that of the conversations. */
export function picturesOf(folder: string, conversation: string): string {
	return path.join(folder, PICTURES_FOLDER, conversation);
}

/** Deletes them for good. */
export async function removePictures(folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true }).catch(() => {});
}
