// Whether a stream of the service arrives piece by piece, or is held back on the way until it is over.
import * as vscode from 'vscode';
import type { Clock } from '../../base/async.ts';
import type { Client } from '../../client/types.ts';
import { explainError } from '../../platform/notify.ts';
import type { DiagnosisFinding } from '../model/diagnosis.ts';
import { logVerdict, replyVerdict, type StreamTiming, type StreamVerdict } from '../model/streamTiming.ts';

const LOG_MS = 8_000;
const REPLY_MS = 60_000;
/** Once this much has come over this time, the rest tells nothing new. */
const ENOUGH_EVENTS = 3;
const ENOUGH_MS = 2_000;
/** Long enough for the parts of it to be told apart, and a fraction of a cent. */
const REPLY_TOKENS = 300;

export interface StreamOptions {
	client: Client;
	label: string;
	clock: Clock;
	signal: AbortSignal;
}

/** Reads the log of a task that is at work, which costs nothing. Resolves with undefined where there is no such task. */
export async function checkLogStream({
	client,
	label,
	clock,
	signal,
}: StreamOptions): Promise<DiagnosisFinding | undefined> {
	const { tasks } = await client.tasks.list({ status: 'active', limit: 1 });
	signal.throwIfAborted();
	const [task] = tasks;
	if (!task) {
		return undefined;
	}
	const subject = vscode.l10n.t('Stream of a task’s log');
	const read = (ends: AbortSignal) => client.tasks.follow(task.id, { includeStatus: true, signal: ends });
	return finding(subject, label, clock, signal, LOG_MS, read, logVerdict);
}

/** Asks a model to count. This may cost, so the user has been asked before. */
export function checkReplyStream(
	model: string,
	{ client, label, clock, signal }: StreamOptions,
): Promise<DiagnosisFinding> {
	const subject = vscode.l10n.t('Stream of a reply of {0}', model);
	const request = {
		model,
		max_tokens: REPLY_TOKENS,
		messages: [{ role: 'user' as const, content: 'Count from 1 to 100, one number a line, and write nothing else.' }],
	};
	const read = (ends: AbortSignal) => client.chat.stream(request, { signal: ends });
	return finding(subject, label, clock, signal, REPLY_MS, read, replyVerdict);
}

async function finding(
	subject: string,
	label: string,
	clock: Clock,
	signal: AbortSignal,
	limitMs: number,
	read: (ends: AbortSignal) => AsyncIterable<{ type: string }>,
	verdictOf: (timing: StreamTiming) => StreamVerdict,
): Promise<DiagnosisFinding> {
	try {
		const timing = await measure(read, clock, signal, limitMs);
		return { subject, ...verdictText(verdictOf(timing), timing) };
	} catch (error) {
		signal.throwIfAborted();
		return { state: 'problem', subject, found: explainError(error, label).message };
	}
}

async function measure(
	read: (ends: AbortSignal) => AsyncIterable<{ type: string }>,
	clock: Clock,
	signal: AbortSignal,
	limitMs: number,
): Promise<StreamTiming> {
	const started = clock.now();
	const arrivals: number[] = [];
	const enough = new AbortController();
	const ends = AbortSignal.any([signal, enough.signal, AbortSignal.timeout(limitMs)]);
	try {
		for await (const { type } of read(ends)) {
			if (type !== 'reconnecting') {
				arrivals.push(clock.now() - started);
			}
			const [first = 0] = arrivals;
			if (arrivals.length >= ENOUGH_EVENTS && (arrivals.at(-1) ?? 0) - first >= ENOUGH_MS) {
				enough.abort();
			}
		}
		return { arrivals, hasEnded: true };
	} catch (error) {
		signal.throwIfAborted();
		if (ends.aborted) {
			return { arrivals, hasEnded: false };
		}
		throw error;
	}
}

function verdictText(
	verdict: StreamVerdict,
	{ arrivals }: StreamTiming,
): Pick<DiagnosisFinding, 'state' | 'found' | 'step'> {
	const first = Math.round(arrivals[0] ?? 0).toLocaleString(vscode.env.language);
	const last = Math.round(arrivals.at(-1) ?? 0).toLocaleString(vscode.env.language);
	const number = arrivals.length.toLocaleString(vscode.env.language);
	switch (verdict) {
		case 'flows':
			return {
				state: 'fine',
				found: vscode.l10n.t('arrives piece by piece: {0} pieces between {1} and {2} ms.', number, first, last),
			};
		case 'held-back':
			return {
				state: 'problem',
				found:
					arrivals.length === 0
						? vscode.l10n.t('nothing arrived for {0} s, although its beginning is sent at once.', LOG_MS / 1000)
						: vscode.l10n.t('all {0} pieces arrived at once, after {1} ms.', number, first),
				step: vscode.l10n.t(
					'Something on the way holds replies back until they are whole, such as a proxy or a virus scanner. Whoever runs it has to switch buffering off for text/event-stream; a host of your own network belongs into http.noProxy. A service may also send a reply in one piece by itself.',
				),
			};
		case 'nothing':
			return {
				state: 'problem',
				found: vscode.l10n.t('nothing arrived.'),
				step: vscode.l10n.t('Try again, or look into the log with “Errand: Show Log”.'),
			};
		case 'too-short':
			return { state: 'unchecked', found: vscode.l10n.t('it was too short to tell whether it is held back.') };
		case 'too-fast':
			return { state: 'unchecked', found: vscode.l10n.t('it was over too fast to tell whether it is held back.') };
	}
}
