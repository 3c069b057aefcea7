import { SerialQueue } from '../../base/async.ts';
import type { GitPlace } from '../../platform/git.ts';
import { prepareGit } from '../../platform/gitCommand.ts';
import { type ReadObject, readObjects } from './readChanges.ts';

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

	/** Resolves with undefined for an object that is missing. Rejects when git fails. `object` must be a name of git's own. */
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
