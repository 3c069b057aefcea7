import type { IncomingHttpHeaders } from 'node:http';
import type { Deviation } from './channelCryptography.ts';

/** The names of the hosts. Each host has its own listener, and so its own origin. */
export type HostName = 'public' | 'enterprise' | 'cloud' | 'agent' | 'org' | 'encrypt';

/** A request as it was received. `path` is still percent-encoded and has no query. */
export interface ReceivedRequest {
	host: HostName;
	method: string;
	path: string;
	query: Record<string, string>;
	headers: IncomingHttpHeaders;
	text: string;
	json: unknown;
}

/** One server-sent event. Data that is a string is sent as it is, anything else as JSON. */
export interface SentEvent {
	event?: string;
	data: unknown;
}

export interface Reply {
	status: number;
	headers: Record<string, string>;
	json?: unknown;
	text?: string;
	events?: SentEvent[];
}

/**
 * The falsifications of a test. Messages are changed in place: a request before it is recorded and checked, a reply
 * before it is sent.
 */
export interface Tampering {
	request?(request: ReceivedRequest): void;
	reply?(reply: Reply, request: ReceivedRequest): void;
	/** The deviation of the channel's enclave from the contract's cryptography. */
	readonly deviation?: Deviation;
}

export type KeyKind = 'inference' | 'cloud' | 'agent';

/** A request with the decoded parts of its path and the key that was accepted. */
export interface Call {
	request: ReceivedRequest;
	parts: string[];
	key: string;
}

/** One endpoint on one kind of host. */
export interface Route {
	hosts: HostName[];
	method: string;
	/** The segments of the path, relative to the origin. `*` matches any one segment. */
	path: string;
	/** The kind of key that the endpoint requires, or null if it takes none. */
	key: KeyKind | null;
	/** Returns an error body in the documented shape of this endpoint. */
	errorBody(status: number, message: string): unknown;
	handle(call: Call): Reply | Promise<Reply>;
}

/** Ends a request with an error status. The route shapes the body unless one is given. */
export class Refusal extends Error {
	readonly status: number;
	readonly body: unknown;

	constructor(status: number, message: string, body?: unknown) {
		super(message);
		this.name = 'Refusal';
		this.status = status;
		this.body = body;
	}
}

export function jsonReply(json: unknown, status = 200): Reply {
	return { status, headers: { 'content-type': 'application/json' }, json };
}

export function eventReply(events: SentEvent[]): Reply {
	return { status: 200, headers: { 'content-type': 'text/event-stream' }, events };
}

/**
 * Returns an error body in the shape that OpenAI-compatible services share. The contract shows none for chat, decisions
 * and the channel.
 */
export function inferenceError(status: number, message: string): unknown {
	return { error: { message, code: status, type: status === 400 ? 'invalid_request_error' : 'service_error' } };
}
