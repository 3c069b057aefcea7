import { type HunkRanges, withHunks } from '../../base/hunks.ts';
import type { ChangedFile, FileVersion } from '../model/changedFile.ts';
import type { Change } from './change.ts';
import { type Contents, knownContents, objectName, versionKey } from './contents.ts';
import { hunksIn } from './hunks.ts';
import { isText, likeFile } from './lineEnds.ts';
import type { WorkingTree } from './tree.ts';

/** A change that brings some hunks of a file into the user's own, with the source of its contents. */
export interface HunkChange {
	change: Change;
	contents: Contents;
}

/**
 * Returns the change that takes the `wanted` ones of a file's `hunks`. If the user's file is the first version with
 * some of the hunks, the result is exactly that plus the wanted ones. Otherwise they are merged into it. Returns
 * undefined if the file does not have two versions as text. Rejects when git or the file system fails.
 */
export async function takeHunks(
	file: ChangedFile,
	hunks: readonly HunkRanges[],
	wanted: readonly HunkRanges[],
	{ tree, contents }: { tree: WorkingTree; contents: Contents },
): Promise<HunkChange | undefined> {
	const { before, after } = file;
	if (!before || !after) {
		return undefined;
	}
	// A renamed file is changed at the path where the user has it. A hunk does not move it.
	const isMoved = before.path !== after.path && (await tree.mode(after.path)) !== undefined;
	const version: FileVersion = { ...before, path: isMoved ? after.path : before.path };
	const versions = [before, after].map(({ object }) => ({ object, path: version.path }));
	const read = await contents.read(versions);
	const [base, theirs] = versions.map(placed => read.get(versionKey(placed)));
	if (!base || !theirs || !isText(base) || !isText(theirs)) {
		return undefined;
	}
	const changeOf = (from: Buffer, to: Buffer): HunkChange => {
		const known = new Map([from, to].map(content => [objectName(content, before.object), content]));
		const [object, goal] = [objectName(from, before.object), objectName(to, before.object)];
		return {
			change: {
				before: { ...version, object },
				after: { ...version, object: goal },
				hasUnreadableName: file.hasUnreadableName,
			},
			contents: knownContents(known),
		};
	};
	const present =
		(await tree.refusal(version.path)) === undefined ? await tree.read(version.path, new Set()) : undefined;
	if (typeof present === 'object' && present.isText) {
		const own = await present.load();
		// Versions with both kinds of line ends may have left the user's file with one of them, which git did not
		// convert.
		for (const { base: ownBase, other } of [{ base, other: theirs }, likeFile(own, base, theirs)]) {
			const known = hunksIn(own, ownBase, other, hunks, wanted);
			if (known) {
				const taken = hunks.filter(hunk => known.includes(hunk) || wanted.includes(hunk));
				return changeOf(own, withHunks(ownBase, other, taken));
			}
		}
	}
	return changeOf(
		base,
		withHunks(
			base,
			theirs,
			hunks.filter(hunk => wanted.includes(hunk)),
		),
	);
}
