// The parts of which a result can be composed: hunks of files, and whole files where a hunk would not say enough.
import { createHash } from 'node:crypto';
import type { HunkRanges, HunkSide } from '../../base/hunks.ts';
import type { Composition } from '../../contract/compositions.ts';
import { type ChangedFile, pathOf } from './changedFile.ts';

/** A hunk with its lines as byte strings (`latin1`). */
export interface Hunk extends HunkRanges {
	removed: readonly string[];
	added: readonly string[];
}

/** What an agent has changed. */
export interface AgentHunks {
	/** The position of the agent in its task. */
	agent: number;
	/** The commit of its branch. */
	commit: string;
	files: readonly ChangedFile[];
	/** The hunks by `versionsOf` their files. A file without any is taken as a whole. */
	hunks: ReadonlyMap<string, readonly Hunk[]>;
}

export const versionsOf = ({ before, after }: ChangedFile): string => `${before?.object}..${after?.object}`;

/** What is taken or left as one. */
export interface Part {
	/** Stays the same when the results are read again, as long as they have this part. */
	id: string;
	path: string;
	/** The change to its file in the first of its origins. */
	file: ChangedFile;
	/** Undefined for the whole file. */
	hunk: Hunk | undefined;
	/** The agents that have made this change, each with its own lines. */
	origins: { agent: number; lines: HunkSide | undefined }[];
}

/** Returns the parts of all results in the order of their files and lines. What several agents have done is one part. */
export function partsOf(results: readonly AgentHunks[]): Part[] {
	const parts = new Map<string, Part>();
	for (const { agent, files, hunks } of results) {
		for (const file of files.filter(({ hasUnreadableName }) => !hasUnreadableName)) {
			const found = isOfLines(file) ? hunks.get(versionsOf(file)) : undefined;
			for (const hunk of found?.length ? found : [undefined]) {
				const id = idOf(file, hunk);
				const part = parts.get(id) ?? { id, path: pathOf(file), file, hunk, origins: [] };
				part.origins.push({ agent, lines: hunk?.after });
				parts.set(id, part);
			}
		}
	}
	return [...parts.values()].sort((a, b) => (a.path === b.path ? startOf(a) - startOf(b) : a.path < b.path ? -1 : 1));
}

const startOf = ({ hunk }: Part) => hunk?.before.start ?? -1;

/** Returns whether lines are all that a change to a file is about. */
function isOfLines({ status, before, after, lines }: ChangedFile): boolean {
	const isFile = before?.kind === 'file' || before?.kind === 'executable';
	return status === 'M' && isFile && before.kind === after?.kind && lines !== undefined;
}

function idOf(file: ChangedFile, hunk: Hunk | undefined): string {
	const { before, after } = file;
	const facts = hunk
		? [hunk.before.start, hunk.before.count, ...hunk.added]
		: [before?.path, after?.path, after?.object, after?.kind];
	return createHash('sha256')
		.update(JSON.stringify([pathOf(file), hunk !== undefined, ...facts]))
		.digest('base64url')
		.slice(0, 22);
}

/** Returns whether two parts exclude each other. As for git, hunks that touch do. */
export function isEither(one: Part, other: Part): boolean {
	if (one === other) {
		return false;
	}
	if (one.hunk && other.hunk) {
		const [a, b] = [one.hunk.before, other.hunk.before];
		return one.path === other.path && a.start <= b.start + b.count && b.start <= a.start + a.count;
	}
	const [names, others] = [namesOf(one), namesOf(other)];
	return names.some(name => others.includes(name)) || isBelow(one, other) || isBelow(other, one);
}

/** Returns the paths at which a part decides what is there. */
const namesOf = ({ path, file: { before }, hunk }: Part): string[] =>
	hunk || !before || before.path === path ? [path] : [before.path, path];

const leaves = ({ file: { after } }: Part): string | undefined => after?.path;

/** Returns whether the first part leaves a file in what is a file for the other. */
function isBelow(one: Part, other: Part): boolean {
	const folder = leaves(other);
	return folder !== undefined && leaves(one)?.startsWith(`${folder}/`) === true;
}

/** Returns the choice with a part taken, and without those that exclude it, or with the part left. */
export function withPart(
	parts: readonly Part[],
	chosen: ReadonlySet<string>,
	part: Part,
	isTaken: boolean,
): ReadonlySet<string> {
	const others = parts.filter(({ id }) => chosen.has(id) && id !== part.id);
	return new Set([
		...others.filter(other => !isTaken || !isEither(other, part)).map(({ id }) => id),
		...(isTaken ? [part.id] : []),
	]);
}

/**
 * Returns a path that would be both a file and a folder, because what an agent has removed for it was left as it was.
 */
export function clashOf(parts: readonly Part[], chosen: ReadonlySet<string>): string | undefined {
	const isThere = new Map<string, boolean>();
	for (const { file } of parts) {
		for (const side of [file.before, file.after]) {
			if (side && (side === file.before || !isThere.has(side.path))) {
				isThere.set(side.path, side === file.before);
			}
		}
	}
	for (const part of parts.filter(({ id, hunk }) => chosen.has(id) && !hunk)) {
		const left = part.file.after?.path;
		for (const name of namesOf(part)) {
			isThere.set(name, name === left);
		}
	}
	const names = [...isThere].flatMap(([name, is]) => (is ? [name] : []));
	return names.find(name => names.some(other => other.startsWith(`${name}/`)));
}

/** Returns the request for what was chosen. */
export function compositionOf(
	base: string,
	results: readonly AgentHunks[],
	parts: readonly Part[],
	chosen: ReadonlySet<string>,
): Composition {
	const taken = parts.filter(({ id }) => chosen.has(id));
	const agents = new Set(taken.flatMap(({ origins }) => origins.map(({ agent }) => agent)));
	const files: Composition['files'] = [];
	for (const part of taken) {
		const { hunk, origins, path } = part;
		if (!hunk) {
			files.push({ paths: namesOf(part), agents: origins.map(({ agent }) => agent) });
			continue;
		}
		const last = files.at(-1);
		const own = last && 'hunks' in last && last.path === path ? last : { path, hunks: [] };
		own.hunks.push({
			...hunk.before,
			origins: origins.flatMap(({ agent, lines }) => (lines ? [{ agent, ...lines }] : [])),
		});
		if (own !== last) {
			files.push(own);
		}
	}
	return {
		base,
		results: results.filter(({ agent }) => agents.has(agent)).map(({ agent, commit }) => ({ agent, commit })),
		files,
	};
}
