// A decision file: the contract's request as JSON, with sources that fill the state when it is evaluated.
import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { isFields } from '../../base/fields.ts';
import { isNestedDeeper, parseJson } from '../../base/json.ts';
import { decisionRequestSchema } from '../../contract/decisions.ts';

/** The names of decision files. Menus in package.json match on the same pattern, and so does their JSON schema. */
export const DECISION_FILE = /\.decision\.json$/;

const taskPart = { task: z.string().min(1).exactOptional() };

/** The source of a text of the state. It is read when the file is evaluated. */
const sourceSchema = z.discriminatedUnion('from', [
	z.strictObject({ from: z.literal('selection') }),
	/** `path` is relative to the folder of the workspace. */
	z.strictObject({ from: z.literal('file'), path: z.string().min(1) }),
	z.strictObject({ from: z.literal('diff') }),
	/** If no path is given, the problems of all files are read. */
	z.strictObject({ from: z.literal('problems'), path: z.string().min(1).exactOptional() }),
	/** If no task is named, the user is asked for one, once for all sources of the file. */
	z.strictObject({ from: z.literal('task-prompt'), ...taskPart }),
	z.strictObject({ from: z.literal('task-log'), ...taskPart }),
	z.strictObject({ from: z.literal('task-changes'), ...taskPart }),
]);
export type DecisionSource = z.output<typeof sourceSchema>;

/**
 * Every request of the contract is such a file. The sources are beside the state and not in it, because an arbitrary
 * state leaves no form free for them.
 */
export const decisionFileSchema = z.strictObject({
	$schema: z.string().exactOptional(),
	state: decisionRequestSchema.shape.state.exactOptional(),
	/** The sources, by the names that their texts get in the state. */
	sources: z.record(z.string(), sourceSchema).exactOptional(),
	/** If none is named, the connection's model is used. */
	model: decisionRequestSchema.shape.model.exactOptional(),
	questions: decisionRequestSchema.shape.questions,
});
export type DecisionFile = z.output<typeof decisionFileSchema>;

/**
 * The maximum length of a file, in UTF-16 code units. A file may come from anybody, and reading a longer one would
 * block the extension. Large texts come from sources.
 */
export const MAXIMUM_FILE_LENGTH = 1_000_000;
const MAXIMUM_LEVELS = 100;

/**
 * A reason to refuse a file. `path` names the field, such as `questions.mood.criteria[1]`, unless the problem is about
 * the whole file.
 */
export type FileProblem =
	| { kind: 'not-json' | 'too-long' | 'too-deep' | 'no-state' }
	| { kind: 'same-name' | 'reserved-name' | 'empty-instructions'; path: string }
	| { kind: 'invalid'; path: string; message: string }
	| { kind: 'unknown-path'; path: string; named: string };

/** Parses the text of a file, or returns its first problem, including those that its JSON schema cannot express. */
export function readDecisionFile(text: string): { file: DecisionFile } | { problem: FileProblem } {
	if (text.length > MAXIMUM_FILE_LENGTH) {
		return { problem: { kind: 'too-long' } };
	}
	if (isNestedDeeper(text, MAXIMUM_LEVELS)) {
		return { problem: { kind: 'too-deep' } };
	}
	const value = parseJson(text);
	if (value === undefined) {
		return { problem: { kind: 'not-json' } };
	}
	const { data, error } = decisionFileSchema.safeParse(value);
	if (error) {
		const [issue] = error.issues;
		return { problem: { kind: 'invalid', path: pathText(issue?.path ?? []), message: issue?.message ?? '' } };
	}
	const { state, sources, questions } = value as DecisionFile;
	const reserved = pathTo({ sources, questions }, member => isFields(member) && Object.hasOwn(member, '__proto__'));
	if (reserved) {
		return { problem: { kind: 'reserved-name', path: pathText([...reserved, '__proto__']) } };
	}
	const infinite = pathTo({ state }, member => typeof member === 'number' && !Number.isFinite(member));
	if (infinite) {
		return { problem: { kind: 'invalid', path: pathText(infinite), message: 'allowed: a number below 1.8e308' } };
	}
	// The state is taken as it was written, because parsing drops a member that is called `__proto__`.
	const file = { ...data, ...defined({ state }) };
	const problem = problemOf(file);
	return problem ? { problem } : { file };
}

const pathText = (path: readonly PropertyKey[]): string =>
	path
		.map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
		.join('')
		.replace(/^\./, '');

/**
 * Finds what the request would lack: parsing drops a member that is called `__proto__`, and a number that is too large
 * would be sent as null.
 */
function pathTo(value: unknown, isSought: (value: unknown) => boolean): string[] | undefined {
	if (isSought(value)) {
		return [];
	}
	for (const [name, member] of isFields(value) || Array.isArray(value) ? Object.entries(value) : []) {
		const path = pathTo(member, isSought);
		if (path) {
			return [name, ...path];
		}
	}
	return undefined;
}

function problemOf({ state, sources = {}, questions }: DecisionFile): FileProblem | undefined {
	const names = Object.keys(sources);
	if (state === undefined && names.length === 0) {
		return { kind: 'no-state' };
	}
	const twice = names.find(name => state !== undefined && Object.hasOwn(state, name));
	if (twice !== undefined) {
		return { kind: 'same-name', path: pathText(['sources', twice]) };
	}
	// The sources have not been read yet; each becomes a text.
	const known = { ...state, ...Object.fromEntries(names.map(name => [name, ''])) };
	for (const [id, { instructions }] of Object.entries(questions)) {
		const path = pathText(['questions', id, 'instructions']);
		if (instructions.trim() === '') {
			return { kind: 'empty-instructions', path };
		}
		const named = unknownPath(instructions, known);
		if (named !== undefined) {
			return { kind: 'unknown-path', path, named };
		}
	}
	return undefined;
}

/**
 * `state.task.log`, `state.files[0]`: the form in which instructions name a part of the state unambiguously. Inside
 * something else, such as `this.state.busy`, it is code that they are about.
 */
const NAMED_PATH = /(?<![\p{L}\p{N}_$.])state((?:\.[\p{L}_][\p{L}\p{N}_-]*|\.\d+|\[\d+\])+)/gu;

/** Returns the first path in instructions that the state does not have. */
function unknownPath(instructions: string, state: object): string | undefined {
	for (const [named, path = ''] of instructions.matchAll(NAMED_PATH)) {
		const steps = path.split(/[.[\]]+/).filter(step => step !== '');
		if (!hasPath(state, steps)) {
			return named;
		}
	}
	return undefined;
}

/**
 * Every path into a text counts as found: the text may be JSON or a log, in which the model can find the part itself.
 */
function hasPath(state: object, steps: readonly string[]): boolean {
	let value: unknown = state;
	for (const step of steps) {
		if (typeof value === 'string') {
			return true;
		}
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
			return false;
		}
		value = Reflect.get(value, step);
	}
	return true;
}
