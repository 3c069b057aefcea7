import type { ReceivedRequest, Reply, SentEvent, Tampering } from '../../support/contractServer/contractServer.ts';

/**
 * A falsification of what goes over the wire, or of the enclave's cryptography. A falsified request is a fault of the
 * client, a falsified reply one of the service; each proof of the requirement that it reaches must notice it.
 */
export interface Fault {
	/** What is falsified. */
	what: string;
	/** Id of the requirement. */
	breaks: string;
	/** A function makes a tampering for each run of a proof, where it has to remember something. */
	tampering: Tampering | (() => Tampering);
	/** Proofs of the requirement that look at another part of it, by the words with which they begin. */
	unseenBy?: readonly string[];
}

/** Requests by method and path; `query` does not belong to the path. */
export type Where = RegExp;

/** `choices.0.message.content`; `*` stands for every entry of a list or every field of an object. */
export type FieldPath = string;

/** Makes another value of a value; undefined takes the field away. */
export type Change = (value: unknown) => unknown;

const isAt = (where: Where, { method, path }: ReceivedRequest) => where.test(`${method} ${path}`);

type Container = Record<string, unknown>;
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** Changes the fields at `path`, where there are any. */
function changeField(root: unknown, path: FieldPath, change: Change): void {
	const [name = '', ...rest] = path.split('.');
	if (!isContainer(root)) {
		return;
	}
	for (const key of name === '*' ? Object.keys(root) : [name]) {
		if (rest.length > 0) {
			changeField(root[key], rest.join('.'), change);
		} else if (key in root) {
			const changed = change(root[key]);
			if (changed === undefined) {
				delete root[key];
			} else {
				root[key] = changed;
			}
		}
	}
}

/** Another value of the same kind. */
export const another: Change = value => {
	switch (typeof value) {
		case 'number':
			return value + 1;
		case 'boolean':
			return !value;
		case 'string':
			return `${value}x`;
		default:
			return Array.isArray(value) ? value.slice(1) : 'another';
	}
};

export const missing: Change = () => undefined;

export const inRequest = (where: Where, path: FieldPath, change: Change = another): Tampering => ({
	request(request) {
		if (isAt(where, request)) {
			changeField(request, path, change);
		}
	},
});

export const inReply = (where: Where, path: FieldPath, change: Change = another): Tampering => ({
	reply(reply, request) {
		if (isAt(where, request)) {
			changeField(reply, path, change);
		}
	},
});

/** Changes the list of a streamed reply's events. */
export const inEvents = (where: Where, change: (events: SentEvent[]) => SentEvent[]): Tampering => ({
	reply(reply, request) {
		if (isAt(where, request) && reply.events) {
			reply.events = change(reply.events);
		}
	},
});

/** The name of an event: of server-sent events, or of the `type` in its data. */
export function nameOf({ event, data }: SentEvent): string | undefined {
	return event ?? (isContainer(data) && typeof data['type'] === 'string' ? data['type'] : undefined);
}

export const withoutEvent = (where: Where, name: string): Tampering =>
	inEvents(where, events => events.filter(event => nameOf(event) !== name));

export const inEvent = (where: Where, name: string, path: FieldPath, change: Change = another): Tampering =>
	inEvents(where, events => {
		for (const event of events) {
			if (nameOf(event) === name) {
				changeField(event.data, path, change);
			}
		}
		return events;
	});

/** Changes every event of a streamed reply. */
export const inEachEvent = (where: Where, path: FieldPath, change: Change = another): Tampering =>
	inEvents(where, events => {
		for (const { data } of events) {
			changeField(data, path, change);
		}
		return events;
	});

/** Falsifies with all of them. */
export const all = (...tamperings: readonly Tampering[]): Tampering => ({
	request(request) {
		for (const tampering of tamperings) {
			tampering.request?.(request);
		}
	},
	reply(reply, request) {
		for (const tampering of tamperings) {
			tampering.reply?.(reply, request);
		}
	},
});

/** A reply of another status; `body` in place of its own. */
export const withStatus = (where: Where, from: number, status: number, body?: unknown): Tampering => ({
	reply(reply: Reply, request) {
		if (isAt(where, request) && reply.status === from) {
			reply.status = status;
			if (body !== undefined) {
				reply.json = body;
			}
		}
	},
});
