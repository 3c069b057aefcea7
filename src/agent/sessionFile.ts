import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../base/files.ts';
import { parseJson } from '../base/json.ts';
import { type InputItem, inputItemSchema } from '../contract/responses.ts';

/** The maximum number of sessions kept for a later process, and the time since their last use, in milliseconds. */
export const MAXIMUM_SESSIONS = 200;
export const MAXIMUM_SESSION_AGE_MS = 30 * 24 * 60 * 60_000;

const savedSchema = z.object({ version: z.literal(1), folder: z.string(), items: z.array(inputItemSchema) });

const SESSION = /^[\da-f-]{36}$/;
const EXTENSION = '.json';

/**
 * The sessions of earlier processes: one file for each in the user's state folder. Those that were not used for long
 * are removed, and the oldest ones if there are too many.
 */
export class SessionFiles {
	private readonly folder: string;
	private hasTidied = false;

	constructor(environment: Readonly<Record<string, string | undefined>>, home: string) {
		const state = environment['XDG_STATE_HOME'] || path.join(home, '.local', 'state');
		this.folder = path.join(state, 'errand-agent', 'sessions');
	}

	async save(id: string, folder: string, items: readonly InputItem[]): Promise<void> {
		await replaceFile(this.file(id), JSON.stringify({ version: 1, folder, items }));
		if (!this.hasTidied) {
			this.hasTidied = true;
			await this.tidy(Date.now());
		}
	}

	/** If a file cannot be removed now, the next process tries again. */
	private async tidy(now: number): Promise<void> {
		const names = await readdir(this.folder).catch(() => []);
		const files = names.filter(name => name.endsWith(EXTENSION) && SESSION.test(path.basename(name, EXTENSION)));
		const uses = await Promise.all(
			files.map(async name => {
				const file = path.join(this.folder, name);
				const usedAt = await stat(file).then(
					({ mtimeMs }) => mtimeMs,
					() => now,
				);
				return { file, usedAt };
			}),
		);
		const newestFirst = uses.sort((one, other) => other.usedAt - one.usedAt);
		const old = newestFirst.filter(
			({ usedAt }, index) => index >= MAXIMUM_SESSIONS || now - usedAt > MAXIMUM_SESSION_AGE_MS,
		);
		await Promise.all(old.map(({ file }) => rm(file, { force: true }).catch(() => {})));
	}

	/** Returns a session's folder and conversation, or undefined if it is missing or unreadable. */
	async load(id: string): Promise<{ folder: string; items: InputItem[] } | undefined> {
		if (!SESSION.test(id)) {
			return undefined;
		}
		const text = await readFile(this.file(id), 'utf8').catch(() => '');
		return savedSchema.safeParse(parseJson(text)).data;
	}

	private file(id: string): string {
		return path.join(this.folder, id + EXTENSION);
	}
}
