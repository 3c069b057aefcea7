import type { GitPlace } from '../../platform/git.ts';
import { prepareGit } from '../../platform/gitCommand.ts';
import { type ReadObject, readObjects } from './readChanges.ts';

/** The maximum size of the cache, in bytes: the editor asks for the size of a file, then for its content. */
const MAXIMUM_KEPT = 32 * 1024 * 1024;

/** The bytes that an object counts in addition to its content, so that many empty objects count too. */
const LEAST_WEIGHT = 256;

interface Waiting {
	place: GitPlace;
	readings: Map<string, PromiseWithResolvers<ReadObject>>;
}

/**
 * Reads objects of repositories for a caller that asks for each separately. Those that are requested while git is busy
 * in a repository are read together afterwards.
 */
export class ObjectReader {
	private readonly maximumBytes: number;
	private readonly kept = new Map<string, ReadObject>();
	private keptBytes = 0;
	private readonly waiting = new Map<string, Waiting>();
	private readonly busy = new Set<string>();

	/** If an object is larger than `maximumBytes`, only its size is read. */
	constructor(maximumBytes: number) {
		this.maximumBytes = maximumBytes;
	}

	/** Rejects when git fails. `object` must be a name of git's own. */
	read(place: GitPlace, object: string): Promise<ReadObject> {
		const { directory } = place;
		const known = this.kept.get(keyOf(directory, object));
		if (known) {
			return Promise.resolve(known);
		}
		let waiting = this.waiting.get(directory);
		if (!waiting) {
			waiting = { place, readings: new Map() };
			this.waiting.set(directory, waiting);
		}
		let reading = waiting.readings.get(object);
		if (!reading) {
			reading = Promise.withResolvers();
			waiting.readings.set(object, reading);
		}
		if (!this.busy.has(directory)) {
			this.busy.add(directory);
			void this.work(directory);
		}
		return reading.promise;
	}

	private async work(directory: string): Promise<void> {
		// All requests of the same moment go together.
		await Promise.resolve();
		for (let waiting = this.take(directory); waiting; waiting = this.take(directory)) {
			const { place, readings } = waiting;
			const objects = [...readings.keys()];
			try {
				const git = await prepareGit(place.gitPath, directory);
				const read = await readObjects(git, objects, this.maximumBytes);
				for (const [at, object] of objects.entries()) {
					this.keep(keyOf(directory, object), read[at]);
					readings.get(object)?.resolve(read[at]);
				}
			} catch (error) {
				for (const { reject } of readings.values()) {
					reject(error);
				}
			}
		}
		this.busy.delete(directory);
	}

	private take(directory: string): Waiting | undefined {
		const waiting = this.waiting.get(directory);
		this.waiting.delete(directory);
		return waiting;
	}

	/** The content of an object never changes. A missing one may be fetched later. */
	private keep(key: string, read: ReadObject): void {
		if (read === undefined || this.kept.has(key)) {
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

const weightOf = (read: ReadObject): number => LEAST_WEIGHT + (read && 'content' in read ? read.content.length : 0);
