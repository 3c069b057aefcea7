// The folder of a conversation's agents on this machine: their homes, the copy of the files that they work in, the list
// of repositories with checkpoints of the conversation, and a claim by the process that runs a turn.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { claimForProcess } from '../../base/fileLock.ts';
import { replaceFile } from '../../base/files.ts';
import { parseJson } from '../../base/json.ts';
import { removeFolder } from '../../base/removeFolder.ts';

const REPOSITORIES = 'repositories.json';

/** The claim of the process that runs a turn. */
const CLAIM = 'turn.json';

/**
 * The folder of the copy contains the files and, beside them, the layout that says what they were made from, and for each
 * repository of it the states of its files after the steps of the turn.
 */
const COPY = 'copy';
const FILES = 'files';
const STATES = 'states';
const LAYOUT = 'layout.json';

/** The repositories of a copy: their top folders, their folders in the copy, and the commits that it was made from. */
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

	/** The home folder of an agent. Each agent has its own, because it finds its sessions there. */
	home(agent: string): string {
		return path.join(this.directory, 'homes', agent);
	}

	/** The folder of the copy of the user's files. It need not exist. */
	get copy(): string {
		return path.join(this.directory, COPY, FILES);
	}

	/** The folder of the states of a repository, by its position in the layout. No agent in a sandbox sees it. */
	states(position: number): string {
		return path.join(this.directory, COPY, STATES, String(position));
	}

	/** Resolves to the layout of the copy, which its agent cannot change. Empty if there is no copy. */
	async layout(): Promise<CopyLayout> {
		const text = await readFile(path.join(this.directory, COPY, LAYOUT), 'utf8').catch(() => '');
		return copyLayoutSchema.safeParse(parseJson(text)).data ?? [];
	}

	/**
	 * Replaces the copy once the new one is complete. `fill` gets its folders of the files and of the states, and resolves to
	 * the new layout. Rejects as `fill` does.
	 */
	async replaceCopy(fill: (folder: string, states: string) => Promise<CopyLayout>): Promise<void> {
		const old = path.join(this.directory, COPY);
		const fresh = `${old}.new`;
		const files = path.join(fresh, FILES);
		await removeFolder(fresh);
		await mkdir(files, { recursive: true, mode: 0o700 });
		await writeFile(path.join(fresh, LAYOUT), JSON.stringify(await fill(files, path.join(fresh, STATES))));
		await removeFolder(old);
		await rename(fresh, old);
	}

	/**
	 * Claims the folder for a turn of this process, and resolves to a function that releases it. Resolves to undefined if
	 * a turn of another process has the claim: the two would delete each other's copy.
	 */
	async claim(): Promise<(() => Promise<void>) | undefined> {
		await mkdir(this.directory, { recursive: true, mode: 0o700 });
		return claimForProcess(path.join(this.directory, CLAIM));
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
