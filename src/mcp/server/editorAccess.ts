import http from 'node:http';
import { linesOf } from '../../agents/lines.ts';
import { UserFacingError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import {
	type EditorOutcome,
	type LogEventOfTask,
	MAXIMUM_PIPE_LINE,
	type PipeAnswer,
	type PipeCall,
	pipeAnswers,
	pipeLineSchema,
} from '../../contract/editorPipe.ts';
import type { Access, ActionValues } from './access.ts';

export interface EditorPipe {
	/** The path of the socket, or the name of the pipe. */
	address: string;
	token: string;
}

const GONE =
	'The editor that has started this server does not answer any more. Its window was closed or reloaded: start the server again from the editor.';

/** Sends the calls to the editor, which has the keys, and which asks its user before anything is spent. */
export function createEditorAccess(pipe: EditorPipe): Access {
	return {
		read: (call, asked, signal) => answerOf(pipe, call, asked, signal),
		follow: (asked, signal) => eventsOf(pipe, asked, signal),
		prepare: (call, asked) =>
			Promise.resolve({
				question: undefined,
				run: async (signal: AbortSignal) =>
					(await answerOf(pipe, call, asked, signal)) as EditorOutcome<ActionValues[typeof call]>,
			}),
	};
}

async function* eventsOf(pipe: EditorPipe, asked: object, signal: AbortSignal): AsyncGenerator<LogEventOfTask> {
	for await (const line of answerLines(pipe, 'follow', asked, signal)) {
		if ('event' in line) {
			yield line.event;
		}
	}
}

async function answerOf<Call extends PipeCall>(
	pipe: EditorPipe,
	call: Call,
	asked: object,
	signal: AbortSignal,
): Promise<PipeAnswer<Call>> {
	for await (const line of answerLines(pipe, call, asked, signal)) {
		if ('value' in line) {
			const answer = pipeAnswers[call].safeParse(line.value);
			if (!answer.success) {
				throw new UserFacingError(`The editor’s answer to “${call}” has another form. Start the server again.`, {
					cause: answer.error,
				});
			}
			return answer.data as PipeAnswer<Call>;
		}
	}
	throw new UserFacingError(GONE);
}

/** Yields the lines of an answer. Throws a UserFacingError for a problem, or if the answer ends without a last line. */
async function* answerLines(pipe: EditorPipe, call: PipeCall, asked: object, signal: AbortSignal) {
	const tooLong = () => new UserFacingError('The editor’s answer is too long to be read. Ask for less.');
	const limits = { lineBytes: MAXIMUM_PIPE_LINE, totalBytes: Number.POSITIVE_INFINITY, tooLong, tooMuch: tooLong };
	const response = await send(pipe, call, asked, signal);
	let isWhole = false;
	// An answer may break off. Its lines until then are used, and the last line shows whether it is complete.
	for await (const text of linesOf(response, limits)) {
		const line = pipeLineSchema.safeParse(parseJson(text.toString('utf8'))).data;
		if (line === undefined && response.errored) {
			// It broke off within this line.
			break;
		}
		if (line === undefined) {
			throw new UserFacingError('The editor sent something that cannot be read. Start the server again.');
		}
		if ('problem' in line) {
			throw new UserFacingError(line.problem);
		}
		isWhole = 'value' in line;
		yield line;
	}
	signal.throwIfAborted();
	if (!isWhole) {
		throw new UserFacingError(GONE);
	}
}

function send(
	{ address, token }: EditorPipe,
	call: PipeCall,
	asked: object,
	signal: AbortSignal,
): Promise<http.IncomingMessage> {
	const body = JSON.stringify(asked);
	return new Promise((resolve, reject) => {
		const request = http.request({
			socketPath: address,
			path: `/${call}`,
			method: 'POST',
			agent: false,
			signal,
			headers: {
				authorization: `Bearer ${token}`,
				'content-type': 'application/json',
				'content-length': Buffer.byteLength(body),
			},
		});
		request.on('response', resolve);
		request.on('error', error => reject(signal.aborted ? signal.reason : new UserFacingError(GONE, { cause: error })));
		request.end(body);
	});
}
