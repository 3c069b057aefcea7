import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ENTERPRISE_PATH } from '../../../src/contract/localConnection.ts';
import type { ReceivedRequest, Reply, SentEvent, Tampering } from '../../support/contractServer/contractServer.ts';

type Fetch = (target: string, init?: RequestInit) => Promise<Response>;

/**
 * Falsifies the replies that come from a service, as something between it and its client could. The events of a stream
 * are falsified one at a time, as they come, so that a stream that never ends can be falsified too. Requests stay as they
 * are: what a client must not send is not the service's fault.
 */
export function tamperedFetch(fetch: Fetch, { reply: falsify }: Tampering): Fetch {
	return async (target, init = {}) => {
		const response = await fetch(target, init);
		if (falsify === undefined) {
			return response;
		}
		const request = requestOf(target, init);
		const headers = Object.fromEntries(response.headers);
		// The body is sent anew, in another length and without a coding.
		for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) {
			delete headers[name];
		}
		if (/^text\/event-stream/.test(headers['content-type'] ?? '') && response.body) {
			const { status } = response;
			const events = response.body
				.pipeThrough(new TextDecoderStream())
				.pipeThrough(new EventSourceParserStream())
				.pipeThrough(
					new TransformStream<{ event?: string | undefined; data: string }, string>({
						transform({ event, data }, controller) {
							const sent = { ...(event === undefined ? {} : { event }), data: parsed(data) ?? data };
							const reply: Reply = { status, headers, events: [sent] };
							falsify(reply, request);
							for (const changed of reply.events ?? []) {
								controller.enqueue(written(changed));
							}
						},
					}),
				)
				.pipeThrough(new TextEncoderStream());
			// The status stands before the first event comes, so a falsified one needs a reply without events.
			const head: Reply = { status, headers };
			falsify(head, request);
			return new Response(events, { status: head.status, headers: head.headers });
		}
		const text = await response.text();
		const json = parsed(text);
		const reply: Reply = { status: response.status, headers, ...(json === undefined ? { text } : { json }) };
		falsify(reply, request);
		const body = reply.json === undefined ? (reply.text ?? '') : JSON.stringify(reply.json);
		return new Response(body === '' ? null : body, { status: reply.status, headers: reply.headers });
	};
}

function requestOf(target: string, { method = 'GET', headers, body }: RequestInit): ReceivedRequest {
	const { pathname, searchParams } = new URL(target, 'http://service.invalid');
	const isEnterprise = pathname.startsWith(`${ENTERPRISE_PATH}/`);
	const text = typeof body === 'string' ? body : '';
	return {
		host: isEnterprise ? 'enterprise' : 'public',
		method,
		path: isEnterprise ? pathname.slice(ENTERPRISE_PATH.length) : pathname,
		query: Object.fromEntries(searchParams),
		headers: Object.fromEntries(new Headers(headers)),
		text,
		json: parsed(text),
	};
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function written({ event, data }: SentEvent): string {
	const text = typeof data === 'string' ? data : JSON.stringify(data);
	const lines = text.split('\n').map(line => `data: ${line}\n`);
	return `${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`;
}
