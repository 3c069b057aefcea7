// The messages about decisions, in the editor's language.
import * as vscode from 'vscode';
import { ClientError } from '../base/errors.ts';
import { oneLine } from '../base/plainText.ts';
import type { Question } from '../contract/decisions.ts';
import { dollars, formatNumber } from '../platform/amounts.ts';
import { type Explanation, explainError, quote } from '../platform/notify.ts';
import { type FileProblem, MAXIMUM_FILE_LENGTH } from './model/decisionFile.ts';
import type { QuestionOutcome } from './model/outcome.ts';
import { MAXIMUM_RUNS, type Run } from './model/run.ts';

const MAXIMUM_NAME = 80;
/** A message about a file may repeat names from it, which may be of any length. */
const MAXIMUM_MESSAGE = 200;

/** Shortens a name given by others to fit into a sentence. */
export const named = (text: string): string => oneLine(text, MAXIMUM_NAME);

const shortened = (text: string): string => oneLine(text, MAXIMUM_MESSAGE);

const percents = new Intl.NumberFormat(vscode.env.language, { style: 'percent', maximumFractionDigits: 1 });

export const percentText = (probability: number): string => percents.format(probability);

export const opinionText = (): string =>
	vscode.l10n.t('The answers are a model’s opinion. Check them yourself before you act on them.');

/** Describes the problem with a file. */
export function fileProblemText(problem: FileProblem): string {
	switch (problem.kind) {
		case 'not-json':
			return vscode.l10n.t('The file isn’t valid JSON. Fix what the Problems view shows, then evaluate again.');
		case 'too-long':
			return vscode.l10n.t(
				'The file is longer than {0} characters, so it can’t be evaluated. Use “sources” to read large texts.',
				formatNumber(MAXIMUM_FILE_LENGTH),
			);
		case 'too-deep':
			return vscode.l10n.t('The file is nested too deeply. Flatten its state, then evaluate again.');
		case 'no-state':
			return vscode.l10n.t('The questions have no subject. Add “state”, or “sources” to read it from.');
		case 'same-name':
			return vscode.l10n.t(
				'“{0}” is also in the state, so one of them would be lost. Rename the source.',
				shortened(problem.path),
			);
		case 'reserved-name':
			return vscode.l10n.t(
				'“{0}” can’t be sent because “__proto__” isn’t allowed as a name. Use a different name.',
				shortened(problem.path),
			);
		case 'empty-instructions':
			return vscode.l10n.t(
				'“{0}” is empty, so there’s nothing to ask the model. Enter the question.',
				shortened(problem.path),
			);
		case 'unknown-path':
			return vscode.l10n.t(
				'“{0}” refers to “{1}”, which isn’t in the state. Correct the path, or add that part to “state” or “sources”.',
				shortened(problem.path),
				named(problem.named),
			);
		case 'invalid':
			return vscode.l10n.t(
				'The file isn’t a valid decision: {0} {1}. Correct it, then evaluate again.',
				problem.path === '' ? '' : `“${shortened(problem.path)}”:`,
				shortened(problem.message),
			);
	}
}

/** Explains an error of an evaluation. */
export function explainDecision(error: unknown, connection: string, model: string): Explanation {
	if (ClientError.is(error, 'not-found') && !error.isPage) {
		return {
			message:
				vscode.l10n.t(
					'{0} has no decision model “{1}”, or doesn’t support decisions at its address. Select a different model or connection.',
					connection,
					named(model),
				) + quote(error.serviceMessage),
		};
	}
	return explainError(error, connection);
}

export function typeText(type: Question['type']): string {
	switch (type) {
		case 'choice':
			return vscode.l10n.t('Which one applies?');
		case 'score':
			return vscode.l10n.t('How much?');
		case 'noul':
			return vscode.l10n.t('Is it true?');
	}
}

/** Returns the answer in words. */
export function outcomeText({ type, answer, rows, certainty }: QuestionOutcome): string {
	if (answer === undefined) {
		return certainty === 'even' ? vscode.l10n.t('Undecided') : vscode.l10n.t('No answer');
	}
	if (type === 'noul') {
		return vscode.l10n.t('{0} likely to be true', percentText(Number(answer)));
	}
	if (type === 'score') {
		return vscode.l10n.t('{0} on a scale from 0 to {1}', formatScore(Number(answer)), rows.length - 1);
	}
	const share = rows.find(({ isChosen }) => isChosen)?.probability;
	return share === undefined ? named(String(answer)) : `${named(String(answer))} · ${percentText(share)}`;
}

const formatScore = (score: number) => formatNumber(Math.round(score * 100) / 100);

/** Returns the notes about an answer, its uncertainty first. */
export function noteTexts(outcome: QuestionOutcome): string[] {
	const { certainty, rivals, isStated, received, confidence, type } = outcome;
	const notes: string[] = [];
	if (received !== undefined) {
		notes.push(vscode.l10n.t('The service didn’t answer this question in the expected form. Its response is below.'));
	} else if (certainty === 'even') {
		const [first, second] = rivals;
		if (type === 'noul') {
			notes.push(vscode.l10n.t('Uncertain: near 50 % means that the model doesn’t know.'));
		} else if (first !== undefined && second !== undefined) {
			notes.push(vscode.l10n.t('Uncertain: “{0}” and “{1}” are almost equally likely.', named(first), named(second)));
		}
	} else if (certainty === 'doubtful') {
		notes.push(vscode.l10n.t('Uncertain: even the most likely answer isn’t likely.'));
	} else if (certainty === 'contradictory') {
		notes.push(
			vscode.l10n.t('Uncertain: the service reports “{0}” as more likely than its own answer.', named(rivals[0] ?? '')),
		);
	} else if (certainty === 'unknown') {
		notes.push(vscode.l10n.t('Uncertain: the service didn’t report how likely its answer is.'));
	}
	if (isStated) {
		notes.push(vscode.l10n.t('The model states this probability itself. It hasn’t been measured.'));
	}
	if (confidence !== undefined && !outcome.rows.some(({ probability }) => probability === confidence)) {
		notes.push(vscode.l10n.t('The service reports its confidence as {0}.', percentText(confidence)));
	}
	return notes;
}

export const isUncertain = ({ certainty }: QuestionOutcome): boolean => certainty !== 'clear';

export const ordersText = (): string =>
	vscode.l10n.t(
		'Uncertain: with the changes in the opposite order, the model preferred a different one. So the order decided, not the changes.',
	);

/** Explains the parts of the page, for the types of questions that it shows. */
export function legendTexts(types: ReadonlySet<Question['type']>): string[] {
	return [
		vscode.l10n.t('A bar shows the probability that the model gives an answer. Answers without a bar have none.'),
		...(types.has('score') ? [vscode.l10n.t('A score can be between two levels, because it’s a mean.')] : []),
		...(types.has('noul')
			? [
					vscode.l10n.t(
						'“Is it true?” (noul) is answered with the probability that the statement is true: 100 % is certainly true, 0 % certainly false, and near 50 % the model does not know.',
					),
				]
			: []),
		vscode.l10n.t('“Uncertain” means that two answers are almost equally likely, or none is likely.'),
	];
}

export function timeText(at: string): string {
	return new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'medium' }).format(
		new Date(at),
	);
}

/** Returns the facts about a run: labels with their texts. */
export function runFacts(run: Run): { label: string; text: string }[] {
	const { asked, model, servedBy, usage, cost, requests, state } = run;
	const resolved = model === undefined || model === asked ? named(asked) : `${named(asked)} → ${named(model)}`;
	return [
		{ label: vscode.l10n.t('Time'), text: timeText(run.at) },
		{ label: vscode.l10n.t('Connection'), text: named(run.connection) },
		{ label: vscode.l10n.t('Model'), text: resolved },
		...(servedBy.length === 0 ? [] : [{ label: vscode.l10n.t('Answered by'), text: servedBy.map(named).join(', ') }]),
		{
			label: vscode.l10n.t('Usage'),
			text: usage
				? vscode.l10n.t('{0} tokens in, {1} out', formatNumber(usage.input), formatNumber(usage.output))
				: vscode.l10n.t('not reported by the service'),
		},
		{
			label: vscode.l10n.t('Cost'),
			text:
				cost === undefined
					? vscode.l10n.t('not known: the connection lists no price, or the service reports no usage')
					: dollars(cost),
		},
		{ label: vscode.l10n.t('State'), text: charactersText(state.characters) },
		...(requests > 1 ? [{ label: vscode.l10n.t('Requests'), text: formatNumber(requests) }] : []),
	];
}

export const charactersText = (count: number): string =>
	count === 1 ? vscode.l10n.t('1 character') : vscode.l10n.t('{0} characters', formatNumber(count));

export const historyLimitText = (): string =>
	vscode.l10n.t(
		'The last {0} results are saved on this machine, with their questions but without the state.',
		MAXIMUM_RUNS,
	);
