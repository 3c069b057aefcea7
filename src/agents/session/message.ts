import { isFields } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';

/** The maximum length of request ids and method names, which are kept and sent back. */
const MAXIMUM_NAME = 256;

export type RequestId = string | number;

/** A message of JSON-RPC 2.0 that an agent sent. */
export type AgentMessage =
	| { kind: 'request'; id: RequestId; method: string; params: unknown }
	| { kind: 'notification'; method: string; params: unknown }
	| AgentAnswer;

export type AgentAnswer =
	| { kind: 'result'; id: RequestId; result: unknown }
	| { kind: 'error'; id: RequestId; error: { code: number; message: string; data: unknown } }
	/** An answer with neither a result nor an error. */
	| { kind: 'broken-answer'; id: RequestId };

/**
 * Reads one line. Returns undefined for anything but a message: text that is not JSON, another protocol, a batch (ACP
 * has none), names that are too long, and values that are nested too deeply.
 */
export function readMessage(line: Buffer): AgentMessage | undefined {
	const value = parseJson(line.toString('utf8'));
	if (!isFields(value) || value['jsonrpc'] !== '2.0') {
		return undefined;
	}
	const { id, method, params } = value;
	if (id !== undefined && !isRequestId(id)) {
		return undefined;
	}
	if (typeof method === 'string') {
		if (method.length > MAXIMUM_NAME) {
			return undefined;
		}
		return id === undefined ? { kind: 'notification', method, params } : { kind: 'request', id, method, params };
	}
	return id === undefined || method !== undefined ? undefined : readAnswer(id, value);
}

function readAnswer(id: RequestId, value: Record<string, unknown>): AgentAnswer {
	const { result, error } = value;
	const hasResult = Object.hasOwn(value, 'result');
	if (hasResult && (error === undefined || error === null)) {
		return { kind: 'result', id, result };
	}
	if (!hasResult && isFields(error)) {
		const { code, message, data } = error;
		if (typeof code === 'number' && Number.isInteger(code) && typeof message === 'string') {
			return { kind: 'error', id, error: { code, message, data } };
		}
	}
	return { kind: 'broken-answer', id };
}

function isRequestId(value: unknown): value is RequestId {
	return Number.isFinite(value) || (typeof value === 'string' && value.length <= MAXIMUM_NAME);
}
