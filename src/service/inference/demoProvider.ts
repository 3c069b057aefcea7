import type { Clock } from '../../base/async.ts';
import type { ChatRequest } from '../../contract/chatRequest.ts';
import { type ChatProvider, type ProviderEvent, ProviderFailure } from './chatProvider.ts';
import { demoReply, textOf } from './demoScripts.ts';

/** The provider that is always there. Its tokens are words, and it says in every reply that it is no model. */
export function demoProvider(clock: Clock): ChatProvider {
	return {
		slug: 'demo',
		models: ['demo'],
		stream: (request, signal) => stream(request, signal, clock),
	};
}

async function* stream(request: ChatRequest, signal: AbortSignal, clock: Clock): AsyncGenerator<ProviderEvent> {
	const reply = demoReply(request.messages);
	const { pieces, reason } = limit(piecesOf(untilStop(reply.text, request.stop ?? [])), request.max_tokens);
	for (const text of pieces) {
		yield { type: 'text', text };
		await clock.sleep(reply.pauseMs, signal);
	}
	if (reply.breaksWith === 'cut') {
		throw new ProviderFailure('cut', 'The connection was cut, as asked.');
	}
	if (reply.breaksWith === 'error') {
		throw new ProviderFailure('upstream_error', 'The demo was asked to fail in the middle of its reply (/demo error).');
	}
	yield { type: 'finish', reason };
	const prompt = request.messages.reduce((count, message) => count + piecesOf(textOf(message)).length, 0);
	yield {
		type: 'usage',
		usage: { prompt_tokens: prompt, completion_tokens: pieces.length, total_tokens: prompt + pieces.length },
	};
}

/** Word by word, each with the white space before it. Joined again they are the text, byte for byte. */
export function piecesOf(text: string): string[] {
	// No pattern that looks past a run of white space: it would try again from each place within.
	const pieces: string[] = [];
	let space = '';
	for (const run of text.match(/\s+|\S+/g) ?? []) {
		if (run.trim() === '') {
			space = run;
		} else {
			pieces.push(space + run);
			space = '';
		}
	}
	if (space !== '') {
		pieces.push((pieces.pop() ?? '') + space);
	}
	return pieces;
}

function untilStop(text: string, stops: readonly string[]): string {
	let first = text.length;
	for (const stop of new Set(stops)) {
		const end = stop === '' ? -1 : text.indexOf(stop);
		if (end >= 0 && end < first) {
			first = end;
		}
	}
	return text.slice(0, first);
}

function limit(pieces: string[], maximum: number | undefined): { pieces: string[]; reason: 'stop' | 'length' } {
	return maximum !== undefined && pieces.length > maximum
		? { pieces: pieces.slice(0, maximum), reason: 'length' }
		: { pieces, reason: 'stop' };
}
