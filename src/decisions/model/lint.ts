// What is wrong or unwise in a decision file, beyond what its JSON schema says.
import { MAXIMUM_CRITERIA, MAXIMUM_QUESTIONS } from '../../contract/decisions.ts';

export type LintFinding = { path: readonly (string | number)[] } & (
	| { kind: 'no-state' }
	| { kind: 'same-name'; name: string }
	| { kind: 'reserved-name' }
	| { kind: 'no-other' }
	| { kind: 'empty-instructions' }
	| { kind: 'empty-description' }
	| { kind: 'too-many-questions'; count: number }
	| { kind: 'too-many-criteria'; count: number }
	| { kind: 'unknown-path'; named: string }
);

type Fields = Record<string, unknown>;

/** Options by which a model can say that none of the others applies (contract: inference.md, choice). */
const OTHERS = ['other', 'none_of_the_above'];

/** `state.task.log`, `state.files[0]`: the way in which instructions name a part of the state for certain. */
const NAMED_PATH = /\bstate((?:\.[\p{L}_][\p{L}\p{N}_-]*|\.\d+|\[\d+\])+)/gu;

/** A path in backquotes counts only where it begins with a name of the state, because anything may stand in backquotes. */
const QUOTED_PATH = /`([\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+|\[\d+\])+)`/gu;

/**
 * Returns what is to be said of the content of a file. `value` is any JSON: parts that have another form are left to the
 * schema.
 */
export function lintDecision(value: unknown): LintFinding[] {
	if (!isFields(value)) {
		return [];
	}
	const { state, sources, questions } = value;
	return [
		...lintState(state, sources),
		...(isFields(questions) ? lintQuestions(questions, knownState(state, sources)) : []),
	];
}

function lintState(state: unknown, sources: unknown): LintFinding[] {
	const findings: LintFinding[] = [];
	if (state === undefined && (!isFields(sources) || Object.keys(sources).length === 0)) {
		findings.push({ kind: 'no-state', path: [] });
	}
	for (const name of Object.keys(isFields(sources) ? sources : {})) {
		if (isFields(state) && Object.hasOwn(state, name)) {
			findings.push({ kind: 'same-name', name, path: ['sources', name] });
		}
		if (name === '__proto__') {
			findings.push({ kind: 'reserved-name', path: ['sources', name] });
		}
	}
	return findings;
}

function lintQuestions(questions: Fields, state: unknown): LintFinding[] {
	const ids = Object.keys(questions);
	const findings: LintFinding[] = [];
	if (ids.length > MAXIMUM_QUESTIONS) {
		findings.push({ kind: 'too-many-questions', count: ids.length, path: ['questions'] });
	}
	const ofQuestions = ids.flatMap((id): LintFinding[] => {
		const question = questions[id];
		const path = ['questions', id];
		const reserved: LintFinding[] = id === '__proto__' ? [{ kind: 'reserved-name', path }] : [];
		return isFields(question) ? reserved.concat(lintQuestion(question, path, state)) : reserved;
	});
	return findings.concat(ofQuestions);
}

function lintQuestion(
	{ type, instructions, criteria }: Fields,
	path: readonly string[],
	state: unknown,
): LintFinding[] {
	const findings: LintFinding[] = [];
	if (typeof instructions === 'string') {
		const place = [...path, 'instructions'];
		if (instructions.trim() === '') {
			findings.push({ kind: 'empty-instructions', path: place });
		}
		for (const named of unknownPaths(instructions, state)) {
			findings.push({ kind: 'unknown-path', named, path: place });
		}
	}
	if (typeof criteria !== 'object' || criteria === null) {
		return findings;
	}
	const place = [...path, 'criteria'];
	const entries = Object.entries(criteria);
	if (entries.length > MAXIMUM_CRITERIA) {
		findings.push({ kind: 'too-many-criteria', count: entries.length, path: place });
	}
	if (type === 'choice' && entries.length > 0 && !entries.some(([name]) => OTHERS.includes(name))) {
		findings.push({ kind: 'no-other', path: place });
	}
	for (const [name, description] of entries) {
		if (name === '__proto__') {
			findings.push({ kind: 'reserved-name', path: [...place, name] });
		}
		if (typeof description === 'string' && description.trim() === '') {
			findings.push({ kind: 'empty-description', path: [...place, name] });
		}
	}
	return findings;
}

/** The state as far as it is known before the sources are read: each of them becomes a text. */
function knownState(state: unknown, sources: unknown): Fields {
	const names = Object.keys(isFields(sources) ? sources : {});
	return { ...Object.fromEntries(names.map(name => [name, ''])), ...(isFields(state) ? state : {}) };
}

function unknownPaths(instructions: string, state: unknown): string[] {
	const named = Array.from(instructions.matchAll(NAMED_PATH), ([whole, path = '']) => ({
		whole,
		steps: stepsOf(path),
	}));
	const quoted = Array.from(instructions.matchAll(QUOTED_PATH), ([, path = '']) => ({
		whole: path,
		steps: stepsOf(path),
	})).filter(({ steps: [first = ''] }) => isFields(state) && Object.hasOwn(state, first));
	const unknown = [...named, ...quoted].filter(({ steps }) => !hasPath(state, steps));
	return [...new Set(unknown.map(({ whole }) => whole))];
}

const stepsOf = (path: string): string[] => path.split(/[.[\]]+/).filter(step => step !== '');

function hasPath(state: unknown, steps: readonly string[]): boolean {
	let value = state;
	for (const step of steps) {
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
			return false;
		}
		value = Reflect.get(value, step);
	}
	return true;
}

function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
