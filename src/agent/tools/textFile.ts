import { lstat, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { replaceFile } from '../../base/files.ts';
import { ToolFailure } from '../failures.ts';
import { fileSizeOf, type Place } from './place.ts';

/** The maximum size: in bytes for a file that is read, in characters for one that is written. */
export const MAXIMUM_FILE = 10 * 1024 * 1024;

/** The maximum characters of a file before and after a change, together, for the change to be shown. */
const MAXIMUM_DIFF = 1_000_000;

/** The permissions of a new file, which the process's umask reduces. */
const NEW_FILE = 0o666;

/** Reads a text file. Throws a ToolFailure for one that is missing, too large or not UTF-8. */
export async function readText(place: Place): Promise<string> {
	const size = await fileSizeOf(place);
	if (size > MAXIMUM_FILE) {
		throw new ToolFailure(`${place.relative} has ${size} bytes, which is too much to read. Search it instead.`);
	}
	const bytes = await readFile(place.absolute);
	try {
		const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
		if (!text.includes('\0')) {
			return text;
		}
	} catch {
		// The sentence below says so.
	}
	throw new ToolFailure(`${place.relative} is not a text file.`);
}

/** A text file as a tool would leave it. */
export interface FileChange {
	place: Place;
	/** Null for a new file. */
	before: string | null;
	/** Null for a file that is deleted. */
	after: string | null;
	/** The permissions of a file that is deleted, and of a new one that takes its place. */
	mode?: number | undefined;
}

/** Returns what to show of a change. `oldText` is null for a new file. Nothing is shown of a very large change. */
export function shownChange({ place, before, after }: FileChange): ToolCallContent[] {
	const length = (before?.length ?? 0) + (after?.length ?? 0);
	return length > MAXIMUM_DIFF ? [] : [{ type: 'diff', path: place.absolute, oldText: before, newText: after ?? '' }];
}

/**
 * Makes all changes, or none: a full disk or a crash must not destroy an old text, and a file that cannot be written
 * leaves the others as they were. Nothing is deleted before everything is written. Throws a ToolFailure if a change
 * cannot be made.
 */
export async function writeTexts(changes: readonly FileChange[]): Promise<void> {
	const made: FileChange[] = [];
	try {
		for (const change of changes.toSorted((one, other) => Number(one.after === null) - Number(other.after === null))) {
			await writeText(change.place, change.after, change.mode);
			made.push(change);
		}
	} catch (error) {
		const left: string[] = [];
		for (const { place, before, mode } of made.reverse()) {
			await writeText(place, before, mode).catch(() => left.push(place.relative));
		}
		throw left.length === 0 ? error : new ToolFailure(`${describeError(error)} ${left.join(', ')} had been changed.`);
	}
}

/** Writes a text file as a whole, or not at all, with the folders that it needs. Deletes it if `text` is null. */
async function writeText({ absolute, relative }: Place, text: string | null, newMode = NEW_FILE): Promise<void> {
	if (text === null) {
		await rm(absolute).catch(failure(`${relative} cannot be deleted`));
		return;
	}
	const status = await lstat(absolute).catch(() => undefined);
	const mode = status === undefined ? newMode : status.mode & 0o777;
	if (status === undefined) {
		await mkdir(path.dirname(absolute), { recursive: true }).catch(failure(`The folder of ${relative} cannot be made`));
	}
	await replaceFile(absolute, text, mode).catch(failure(`${relative} cannot be written`));
}

const failure = (what: string) => (error: unknown) => {
	throw new ToolFailure(`${what}: ${systemErrorCode(error)}.`);
};
