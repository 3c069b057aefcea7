import * as vscode from 'vscode';
import { SerialQueue } from '../../base/async.ts';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { oneLine } from '../../base/plainText.ts';
import { formatNumber } from '../../platform/amounts.ts';
import type { GitPlace } from '../../platform/git.ts';
import { prepareGit } from '../../platform/gitCommand.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { type ChangeUriParts, readChangeUri } from '../results/changeUri.ts';
import { type ReadObject, readObjects } from '../results/readChanges.ts';

/** The maximum size of a file that is shown, in bytes: two larger ones in one diff would block the editor. */
export const MAXIMUM_SHOWN = 16 * 1024 * 1024;

const MEGABYTE = 1024 * 1024;
const MAXIMUM_NAME = 120;

/** The files of tasks as they were before and after, read from the objects of the repository. */
export class ChangeFiles {
	private readonly findPlace: (parts: ChangeUriParts) => Promise<GitPlace>;
	private readonly reader = new ObjectReader(MAXIMUM_SHOWN);

	/**
	 * `findPlace` returns the repository in which a file of a task may be read: one of this window, or that of a known
	 * task. It rejects with a UserFacingError that says why there is none.
	 */
	constructor(findPlace: (parts: ChangeUriParts) => Promise<GitPlace>) {
		this.findPlace = findPlace;
	}

	/** Rejects with a FileSystemError, whose message is a sentence. */
	async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
		const { length } = await this.read(uri);
		// A URI names a content, which never changes.
		return {
			type: vscode.FileType.File,
			ctime: 0,
			mtime: 0,
			size: length,
			permissions: vscode.FilePermission.Readonly,
		};
	}

	/** Returns a link as its target, a submodule as its commit. Rejects as `stat` does. */
	async read(uri: vscode.Uri): Promise<Uint8Array> {
		const parts = readChangeUri(uri);
		if (!parts) {
			throw vscode.FileSystemError.FileNotFound(vscode.l10n.t('This isn’t the address of a task’s file.'));
		}
		const { object, inWords } = parts;
		if (object === undefined) {
			return new Uint8Array();
		}
		if (inWords === 'submodule') {
			return Buffer.from(`${vscode.l10n.t('Submodule at commit {0}', object)}\n`);
		}
		try {
			return await this.contentOf(parts, object);
		} catch (error) {
			const { message } = gitFailure(error, vscode.l10n.t('Git couldn’t read the file: {0}', gitReason(error)));
			throw vscode.FileSystemError.Unavailable(message);
		}
	}

	private async contentOf(parts: ChangeUriParts, object: string): Promise<Uint8Array> {
		const read = await this.reader.read(await this.findPlace(parts), object);
		if (read === undefined) {
			throw new UserFacingError(
				vscode.l10n.t(
					'This version of {0} isn’t in the repository. In a partial clone, get it with “git fetch --refetch --no-filter”. Otherwise, close this editor and review the task again.',
					oneLine(parts.path, MAXIMUM_NAME),
				),
			);
		}
		if ('tooLarge' in read) {
			return Buffer.from(`${tooLargeText(read.tooLarge)}\n`);
		}
		return parts.inWords === 'binary' ? Buffer.from(`${binaryText(read.content.length, object)}\n`) : read.content;
	}
}

function tooLargeText(bytes: number): string {
	const size = (bytes / MEGABYTE).toLocaleString(vscode.env.language, { maximumFractionDigits: 0 });
	return vscode.l10n.t('This file is {0} MB, which is too large to show here. Check out the branch to open it.', size);
}

/** The beginning of the object's name distinguishes versions of the same size. */
function binaryText(bytes: number, object: string): string {
	return vscode.l10n.t(
		'Not text: {0} bytes, {1}. Open the file from the Tasks view to see it.',
		formatNumber(bytes),
		object.slice(0, 10),
	);
}

/** The maximum size of the cache, in bytes: the editor asks for the size of a file, then for its content. */
const MAXIMUM_KEPT = 32 * 1024 * 1024;

/** The objects of one repository that are read together. */
interface Batch {
	objects: Set<string>;
	read: Promise<Map<string, ReadObject>>;
}

/**
 * Reads objects of repositories for a caller that asks for each separately. Those that are requested while git is busy
 * in a repository are read together afterwards.
 */
export class ObjectReader {
	private readonly maximumBytes: number;
	private readonly kept = new Map<string, ReadObject>();
	private keptBytes = 0;
	/** The repositories with the batches that wait for git. */
	private readonly waiting = new Map<string, Batch>();
	private readonly queues = new Map<string, SerialQueue>();

	/** If an object is larger than `maximumBytes`, only its size is read. */
	constructor(maximumBytes: number) {
		this.maximumBytes = maximumBytes;
	}

	/** Resolves with undefined for a missing object. Rejects when git fails. `object` must be a name of git's own. */
	async read(place: GitPlace, object: string): Promise<ReadObject | undefined> {
		const { directory } = place;
		const known = this.kept.get(keyOf(directory, object));
		if (known) {
			return known;
		}
		const batch = this.waiting.get(directory) ?? this.begin(place);
		batch.objects.add(object);
		return (await batch.read).get(object);
	}

	private begin(place: GitPlace): Batch {
		const { gitPath, directory } = place;
		const queue = this.queues.get(directory) ?? new SerialQueue();
		this.queues.set(directory, queue);
		const objects = new Set<string>();
		const read = queue.run(async () => {
			this.waiting.delete(directory);
			const found = await readObjects(await prepareGit(gitPath, directory), [...objects], this.maximumBytes);
			for (const [object, read] of found) {
				this.keep(keyOf(directory, object), read);
			}
			return found;
		});
		const batch = { objects, read };
		this.waiting.set(directory, batch);
		return batch;
	}

	/** The content of an object never changes. */
	private keep(key: string, read: ReadObject): void {
		if (this.kept.has(key)) {
			return;
		}
		this.kept.set(key, read);
		this.keptBytes += weightOf(read);
		for (const [oldest, value] of this.kept) {
			if (this.keptBytes <= MAXIMUM_KEPT) {
				break;
			}
			this.kept.delete(oldest);
			this.keptBytes -= weightOf(value);
		}
	}
}

const keyOf = (directory: string, object: string): string => `${object} ${directory}`;

const weightOf = (read: ReadObject): number => ('content' in read ? read.content.length : 0);
