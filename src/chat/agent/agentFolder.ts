// The folder that a conversation's agents have on this machine: their home, the copy of the files that they work in, and a
// note of the repositories that have checkpoints of the conversation, and one of the process that has a turn under way.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import * as z from 'zod';
import { replaceFile } from '../../base/files.ts';
import { parseJson } from '../../base/json.ts';
import { identify } from '../../base/leftProcesses.ts';
import { removeFolder } from '../../base/removeFolder.ts';

const REPOSITORIES = 'repositories.json';

/** Which process has a turn under way. A process that is gone, or another one with its number, has none. */
const CLAIM = 'turn.json';
const claimSchema = z.object({ pid: z.number(), start: z.string() });

/** Some systems take a while to tell who this process is. */
let self: ReturnType<typeof identify> | undefined;

/** The folder of the copy has the files, and beside them what they were made of. */
const COPY = 'copy';
const FILES = 'files';
const LAYOUT = 'layout.json';

/** The repositories of a copy: their top folders, their folders in it, and the commits that it was made of. */
const copyLayoutSchema = z.array(
	z.object({ repository: z.string(), at: z.string().exactOptional(), before: z.string() }),
);
export type CopyLayout = z.output<typeof copyLayoutSchema>;

export class AgentFolder {
	readonly directory: string;

	/** `folder` is that of all conversations. */
	constructor(folder: string, conversation: string) {
		this.directory = path.join(folder, conversation);
	}

	/** The home folder of an agent. Each has its own, because it finds its sessions there. */
	home(agent: string): string {
		return path.join(this.directory, 'homes', agent);
	}

	/** The folder of the copy of the user's files. It need not exist. */
	get copy(): string {
		return path.join(this.directory, COPY, FILES);
	}

	/** Resolves with what the copy was made of, which its agent cannot change. It is empty where there is no copy. */
	async layout(): Promise<CopyLayout> {
		const text = await readFile(path.join(this.directory, COPY, LAYOUT), 'utf8').catch(() => '');
		return copyLayoutSchema.safeParse(parseJson(text)).data ?? [];
	}

	/** Puts a new copy in place of it once that is whole. `fill` resolves with its layout. Rejects as `fill` does. */
	async replaceCopy(fill: (folder: string) => Promise<CopyLayout>): Promise<void> {
		const old = path.join(this.directory, COPY);
		const fresh = `${old}.new`;
		const files = path.join(fresh, FILES);
		await removeFolder(fresh);
		await mkdir(files, { recursive: true, mode: 0o700 });
		await writeFile(path.join(fresh, LAYOUT), JSON.stringify(await fill(files)));
		await removeFolder(old);
		await rename(fresh, old);
	}

	/**
	 * Notes that a turn of this process works in the folder, until the function that it resolves with is called. Resolves with
	 * undefined where one of another process does: the two would take each other's copy away.
	 */
	async claim(): Promise<(() => Promise<void>) | undefined> {
		const file = path.join(this.directory, CLAIM);
		const holder = claimSchema.safeParse(parseJson(await readFile(file, 'utf8').catch(() => ''))).data;
		if (holder && (await identify(holder.pid))?.start === holder.start) {
			return undefined;
		}
		self ??= identify(process.pid);
		await mkdir(this.directory, { recursive: true, mode: 0o700 });
		await replaceFile(file, JSON.stringify((await self) ?? {}));
		return () => rm(file, { force: true });
	}

	/** The top folders of the repositories. */
	async repositories(): Promise<string[]> {
		const listed = parseJson(await readFile(this.file, 'utf8').catch(() => '[]'));
		return Array.isArray(listed) ? listed.filter(entry => typeof entry === 'string') : [];
	}

	/** Rejects with the system's error. */
	async note(repository: string): Promise<void> {
		const known = await this.repositories();
		if (!known.includes(repository)) {
			await mkdir(this.directory, { recursive: true, mode: 0o700 });
			await replaceFile(this.file, JSON.stringify([...known, repository]));
		}
	}

	async remove(): Promise<void> {
		await removeFolder(this.directory);
	}

	private get file(): string {
		return path.join(this.directory, REPOSITORIES);
	}
}
