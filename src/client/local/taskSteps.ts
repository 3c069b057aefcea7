// Reading the steps of a task from the local service (contract/taskSteps.ts).
import { createWriteStream } from 'node:fs';
import type http from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ClientError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { Discovery } from '../../contract/control.ts';
import { fillPath } from '../../contract/routes.ts';
import {
	type StepSearchEvent,
	type StepSearchPlan,
	type StepSearchRequest,
	stepSearchEventSchema,
	stepSearchPlanSchema,
} from '../../contract/stepSearch.ts';
import { stepPaths, type TaskSteps, taskStepsSchema } from '../../contract/taskSteps.ts';
import { failureOf } from '../core/failures.ts';
import { SseDecoder } from '../core/sse.ts';
import { askControl, openReply, requestOptionsFor, withinTime } from './serviceExchange.ts';

type Service = Pick<Discovery, 'address' | 'token'>;

const TIMEOUT_MS = 60_000;
/** In characters. */
const MAXIMUM_EVENT = 16 * 1024 * 1024;
const MAXIMUM_REFUSAL = 64 * 1024;

/** All functions here reject with a ClientError, or with the reason of `signal`. */
export async function readSteps(
	service: Service,
	taskId: string,
	fromIndex: number,
	signal?: AbortSignal,
): Promise<TaskSteps> {
	const path = `${fillPath(stepPaths.list, { taskId })}?fromIndex=${fromIndex}`;
	return askControl(service, { path, reply: taskStepsSchema, timeoutMs: TIMEOUT_MS, signal });
}

/** Writes the git bundle of a step into a new file. */
export async function saveStepBundle(
	service: Service,
	{ taskId, index }: StepName,
	file: string,
	signal?: AbortSignal,
): Promise<void> {
	const path = fillPath(stepPaths.bundle, { taskId, index: String(index) });
	const response = await withinTime(TIMEOUT_MS, signal, ends =>
		openReply({ ...optionsFor(service, path), signal: ends }, MAXIMUM_REFUSAL),
	);
	await pipeline(response, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
}

/** Returns what a search among the steps would run. */
export async function readSearchPlan(
	service: Service,
	taskId: string,
	agent: number | undefined,
	signal?: AbortSignal,
): Promise<StepSearchPlan> {
	const path = `${fillPath(stepPaths.search, { taskId })}${agent === undefined ? '' : `?agent=${agent}`}`;
	return askControl(service, { path, reply: stepSearchPlanSchema, timeoutMs: TIMEOUT_MS, signal });
}

/**
 * Searches for the step that broke something, until its end or the abortion of the signal. The end is the last event.
 * Rejects with `truncated` if the stream stops before it.
 */
export async function searchSteps(
	service: Service,
	taskId: string,
	request: StepSearchRequest,
	onEvent: (event: StepSearchEvent) => void,
	signal: AbortSignal,
): Promise<void> {
	const options = { ...optionsFor(service, fillPath(stepPaths.search, { taskId })), method: 'POST', signal };
	try {
		const response = await openReply(options, MAXIMUM_REFUSAL, JSON.stringify(request));
		const decoder = new SseDecoder(MAXIMUM_EVENT);
		for await (const bytes of response) {
			for (const { data } of decoder.decode(bytes as Buffer)) {
				const event = stepSearchEventSchema.safeParse(parseJson(data));
				if (event.success) {
					onEvent(event.data);
					if (ENDS.has(event.data.type)) {
						return;
					}
				}
			}
		}
		throw new ClientError('truncated', 'the search broke off before its end');
	} catch (error) {
		signal.throwIfAborted();
		throw failureOf(error);
	}
}

const ENDS: ReadonlySet<string> = new Set<StepSearchEvent['type']>(['found', 'none', 'error']);

export interface StepName {
	taskId: string;
	index: number;
}

const optionsFor = ({ address, token }: Service, path: string): http.RequestOptions => ({
	...requestOptionsFor(address, path),
	headers: { Authorization: `Bearer ${token}` },
});
