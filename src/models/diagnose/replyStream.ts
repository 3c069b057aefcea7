import * as vscode from 'vscode';
import type { Client } from '../../client/types.ts';
import { errorText } from '../../platform/notify.ts';
import type { AskingContext } from '../hosts/askHost.ts';
import { type DiagnosisFinding, findingsOn } from '../model/diagnosis.ts';

const REPLY_MS = 60_000;
/** Long enough for its parts to be told apart, and a fraction of a cent. */
const REPLY_TOKENS = 300;

/**
 * Checks whether a reply arrives piece by piece, or whether something on the way holds it back until it is complete.
 * The model is asked to count, which may cost money, so the caller must ask the user first.
 */
export async function checkReplyStream(
	model: string,
	label: string,
	{ chat }: Pick<Client, 'chat'>,
	{ clock, signal }: AskingContext,
): Promise<DiagnosisFinding[]> {
	const findings = findingsOn(vscode.l10n.t('Stream of a reply of {0}', model));
	const content = 'Count from 1 to 100, one number a line, and write nothing else.';
	const request = { model, max_tokens: REPLY_TOKENS, messages: [{ role: 'user' as const, content }] };
	const late = AbortSignal.timeout(REPLY_MS);
	const started = clock.now();
	const arrivals: number[] = [];
	try {
		for await (const _ of chat.stream(request, { signal: AbortSignal.any([signal, late]) })) {
			arrivals.push(clock.now() - started);
			if (streamVerdict(arrivals) === 'flows') {
				break;
			}
		}
	} catch (error) {
		signal.throwIfAborted();
		if (!late.aborted) {
			return [findings.problem(errorText(error, label))];
		}
	}
	return [verdictOn(findings, arrivals)];
}

function verdictOn(
	{ fine, problem, unchecked }: ReturnType<typeof findingsOn>,
	arrivals: readonly number[],
): DiagnosisFinding {
	const text = (number = 0) => Math.round(number).toLocaleString(vscode.env.language);
	const [first, last, count] = [text(arrivals[0]), text(arrivals.at(-1)), text(arrivals.length)];
	switch (streamVerdict(arrivals)) {
		case 'flows':
			return fine(vscode.l10n.t('arrives in pieces: {0} pieces between {1} and {2} ms.', count, first, last));
		case 'held-back':
			return problem(
				vscode.l10n.t('all {0} pieces arrived at once, after {1} ms.', count, first),
				vscode.l10n.t(
					'Something between you and the service, such as a proxy or a virus scanner, holds replies back until they’re complete. Its administrator has to turn off buffering for text/event-stream. Add hosts in your own network to http.noProxy. The service may also send replies in one piece itself.',
				),
			);
		case 'nothing':
			return problem(
				vscode.l10n.t('nothing arrived.'),
				vscode.l10n.t('Try again, or see the log with “Errand: Show Log”.'),
			);
		case 'too-short':
			return unchecked(vscode.l10n.t('it was too short to tell whether it was held back.'));
		case 'too-fast':
			return unchecked(vscode.l10n.t('it finished too quickly to tell whether it was held back.'));
	}
}

const FEWEST = 5;
/** Parts that are this far apart were not sent at once. */
const SPREAD_MS = 200;
/** A stream that takes less than this in total does not show whether it is held back. */
const SHORTEST_MS = 1000;

/**
 * Returns whether the parts of a reply have come one after another, as in a stream. `held-back`: all came at once after
 * a wait. `too-short`, `too-fast`: this reply does not show it. Arrivals are in milliseconds since the request was
 * sent.
 */
export function streamVerdict(
	arrivals: readonly number[],
): 'flows' | 'held-back' | 'nothing' | 'too-short' | 'too-fast' {
	const [first, last] = [arrivals[0], arrivals.at(-1)];
	if (first === undefined || last === undefined) {
		return 'nothing';
	}
	if (last - first >= SPREAD_MS) {
		return 'flows';
	}
	if (arrivals.length < FEWEST) {
		return 'too-short';
	}
	return first >= SHORTEST_MS ? 'held-back' : 'too-fast';
}
