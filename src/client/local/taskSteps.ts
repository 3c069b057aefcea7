// Reading the steps of a task from the local service (contract/taskSteps.ts).
import { createWriteStream } from 'node:fs';
import http from 'node:http';
import { text } from 'node:stream/consumers';
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
import { askControl, askService, refusal, requestOptionsFor } from './serviceExchange.ts';

type Service = Pick<Discovery, 'address' | 'token'>;

const TIMEOUT_MS = 60_000;
/** In characters. A page has 200 steps with at most 100 names each. */
const MAXIMUM_PAGE = 16 * 1024 * 1024;

/** All functions here reject with a ClientError, or with the reason of `signal`. */
export async function readSteps(
	service: Service,
	taskId: string,
	fromIndex: number,
	signal?: AbortSignal,
): Promise<TaskSteps> {
	const path = `${fillPath(stepPaths.list, { taskId })}?fromIndex=${fromIndex}`;
	const limits = { timeoutMs: TIMEOUT_MS, maximumLength: MAXIMUM_PAGE };
	const page = taskStepsSchema.safeParse(await askService(optionsFor(service, path), limits, undefined, signal));
	if (!page.success) {
		throw new ClientError('bad-response', 'the steps of a task have another form', { cause: page.error });
	}
	return page.data;
}

/** Writes the git bundle of a step into a new file. */
export async function saveStepBundle(
	service: Service,
	step: StepName,
	file: string,
	signal?: AbortSignal,
): Promise<void> {
	const response = await receive(service, pathOf(stepPaths.bundle, step), signal);
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
	const options = optionsFor(service, fillPath(stepPaths.search, { taskId }));
	try {
		const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
			const sent = http.request({ ...options, method: 'POST', agent: false, signal }, resolve).on('error', reject);
			sent.end(JSON.stringify(request));
		});
		if (response.statusCode !== 200) {
			throw refusal(response.statusCode ?? 0, await text(response));
		}
		const decoder = new SseDecoder(MAXIMUM_PAGE);
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

const pathOf = (path: string, { taskId, index }: StepName) => fillPath(path, { taskId, index: String(index) });

const optionsFor = ({ address, token }: Service, path: string): http.RequestOptions => ({
	...requestOptionsFor(address, path),
	headers: { Authorization: `Bearer ${token}` },
});

async function receive(service: Service, path: string, signal?: AbortSignal): Promise<http.IncomingMessage> {
	const timeout = AbortSignal.timeout(TIMEOUT_MS);
	const ends = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
	try {
		const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
			http.get({ ...optionsFor(service, path), agent: false, signal: ends }, resolve).on('error', reject);
		});
		if (response.statusCode !== 200) {
			throw refusal(response.statusCode ?? 0, await text(response));
		}
		return response;
	} catch (error) {
		signal?.throwIfAborted();
		throw timeout.aborted
			? new ClientError('timeout', 'the service did not answer in time', { cause: error })
			: failureOf(error);
	}
}
