import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';

/** Where the contents of versions come from. */
export interface Contents {
	/** Returns the sizes of objects in bytes. Objects that are missing are left out. */
	sizes(objects: readonly string[]): Promise<Map<string, number>>;
	/** Returns the contents of objects. Objects that are missing are left out. */
	read(objects: readonly string[]): Promise<Map<string, Buffer>>;
}

/** Returns the name that git gives to a content. `like` is the name of another one in the same repository. */
export function objectName(content: Uint8Array, like: string): string {
	return createHash(algorithmOf(like)).update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Does the same for a file of this size in bytes, without holding it in memory. Rejects with the system's error. */
export async function fileObjectName(file: string, size: number, like: string): Promise<string> {
	const hash = createHash(algorithmOf(like)).update(`blob ${size}\0`);
	for await (const piece of createReadStream(file)) {
		hash.update(piece);
	}
	return hash.digest('hex');
}

const algorithmOf = (like: string) => (like.length === 64 ? 'sha256' : 'sha1');

/** Contents that git has stored. One git process serves all objects of a call. Rejects as `runGit` does. */
export function gitContents({ gitPath, directory }: GitPlace): Contents {
	const ask = (how: string, objects: readonly string[]) =>
		runGit(gitPath, directory, ['cat-file', how], {
			input: objects.map(object => `${object}\n`).join(''),
			encoding: 'latin1',
		});
	return {
		async sizes(objects) {
			const found = new Map<string, number>();
			if (objects.length > 0) {
				const output = await ask('--batch-check=%(objectname) %(objecttype) %(objectsize)', objects);
				for (const line of output.split('\n')) {
					const [object = '', type, size] = line.split(' ');
					if (type === 'blob') {
						found.set(object, Number(size));
					}
				}
			}
			return found;
		},
		async read(objects) {
			const output = objects.length === 0 ? '' : await ask('--batch', objects);
			const found = new Map<string, Buffer>();
			for (let start = 0; start < output.length; ) {
				const end = output.indexOf('\n', start);
				const [object = '', type, length] = output.slice(start, end).split(' ');
				start = end + 1;
				if (length !== undefined) {
					const next = start + Number(length);
					if (type === 'blob') {
						found.set(object, Buffer.from(output.slice(start, next), 'latin1'));
					}
					start = next + 1;
				}
			}
			return found;
		},
	};
}

/** Contents in memory, by the names that git would give them. Other objects are looked up in `further`. */
export function knownContents(known: ReadonlyMap<string, Buffer>, further?: Contents): Contents {
	async function lookUp<T>(
		objects: readonly string[],
		of: (content: Buffer) => T,
		rest: ((objects: readonly string[]) => Promise<Map<string, T>>) | undefined,
	): Promise<Map<string, T>> {
		const found = new Map(await rest?.(objects.filter(object => !known.has(object))));
		for (const object of objects) {
			const content = known.get(object);
			if (content) {
				found.set(object, of(content));
			}
		}
		return found;
	}
	return {
		sizes: objects => lookUp(objects, content => content.length, further?.sizes),
		read: objects => lookUp(objects, content => content, further?.read),
	};
}
