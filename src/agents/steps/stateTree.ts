// A tree of git in memory, which is written with the objects that are new and without starting git: that would cost
// more for a step than all the rest. All names are byte strings (`latin1`).
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';

const compress = promisify(deflate);

const FOLDER = '40000';
const FAST = { level: 1 };
/** In bytes. Handing less to another thread takes longer than the work. */
const SMALL = 64 * 1024;

/** A file, link or submodule in a tree. */
export interface StateEntry {
	/** Git's mode, such as `100644`. */
	mode: string;
	object: string;
}

/** Writes objects into the folder of a repository that nobody else writes to. */
export class ObjectWriter {
	private readonly folder: string;
	private readonly algorithm: string;

	/** `folder` is the one of the objects. */
	constructor(folder: string, algorithm: 'sha1' | 'sha256') {
		this.folder = folder;
		this.algorithm = algorithm;
	}

	/** Writes an object as a whole or not at all, and returns its name. */
	async write(type: 'blob' | 'tree' | 'commit', content: Buffer): Promise<string> {
		const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
		const name = createHash(this.algorithm).update(bytes).digest('hex');
		const folder = path.join(this.folder, name.slice(0, 2));
		const place = path.join(folder, name.slice(2));
		if (!existsSync(place)) {
			const packed = bytes.length <= SMALL ? deflateSync(bytes, FAST) : await compress(bytes, FAST);
			mkdirSync(folder, { recursive: true });
			const scratch = path.join(folder, `tmp_obj_${randomUUID()}`);
			writeFileSync(scratch, packed, { flag: 'wx', mode: 0o444 });
			renameSync(scratch, place);
		}
		return name;
	}
}

interface Folder {
	entries: Map<string, StateEntry | Folder>;
	/** The name of the folder's object, or undefined if it has changed since it was written. */
	object: string | undefined;
}

const isFolder = (entry: StateEntry | Folder | undefined): entry is Folder => entry !== undefined && 'entries' in entry;

const emptyFolder = (object?: string): Folder => ({ entries: new Map(), object });

export class StateTree {
	private readonly top: Folder;

	/** `listed` are the lines of `git ls-tree -r -t -z` for the tree `object`. */
	constructor(object: string, listed: readonly string[]) {
		this.top = emptyFolder(object);
		for (const line of listed) {
			const [mode = '', type, name = ''] = line.split(/ |\t/, 3);
			const parts = line.slice(line.indexOf('\t') + 1).split('/');
			const last = parts.pop() ?? '';
			let folder: StateEntry | Folder | undefined = this.top;
			for (const part of parts) {
				folder = isFolder(folder) ? folder.entries.get(part) : undefined;
			}
			if (isFolder(folder)) {
				folder.entries.set(last, type === 'tree' ? emptyFolder(name) : { mode, object: name });
			}
		}
	}

	get(name: string): StateEntry | undefined {
		let entry: StateEntry | Folder | undefined = this.top;
		for (const part of name.split('/')) {
			entry = isFolder(entry) ? entry.entries.get(part) : undefined;
		}
		return isFolder(entry) ? undefined : entry;
	}

	/** Puts an entry in the place of whatever is there, or removes the one that is there. */
	set(name: string, entry: StateEntry | undefined): void {
		const parts = name.split('/');
		const last = parts.pop() ?? '';
		const folders = [this.top];
		for (const part of parts) {
			const parent = folders.at(-1) as Folder;
			let next = parent.entries.get(part);
			if (!isFolder(next)) {
				if (entry === undefined) {
					return;
				}
				next = emptyFolder();
				parent.entries.set(part, next);
			}
			folders.push(next);
		}
		const parent = folders.at(-1) as Folder;
		const before = parent.entries.get(last);
		if (entry === undefined) {
			if (before === undefined || isFolder(before)) {
				return;
			}
			parent.entries.delete(last);
		} else {
			if (before !== undefined && !isFolder(before) && before.mode === entry.mode && before.object === entry.object) {
				return;
			}
			parent.entries.set(last, entry);
		}
		for (const [depth, folder] of [...folders.entries()].reverse()) {
			folder.object = undefined;
			// Git knows no empty folders.
			if (depth > 0 && folder.entries.size === 0) {
				folders[depth - 1]?.entries.delete(parts[depth - 1] ?? '');
			}
		}
	}

	/** Writes what has changed, and returns the name of the whole tree. */
	write(objects: ObjectWriter): Promise<string> {
		return writeFolder(this.top, objects);
	}
}

async function writeFolder(folder: Folder, objects: ObjectWriter): Promise<string> {
	if (folder.object === undefined) {
		const lines: { key: string; bytes: Buffer }[] = [];
		for (const [name, entry] of folder.entries) {
			const mode = isFolder(entry) ? FOLDER : entry.mode;
			const object = isFolder(entry) ? await writeFolder(entry, objects) : entry.object;
			const bytes = Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(object, 'hex')]);
			// Git sorts a folder as if its name ended with a slash.
			lines.push({ key: isFolder(entry) ? `${name}/` : name, bytes });
		}
		lines.sort((a, b) => (a.key < b.key ? -1 : 1));
		folder.object = await objects.write('tree', Buffer.concat(lines.map(({ bytes }) => bytes)));
	}
	return folder.object;
}
