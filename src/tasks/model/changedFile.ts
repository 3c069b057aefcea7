// The files that a task has changed, as git reports them between two commits.

/**
 * Git's status letters, except `C`, as copies are not detected. `T`: the file became something else, such as a link.
 */
export type ChangeStatus = 'A' | 'M' | 'D' | 'R' | 'T';

/** One side of a change. */
export interface FileVersion {
	/** Relative to the repository's top folder, with slashes. */
	path: string;
	/** Git's name for the content. */
	object: string;
	kind: 'file' | 'executable' | 'link' | 'submodule';
}

export interface ChangedFile {
	status: ChangeStatus;
	/** Undefined for a file that is added. */
	before: FileVersion | undefined;
	/** Undefined for a file that is deleted. */
	after: FileVersion | undefined;
	/** Undefined for content that is not text, or too large to be compared. */
	lines: { added: number; removed: number } | undefined;
	/** Set for a file whose lines are unknown because of its size. */
	isTooLarge?: boolean;
	/** True if the name is not valid UTF-8, so that the editor cannot name the file. */
	hasUnreadableName: boolean;
}

/** Returns the path by which a changed file is known: its present one, or its last if it was deleted. */
export function pathOf({ before, after }: ChangedFile): string {
	return (after ?? before)?.path ?? '';
}

/** A quick test, because most names are ASCII and a branch may have thousands. */
const ASCII = /^[ -~]*$/;

const STATUSES: ReadonlySet<string> = new Set<ChangeStatus>(['A', 'M', 'D', 'R', 'T']);

const KINDS: ReadonlyMap<string, FileVersion['kind']> = new Map([
	['100644', 'file'],
	['100664', 'file'],
	['100755', 'executable'],
	['120000', 'link'],
	['160000', 'submodule'],
]);

/**
 * Parses the output of `git diff-tree -r -z --raw --numstat`, given as a byte string (`latin1`). Git writes all
 * changes, then all counts of lines, in the same order.
 */
export function readChangedFiles(output: string): ChangedFile[] {
	const fields = output.split('\0');
	const files: ChangedFile[] = [];
	let next = 0;
	const take = () => fields[next++] ?? '';
	while (fields[next]?.startsWith(':')) {
		const [beforeMode = '', afterMode = '', beforeObject = '', afterObject = '', letters = ''] = take()
			.slice(1)
			.split(' ');
		const status = letters.slice(0, 1);
		const first = decodeName(take());
		const second = status === 'R' ? decodeName(take()) : first;
		files.push({
			status: STATUSES.has(status) ? (status as ChangeStatus) : 'M',
			before: versionOf(beforeMode, beforeObject, first.name),
			after: versionOf(afterMode, afterObject, second.name),
			lines: undefined,
			hasUnreadableName: first.isUnreadable || second.isUnreadable,
		});
	}
	for (const file of files) {
		const [added = '', removed = '', name = ''] = take().split('\t');
		if (name === '') {
			// A renamed file has its two names in separate fields.
			next += 2;
		}
		if (added !== '-' && added !== '') {
			file.lines = { added: Number(added), removed: Number(removed) };
		}
	}
	return files;
}

function versionOf(mode: string, object: string, path: string): FileVersion | undefined {
	const kind = KINDS.get(mode);
	return kind && { path, object, kind };
}

function decodeName(bytes: string): { name: string; isUnreadable: boolean } {
	if (ASCII.test(bytes)) {
		return { name: bytes, isUnreadable: false };
	}
	const name = Buffer.from(bytes, 'latin1').toString();
	return { name, isUnreadable: Buffer.from(name).toString('latin1') !== bytes };
}
