import type { IncomingHttpHeaders } from 'node:http';

/** Each its own listener, and so its own origin. */
export type HostName = 'public' | 'enterprise' | 'cloud' | 'agent' | 'org' | 'encrypt';

/** A request as it came. `path` is percent-encoded as received, without the query. */
export interface ReceivedRequest {
	host: HostName;
	method: string;
	path: string;
	query: Record<string, string>;
	headers: IncomingHttpHeaders;
	text: string;
	json: unknown;
}

/** One server-sent event. Data that is a string goes out as it is, anything else as JSON. */
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

/** Changes in place: the request before it is recorded and checked, the reply before it is sent. */
export interface Tampering {
	request?(request: ReceivedRequest): void;
	reply?(reply: Reply, request: ReceivedRequest): void;
}

export type KeyKind = 'inference' | 'cloud' | 'agent';

/** What a handler is given beside the request: the path's parts, decoded, and the key that was accepted. */
export interface Call {
	request: ReceivedRequest;
	parts: string[];
	key: string;
}

/** One endpoint on one kind of host. */
export interface Route {
	hosts: HostName[];
	method: string;
	/** Segments, relative to the origin; `*` takes any one segment. */
	path: string;
	/** The kind of key that it wants; null for endpoints that take none. */
	key: KeyKind | null;
	/** The documented shape of an error body here. */
	errorBody(status: number, message: string): unknown;
	handle(call: Call): Reply | Promise<Reply>;
}

/** Ends a request with an error status; the route shapes the body unless there is one. */
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

/** The error shape that OpenAI-compatible services share; the contract shows none for chat, decisions and the channel. */
export function inferenceError(status: number, message: string): unknown {
	return { error: { message, code: status, type: status === 400 ? 'invalid_request_error' : 'service_error' } };
}
