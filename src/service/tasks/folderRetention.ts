import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { folderSize } from '../../agents/sandbox/folderSize.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { removeFolder } from '../../base/removeFolder.ts';

/** The maximum size of all kept folders together. The oldest ones are removed first. */
const MAXIMUM_BYTES = 20_000_000_000;
export const RETENTION_DAYS = 14;

const DAY_MS = 24 * 3600 * 1000;
const MEASURE_TIMEOUT_MS = 60_000;
/** The file that marks a folder as kept. The agent cannot reach it. */
const MARKER = 'kept.json';

const markerSchema = z.object({
	/** The id of the agent whose session is kept. */
	agent: z.string(),
	/** True if the last run was in a sandbox. */
	sandboxed: z.boolean().optional(),
	/** The agent's own session, absent if none had begun. */
	session: z.string().optional(),
});
export type FolderMarker = z.output<typeof markerSchema>;

/** Marks the folder of an execution, so that its tree, home and session are kept when the run ends or is killed. */
export async function writeMarker(folder: string, marker: FolderMarker): Promise<void> {
	await writeFile(path.join(folder, MARKER), JSON.stringify(marker), { mode: 0o600 });
}

/** Returns undefined if nothing of an earlier run is kept. */
export async function readMarker(folder: string): Promise<FolderMarker | undefined> {
	try {
		return markerSchema.parse(JSON.parse(await readFile(path.join(folder, MARKER), 'utf8')));
	} catch {
		return undefined;
	}
}

/**
 * Removes kept folders that are too old, and the oldest ones while their total is too large. Folders for which `inUse`
 * returns true are left alone. Returns the names of the removed folders.
 */
export async function removeOldFolders(
	workFolder: string,
	{ inUse, logger, maximumBytes = MAXIMUM_BYTES }: RetentionLimits,
): Promise<string[]> {
	const kept: { name: string; at: number; bytes: number }[] = [];
	for (const name of await readdir(workFolder).catch(() => [])) {
		const marker = await stat(path.join(workFolder, name, MARKER)).catch(() => undefined);
		if (marker !== undefined && !inUse(name)) {
			kept.push({ name, at: marker.mtimeMs, bytes: await sizeOf(path.join(workFolder, name), maximumBytes) });
		}
	}
	kept.sort((a, b) => b.at - a.at);
	const removed: string[] = [];
	let bytes = 0;
	for (const [index, folder] of kept.entries()) {
		const isOld = Date.now() - folder.at > RETENTION_DAYS * DAY_MS;
		// The newest one may be one that the user is about to keep, however large it is.
		if (!isOld && (index === 0 || bytes + folder.bytes <= maximumBytes)) {
			bytes += folder.bytes;
			continue;
		}
		// A run may have begun while the folders were measured.
		if (inUse(folder.name)) {
			continue;
		}
		try {
			await removeFolder(path.join(workFolder, folder.name));
			removed.push(folder.name);
		} catch (error) {
			logger.log('warn', 'the work of an ended task was left behind', { reason: describeError(error) });
		}
	}
	return removed;
}

/** A folder that cannot be measured counts as too large by itself. */
function sizeOf(folder: string, enough: number): Promise<number> {
	return folderSize([folder], enough, AbortSignal.timeout(MEASURE_TIMEOUT_MS)).catch(() => enough + 1);
}

export interface RetentionLimits {
	inUse(name: string): boolean;
	logger: Logger;
	/** The size limit in bytes; 20 GB by default, which is as much as two runs may use. */
	maximumBytes?: number;
}
