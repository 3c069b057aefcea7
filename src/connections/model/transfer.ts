// Connections as a file: what is written into it, and what is taken out of one that others have made.
import type * as z from 'zod';
import { entriesOf } from '../../base/entries.ts';
import { hasInvisible } from '../../base/invisible.ts';
import { isDeeperThan, parseJson } from '../../base/json.ts';
import { connectionSchema } from '../../contract/connection.ts';
import { holdsSecret } from './holdsSecret.ts';
import { freeName, nameProblem } from './newConnection.ts';

/** The file has the form of the setting, so that it can be read and pasted as such. */
const SETTING = 'errand.connections';

export const MAXIMUM_FILE_BYTES = 1024 * 1024;
const MAXIMUM_CONNECTIONS = 50;
const MAXIMUM_TEXT = 500;
const MAXIMUM_DEPTH = 8;

/** Why a connection is neither exported nor imported. `field` is the path of the field. */
export type TransferProblem =
	| { kind: 'name' }
	| { kind: 'invalid'; issue: z.core.$ZodIssue; value: unknown }
	| { kind: 'secret' | 'hidden' | 'long'; field: string };

/** A connection of a file that can be imported. */
export interface Importable {
	/** Its name in the file. */
	name: string;
	/** The name that it gets, which none of the user's connections has. */
	newName: string;
	value: Record<string, unknown>;
	/** Every origin that it would reach. */
	origins: string[];
	/** The paths of fields that no connection has. They are left out. */
	dropped: string[];
	/** The user has a connection of that name with the same content. */
	isPresent: boolean;
}

export type ImportFile =
	| { problem: 'not-json' | 'no-connections' | 'too-many' }
	| { connections: Importable[]; refused: { name: string; problem: TransferProblem }[] };

/** Returns the text of a file with these connections, and those that cannot be in one. */
export function exportFile(connections: unknown, names: readonly string[]) {
	const refused: { name: string; problem: TransferProblem }[] = [];
	const written = names.flatMap(name => {
		const read = readEntry(entriesOf(connections)[name]);
		if ('problem' in read) {
			refused.push({ name, problem: read.problem });
			return [];
		}
		return [[name, read.value] as const];
	});
	return { text: `${JSON.stringify({ [SETTING]: Object.fromEntries(written) }, undefined, '\t')}\n`, refused };
}

/** `taken` are the names that no imported connection may get. */
export function readImportFile(text: string, present: unknown, taken: readonly string[]): ImportFile {
	const json = parseJson(text.replace(/^\uFEFF/, ''));
	if (json === undefined) {
		return { problem: 'not-json' };
	}
	const entries = Object.entries(entriesOf(entriesOf(json)[SETTING]));
	if (entries.length === 0 || isDeeperThan(json, MAXIMUM_DEPTH)) {
		return { problem: 'no-connections' };
	}
	if (entries.length > MAXIMUM_CONNECTIONS) {
		return { problem: 'too-many' };
	}
	const connections: Importable[] = [];
	const refused: { name: string; problem: TransferProblem }[] = [];
	const names = [...taken];
	for (const [name, entry] of entries) {
		const read = readEntry(entry);
		const wrongName = nameProblem(name, []);
		if (wrongName !== undefined && wrongName !== 'taken') {
			refused.push({ name, problem: { kind: 'name' } });
		} else if ('problem' in read) {
			refused.push({ name, problem: read.problem });
		} else {
			const newName = freeName(name, names);
			names.push(newName);
			const own = entriesOf(present)[name];
			const isPresent = own !== undefined && JSON.stringify(sorted(own)) === JSON.stringify(sorted(read.value));
			connections.push({ name, newName, ...read, origins: originsOf(read.value), isPresent });
		}
	}
	return { connections, refused };
}

type ReadEntry = { problem: TransferProblem } | { value: Record<string, unknown>; dropped: string[] };

function readEntry(entry: unknown): ReadEntry {
	const parsed = connectionSchema.safeParse(entry);
	if (!parsed.success) {
		return { problem: { kind: 'invalid', issue: parsed.error.issues[0] as z.core.$ZodIssue, value: entry } };
	}
	const dropped: string[] = [];
	const value = known(entry, parsed.data, '', dropped) as Record<string, unknown>;
	for (const [field, text] of textsIn(value, '')) {
		const kind = holdsSecret(field, text)
			? 'secret'
			: hasInvisible(text)
				? 'hidden'
				: text.length > MAXIMUM_TEXT
					? 'long'
					: undefined;
		if (kind !== undefined) {
			return { problem: { kind, field } };
		}
	}
	return { value, dropped };
}

/** Returns what was written, without the fields that the schema does not know. */
function known(written: unknown, parsed: unknown, path: string, dropped: string[]): unknown {
	if (Array.isArray(written) && Array.isArray(parsed)) {
		return written.map((entry, index) => known(entry, parsed[index], `${path}.${index}`, dropped));
	}
	if (!isRecord(written) || !isRecord(parsed)) {
		return written;
	}
	return Object.fromEntries(
		Object.entries(written).flatMap(([name, value]) => {
			const field = path === '' ? name : `${path}.${name}`;
			if (Object.hasOwn(parsed, name)) {
				return [[name, known(value, parsed[name], field, dropped)]];
			}
			dropped.push(field);
			return [];
		}),
	);
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Yields every text in a value, and every name of a field, with its path. */
function* textsIn(value: unknown, path: string): Generator<[string, string]> {
	if (typeof value === 'string') {
		yield [path, value];
	} else if (typeof value === 'object' && value !== null) {
		for (const [name, inner] of Object.entries(value)) {
			yield [path, name];
			yield* textsIn(inner, path === '' ? name : `${path}.${name}`);
		}
	}
}

function originsOf(value: Record<string, unknown>): string[] {
	const urls = Object.entries(value).filter(([field]) => field.endsWith('Url'));
	return [...new Set(urls.map(([, url]) => new URL(String(url)).origin))];
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) {
		return value.map(sorted);
	}
	return isRecord(value)
		? Object.fromEntries(
				Object.keys(value)
					.sort()
					.map(name => [name, sorted(value[name])]),
			)
		: value;
}
