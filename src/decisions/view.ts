// The contents of the page, made from the host's data.
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { oneLine, plainText } from '../base/plainText.ts';
import { dollars, formatNumber } from '../platform/amounts.ts';
import {
	charactersText,
	isUncertain,
	legendTexts,
	named,
	noteTexts,
	ordersText,
	outcomeText,
	percentText,
	runFacts,
	typeText,
} from './messages.ts';
import { type QuestionOutcome, readOutcomes } from './model/outcome.ts';
import type { QuestionView, ResultView, RowView, SendingView } from './model/protocol.ts';
import type { Run } from './model/run.ts';
import { estimateCost, estimateUsage } from './model/sending.ts';
import type { Prepared } from './subject.ts';

/** The maximum length of a foreign text in one place of the page. */
const MAXIMUM_TEXT = 2_000;
const MAXIMUM_RECEIVED = 10_000;

const shown = (text: string) => oneLine(text, MAXIMUM_TEXT);

/** Returns the view of the request, with its destination and its cost. */
export function sendingView({ target, requests, parts, warnings }: Prepared, model: string): SendingView {
	const { connection, label, isLocal } = target;
	const usage = estimateUsage(requests);
	const cost = estimateCost(connection, model, usage);
	const host = isLocal
		? vscode.l10n.t('{0}: the local service, which uses its model server for decisions', label)
		: `${label}: ${connection.enterpriseUrl ?? vscode.l10n.t('the connection has no address for decisions')}`;
	const questions = requests.reduce((sum, request) => sum + Object.keys(request.questions).length, 0);
	return {
		facts: [
			{ label: vscode.l10n.t('To'), text: host },
			{ label: vscode.l10n.t('Model'), text: named(model) },
			{ label: vscode.l10n.t('Questions'), text: questionsText(questions, requests.length) },
			{
				label: vscode.l10n.t('Tokens'),
				text: vscode.l10n.t('about {0}, as each question reads the whole state', formatNumber(usage.input)),
			},
			{
				label: vscode.l10n.t('Cost'),
				text:
					cost === undefined
						? isLocal
							? vscode.l10n.t('known with the answer, which shows which of your models gave it')
							: vscode.l10n.t('not known: the connection lists no price for this model')
						: vscode.l10n.t('about {0}', dollars(cost)),
			},
		],
		parts: parts.map(({ name, label: from, characters }) => ({
			name: named(name),
			label: shown(from),
			size: charactersText(characters),
		})),
		warnings: [...warnings],
	};
}

function questionsText(questions: number, requests: number): string {
	const count = questions === 1 ? vscode.l10n.t('1 question') : vscode.l10n.t('{0} questions', questions);
	return requests === 1 ? count : vscode.l10n.t('{0}, in {1} requests: one for each order', count, requests);
}

/** Returns the view of a run. */
export function resultView(run: Run): ResultView {
	const outcomes = readOutcomes(run.questions, run.answers);
	return {
		notes: run.ordersDisagree ? [ordersText()] : [],
		facts: runFacts(run),
		questions: outcomes.map(([id, outcome]) => questionView(id, outcome, run)),
		legend: legendTexts(new Set(outcomes.map(([, { type }]) => type))),
		run: run.id,
	};
}

function questionView(id: string, outcome: QuestionOutcome, { questions, lines }: Run): QuestionView {
	const { received } = outcome;
	const isOfLog = outcome.type === 'choice' && lines !== undefined;
	return {
		id: named(id),
		type: typeText(outcome.type),
		instructions: shown(questions[id]?.instructions ?? ''),
		answer: outcomeText(outcome),
		isUncertain: isUncertain(outcome),
		notes: noteTexts(outcome),
		rows: outcome.rows.map(row => {
			const entry = isOfLog && Object.hasOwn(lines, row.name) ? Number(row.name) : undefined;
			return rowView(outcome.type, row, entry);
		}),
		...defined({ received: received === undefined ? undefined : shownJson(received) }),
	};
}

function rowView(
	type: QuestionOutcome['type'],
	{ name, meaning, probability, isChosen }: QuestionOutcome['rows'][number],
	entry: number | undefined,
): RowView {
	const isShare = probability !== undefined && probability >= 0 && probability <= 1;
	return {
		name: entry === undefined ? named(name) : vscode.l10n.t('Entry {0}', formatNumber(entry)),
		meaning: shown(meaning),
		...defined({ share: isShare ? probability : undefined }),
		probability: probability === undefined ? vscode.l10n.t('not provided') : percentText(probability),
		isChosen,
		// A score is an average, so the nearest level need not be the likeliest.
		mark: isChosen ? (type === 'score' ? vscode.l10n.t('nearest') : vscode.l10n.t('chosen')) : '',
		...defined({ entry }),
	};
}

function shownJson(value: unknown): string {
	return plainText((JSON.stringify(value, undefined, 2) ?? '').slice(0, MAXIMUM_RECEIVED));
}
