// Why did a task fail? The questions about its log.
import { defined } from '../../base/defined.ts';
import { cut } from '../../base/plainText.ts';
import type { Questions } from '../../contract/decisions.ts';
import type { LogEntryText, TaskFacts } from '../../tasks/api.ts';
import type { Asked } from './sending.ts';

/** A choice of at most 26 options can be answered with one letter, whose probability a model server can return. */
const MAXIMUM_CANDIDATES = 25;
/** The last entries are candidates whatever their text. */
const LAST_CANDIDATES = 3;
/** The parts of the log that are sent: its beginning, which shows the setup, and its end. */
const FIRST_ENTRIES = 20;
const LAST_ENTRIES = 180;
const MAXIMUM_ENTRY = 400;
const MAXIMUM_PROMPT = 8_000;

const SOUNDS_WRONG =
	/\b(?:error|err!|fail(?:ed|ure|ing|s)?|fatal|panic|exception|traceback|denied|refused|forbidden|cannot|could not|not found|no such|missing|invalid|timed? ?out|killed|aborted|exceeded|out of memory|conflict)\b/i;

/** The question whose options are entries of the log, by their indexes. */
export const LINE_QUESTION = 'line';

const CAUSES: Record<string, string> = {
	tests_failed: 'The agent finished its work, but tests, a build or a check did not pass.',
	agent_mistake: 'The agent misunderstood the task, went in circles or broke something itself.',
	unclear_prompt: 'The prompt was too vague, contradicted itself, or asked for something that is not possible.',
	missing_dependency: 'A program, a package or a file that the work needs was not there.',
	configuration: 'Settings, credentials, permissions or the sandbox did not allow what was needed.',
	network_or_service: 'A network, a model server or another service failed or refused.',
	limit_reached: 'A limit of time, cost, memory or disk space was reached.',
	git_conflict: 'The branch could not be read, merged or pushed.',
	other: 'None of these, or the log does not say.',
};

/** Returns the request, and the entries whose indexes its answers may name. */
export function triageRequest(
	task: Pick<TaskFacts, 'prompt' | 'status' | 'error'>,
	log: readonly LogEntryText[],
): { asked: Asked; lines: LogEntryText[] } {
	const lines = candidatesOf(log);
	const state = {
		prompt: cut(task.prompt, MAXIMUM_PROMPT),
		status: task.status,
		...defined({ error: task.error === undefined ? undefined : cut(task.error, MAXIMUM_ENTRY) }),
		entries_of_log: log.length,
		log: sentEntries(log).map(({ index, text }) => ({ index, text: cut(text, MAXIMUM_ENTRY) })),
	};
	const options = Object.fromEntries(lines.map(({ index, text }) => [String(index), cut(text, MAXIMUM_ENTRY)]));
	const questions: Questions = {
		cause: {
			type: 'choice',
			instructions: 'Why did the task in state.prompt fail, judged by state.status and the entries of state.log?',
			criteria: CAUSES,
		},
		...(lines.length === 0
			? {}
			: {
					[LINE_QUESTION]: {
						type: 'choice',
						instructions: 'Which entry of state.log, named by its index, shows best why the task failed?',
						criteria: { ...options, none_of_the_above: 'None of these entries shows it.' },
					},
				}),
		again: {
			type: 'noul',
			instructions: 'The same task would succeed if it were started again without any change.',
			criteria: {
				true: 'What went wrong was temporary and not caused by the task, its prompt or the repository.',
				false: 'The same would go wrong again until something is changed.',
			},
		},
	};
	return { asked: { state, questions }, lines };
}

/**
 * Returns the entries that may be decisive, in the order of the log. If there are too many, the later ones take
 * precedence.
 */
function candidatesOf(log: readonly LogEntryText[]): LogEntryText[] {
	const written = log.filter(({ text }) => text.trim() !== '');
	const last = written.slice(-LAST_CANDIDATES);
	const before = written.slice(0, -LAST_CANDIDATES);
	const marked = before.filter(({ isProblem }) => isProblem);
	const wordy = before.filter(({ isProblem, text }) => !isProblem && SOUNDS_WRONG.test(text));
	const chosen = [...last, ...marked.reverse(), ...wordy.reverse()].slice(0, MAXIMUM_CANDIDATES);
	return chosen.sort((one, other) => one.index - other.index);
}

function sentEntries(log: readonly LogEntryText[]): readonly LogEntryText[] {
	return log.length <= FIRST_ENTRIES + LAST_ENTRIES
		? log
		: [...log.slice(0, FIRST_ENTRIES), ...log.slice(-LAST_ENTRIES)];
}
