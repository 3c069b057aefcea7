import http from 'node:http';
import type * as z from 'zod';
import { ClientError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { Discovery } from '../../contract/control.ts';
import { readErrorBody } from '../../contract/errorBody.ts';
import { codeOfStatus, failureOf } from '../core/failures.ts';

interface ExchangeLimits {
	/**
	 * The limit for the whole reply. A limit on inactivity alone would wait forever for a reply that arrives byte by
	 * byte.
	 */
	timeoutMs: number;
	/** The maximum length of the reply in characters. */
	maximumLength: number;
}

/**
 * Sends one request to the service or its pipe, and resolves with the reply's JSON. Rejects with a ClientError, also
 * for any status other than 200, or with the reason of `signal` when it aborts.
 */
export function askService(
	options: http.RequestOptions,
	{ timeoutMs, maximumLength }: ExchangeLimits,
	body?: string,
	signal?: AbortSignal,
): Promise<unknown> {
	return withinTime(timeoutMs, signal, async ends => {
		const response = await openReply({ ...options, signal: ends }, maximumLength, body);
		const value = parseJson(await textOf(response, maximumLength));
		if (value === undefined) {
			throw new ClientError('bad-response', 'the answer is not JSON');
		}
		return value;
	});
}

/** Runs an exchange, and rejects as `askService` does. */
export async function withinTime<T>(
	timeoutMs: number,
	signal: AbortSignal | undefined,
	run: (ends: AbortSignal) => Promise<T>,
): Promise<T> {
	const timeout = AbortSignal.timeout(timeoutMs);
	try {
		return await run(signal ? AbortSignal.any([timeout, signal]) : timeout);
	} catch (error) {
		signal?.throwIfAborted();
		throw timeout.aborted
			? new ClientError('timeout', 'the service did not answer in time', { cause: error })
			: failureOf(error);
	}
}

/** Resolves with the reply, whose body is unread, or rejects with the error for a status other than 200. */
export async function openReply(
	options: http.RequestOptions,
	maximumLength: number,
	body?: string,
): Promise<http.IncomingMessage> {
	const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
		http
			.request({ ...options, agent: false }, resolve)
			.on('error', reject)
			.end(body);
	});
	if (response.statusCode === 200) {
		return response;
	}
	const { statusCode: status = 0 } = response;
	const { message: serviceMessage } = readErrorBody(await textOf(response, maximumLength));
	throw new ClientError(codeOfStatus(status), `the service answered with ${status}`, { status, serviceMessage });
}

async function textOf(response: http.IncomingMessage, maximumLength: number): Promise<string> {
	let text = '';
	for await (const piece of response.setEncoding('utf8')) {
		text += piece;
		if (text.length > maximumLength) {
			// Leaving the loop ends the request.
			throw new ClientError('bad-response', 'the answer is too long');
		}
	}
	return text;
}

/** A request to one of the service's own paths, beyond the contract. */
interface ControlQuestion<T extends z.ZodType> {
	path: string;
	reply: T;
	timeoutMs: number;
	/** Sent as the body of a `POST`. Without one, the question is a `GET`. */
	body?: unknown;
	signal?: AbortSignal | undefined;
}

const MAXIMUM_CONTROL_LENGTH = 16 * 1024 * 1024;

/** Asks the service and parses its reply. Rejects with a ClientError, or with the reason of the question's signal. */
export async function askControl<T extends z.ZodType>(
	{ address, token }: Pick<Discovery, 'address' | 'token'>,
	{ path, reply, timeoutMs, body, signal }: ControlQuestion<T>,
): Promise<z.output<T>> {
	const answer = await askService(
		{
			...requestOptionsFor(address, path),
			method: body === undefined ? 'GET' : 'POST',
			headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
		},
		{ timeoutMs, maximumLength: MAXIMUM_CONTROL_LENGTH },
		body === undefined ? undefined : JSON.stringify(body),
		signal,
	);
	const parsed = reply.safeParse(answer);
	if (!parsed.success) {
		throw new ClientError('bad-response', `the answer of ${path} has another form`, { cause: parsed.error });
	}
	return parsed.data;
}

export function requestOptionsFor(address: string, path: string): http.RequestOptions {
	const { hostname, port } = new URL(address);
	return { hostname, port, path };
}
