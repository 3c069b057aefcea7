// Finds prompt files. No instruction in a file is carried out here: its text is read, and nothing else.
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { describeError } from '../../base/errors.ts';
import { isSameOrWithin, isWithin } from '../../base/filePlace.ts';
import { hasInvisible } from '../../base/invisible.ts';
import type { Logger } from '../../base/logger.ts';
import { COMPOSER_MODES, OWN_PROMPTS } from '../model/mode.ts';
import { type Prompt, parsePrompt } from '../model/prompt.ts';

/** The maximum number of files of one folder, so that no folder crowds out the user's own prompts. */
const MAXIMUM_FILES = 200;
const MAXIMUM_BYTES = 64 * 1024;
const MAXIMUM_DEPTH = 4;
const MAXIMUM_NAME = 64;

const EXTENSION = /(?:\.prompt)?\.md$/;

export interface PromptFolder {
	/** Distinguishes its files from those of the same name elsewhere, such as `github` or `app:claude`. */
	label: string;
	/** The folder that its links must not leave, and the prompt folder below it. Both are absolute paths. */
	root: string;
	directory: string;
	/** The extension of prompt files. */
	extension: '.prompt.md' | '.md';
	/** True if subfolders count as well; their names distinguish files of the same name. */
	isNested: boolean;
}

export interface FoundPrompt {
	/** The name to type after the slash: the file's name and, if that is ambiguous, its location. */
	name: string;
	file: string;
	folder: PromptFolder;
	/** The prompt, or why the file cannot be used: it is too large, a link to something else, or not readable. */
	prompt: Prompt | 'too-large' | 'elsewhere' | 'unreadable';
}

const RESERVED: ReadonlySet<string> = new Set([...COMPOSER_MODES, ...OWN_PROMPTS]);

/** Lists the prompts of the folders in their order, by name within each. Never rejects. */
export async function findPrompts(folders: readonly PromptFolder[], logger: Logger): Promise<FoundPrompt[]> {
	const found: (FoundPrompt & { full: string })[] = [];
	const taken = new Set<string>();
	for (const folder of folders) {
		for (const file of await filesOf(folder, logger)) {
			const parts = path.relative(folder.directory, file).replace(EXTENSION, '').split(path.sep);
			const names = parts.map(part => part.replace(/\s+/g, '-'));
			const name = names.at(-1) ?? '';
			if (name !== '' && !names.some(isUnusable)) {
				const full = freeName([folder.label, ...names].join(':'), taken);
				taken.add(full);
				found.push({ name, full, file, folder, prompt: await read(file, folder, logger) });
			}
		}
	}
	const byName = Map.groupBy(found, ({ name }) => name);
	return found.map(({ full, name, ...others }) => ({
		name: RESERVED.has(name) || byName.get(name)?.length !== 1 ? full : name,
		...others,
	}));
}

/** Makes a name unique. Names drop blanks and the extension, so those of different files may be equal. */
function freeName(name: string, taken: ReadonlySet<string>): string {
	let free = name;
	for (let count = 2; taken.has(free); count++) {
		free = `${name}-${count}`;
	}
	return free;
}

/** Returns whether a name is unusable. A colon would make it look like that of a file in another folder. */
function isUnusable(name: string): boolean {
	return name.length > MAXIMUM_NAME || name.includes(':') || hasInvisible(name);
}

async function filesOf({ root, directory, extension, isNested }: PromptFolder, logger: Logger): Promise<string[]> {
	const files: string[] = [];
	const walk = async (folder: string, depth: number): Promise<void> => {
		const entries = await readdir(folder, { withFileTypes: true });
		for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
			const place = path.join(folder, entry.name);
			if (files.length >= MAXIMUM_FILES) {
				return;
			}
			// A linked folder is not followed, so that there is no cycle.
			if (entry.isDirectory() && isNested && depth < MAXIMUM_DEPTH) {
				await walk(place, depth + 1);
			} else if ((entry.isFile() || entry.isSymbolicLink()) && entry.name.endsWith(extension)) {
				files.push(place);
			}
		}
	};
	try {
		if (isSameOrWithin(await realpath(root), await realpath(directory))) {
			await walk(directory, 0);
		}
	} catch (error) {
		// Most folders have no prompts.
		logger.log('debug', 'A folder has no prompts', { reason: describeError(error) });
	}
	return files;
}

async function read(
	file: string,
	{ directory, extension }: PromptFolder,
	logger: Logger,
): Promise<FoundPrompt['prompt']> {
	try {
		const real = await realpath(file);
		const status = await stat(real);
		// A link must not turn another file, such as one with secrets, into a prompt. Reading a pipe or a device would
		// block.
		const isPrompt = isWithin(await realpath(directory), real) && real.endsWith(extension);
		if (!isPrompt || !status.isFile()) {
			return 'elsewhere';
		}
		return status.size > MAXIMUM_BYTES ? 'too-large' : parsePrompt(await readFile(real, 'utf8'));
	} catch (error) {
		logger.log('warn', 'A prompt file cannot be read', { reason: describeError(error) });
		return 'unreadable';
	}
}
