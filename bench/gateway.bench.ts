import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { withServer } from './freshProcess.ts';
import type { Contender, ContenderName } from './gatewayContender.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;
const WARM_LOADS = 4;
const STREAMS = 50;
const TOKENS = 75;
const PACE_MS = 20;
const FIRST_TOKENS = 300;
const MAXIMUM_MS = 0.5;
const MAXIMUM_RATIO = 1.2;
const MAXIMUM_FORM_RATIO = 1.2;

/** The paths of the two forms, and what ends a stream in each. */
const FORMS = {
	chat: { path: '/chat/completions', end: '[DONE]' },
	messages: { path: '/v1/messages', end: 'message_stop' },
} as const;
type Form = keyof typeof FORMS;

type Race = Record<ContenderName, number[]>;

export async function rows(): Promise<BenchRow[]> {
	return [await firstToken(), await cpu(), await burst(), await messages()];
}

/** Measures the gateway's delay of the first token, compared with a proxy that only passes on bytes. */
async function firstToken(): Promise<BenchRow> {
	const { floor, ours } = await race({ chunks: 3, paceMs: 0 }, async ({ address }) => {
		const times: number[] = [];
		for (let count = 0; count < FIRST_TOKENS + 50; count++) {
			times.push(await ask(address));
			await delay(1);
		}
		return median(times.slice(50));
	});
	const [base, own] = [median(floor), median(ours)];
	return {
		goal: '15',
		what: 'local gateway: first token of a stream, over a bare undici proxy',
		ours: `${own.toFixed(2)} ms`,
		peers: `bare proxy ${base.toFixed(2)} ms`,
		ratio: `${(own - base).toFixed(2)} ms more`,
		met: own - base <= MAXIMUM_MS ? 'yes' : 'no',
	};
}

/** Measures the CPU cost of streams at the pace of models. */
async function cpu(): Promise<BenchRow> {
	const runs = await race({ chunks: TOKENS, paceMs: PACE_MS }, contender => cpuOf(contender, STREAMS));
	return cpuRow(`${STREAMS} streams at once of ${1000 / PACE_MS} tokens/s`, runs, 'floor');
}

/**
 * Measures the CPU cost of a stream that arrives faster than it can be read. A bare proxy then copies blocks of many
 * chunks, so it says nothing about the cost of chunks. The comparison is with a proxy that reads and writes each chunk.
 */
async function burst(): Promise<BenchRow> {
	return cpuRow(
		'20,000 chunks at once',
		await race({ chunks: 20_000, paceMs: 0 }, contender => cpuOf(contender, 1)),
		'reader',
	);
}

/** Measures the CPU cost of a stream in the Messages form over that of the same stream in the form of chat. */
async function messages(): Promise<BenchRow> {
	const costs: Record<Form, number[]> = { chat: [], messages: [] };
	await withServer('tokenServer.ts', { chunks: 20_000, paceMs: 0 }, async (upstream: string) => {
		for (let round = 0; round < ROUNDS; round++) {
			for (const form of ['chat', 'messages'] as const) {
				const measure = (contender: Contender) => cpuOf(contender, 1, form);
				costs[form].push(await withServer('gatewayContender.ts', { contender: 'ours', upstream }, measure));
			}
		}
	});
	const [chat, own] = [median(costs.chat), median(costs.messages)];
	return {
		goal: '22',
		what: 'local gateway: CPU, 20,000 chunks at once in the Messages form',
		ours: `${(own / 1000).toFixed(0)} ms`,
		peers: `the same in the form of chat ${(chat / 1000).toFixed(0)} ms = 1`,
		ratio: (own / chat).toFixed(2),
		met: own / chat <= MAXIMUM_FORM_RATIO ? 'yes' : 'no',
	};
}

const PEERS = { floor: 'bare undici proxy', reader: 'one that reads each chunk and names who serves' } as const;

function cpuRow(what: string, runs: Race, measure: keyof typeof PEERS): BenchRow {
	const own = median(runs.ours);
	const ratio = own / median(runs[measure]);
	const peers = (['floor', 'reader'] as const).map(
		name => `${PEERS[name]} ${(median(runs[name]) / 1000).toFixed(0)} ms${name === measure ? ' = 1' : ''}`,
	);
	return {
		goal: '15',
		what: `local gateway: CPU, ${what}`,
		ours: `${(own / 1000).toFixed(0)} ms`,
		peers: peers.join('; '),
		ratio: ratio.toFixed(2),
		met: ratio <= MAXIMUM_RATIO ? 'yes' : 'no',
	};
}

async function cpuOf({ address, cpuAddress }: Contender, streams: number, form: Form = 'chat'): Promise<number> {
	const read = async () => Number(await (await fetch(cpuAddress)).text());
	const load = () => Promise.all(Array.from({ length: streams }, () => ask(address, form)));
	// The first requests pay for loading and compiling, which a long-running service has done long ago.
	for (let count = 0; count < WARM_LOADS; count++) {
		await load();
	}
	const before = await read();
	await load();
	return (await read()) - before;
}

/** Runs all contenders in each round, each in a fresh process. */
async function race(
	upstream: { chunks: number; paceMs: number },
	measure: (contender: Contender) => Promise<number>,
): Promise<Race> {
	const results: Race = { floor: [], reader: [], ours: [] };
	await withServer('tokenServer.ts', upstream, async (address: string) => {
		for (let round = 0; round < ROUNDS; round++) {
			for (const contender of ['floor', 'reader', 'ours'] as const) {
				const parameters = { contender, upstream: address };
				results[contender].push(await withServer('gatewayContender.ts', parameters, measure));
			}
		}
	});
	return results;
}

const agent = new http.Agent({ keepAlive: true });
const body = JSON.stringify({
	model: 'm',
	stream: true,
	max_tokens: 32_000,
	messages: [{ role: 'user', content: 'Hello. '.repeat(2000) }],
});

/** Sends one streamed request and reads it to its end. Resolves with the milliseconds to its first token. */
function ask(address: string, form: Form = 'chat'): Promise<number> {
	const { path, end: last } = FORMS[form];
	return new Promise((resolve, reject) => {
		const began = performance.now();
		const headers = { Authorization: 'Bearer sk-bench', 'Content-Type': 'application/json' };
		const request = http.request(`${address}${path}`, { method: 'POST', agent, headers }, response => {
			let first = 0;
			let end = '';
			response.setEncoding('utf8');
			response.on('data', (text: string) => {
				if (first === 0 && text.includes('data: {')) {
					first = performance.now() - began;
				}
				end = (end + text).slice(-60);
			});
			response.on('error', reject);
			response.on('end', () =>
				end.includes(last) ? resolve(first) : reject(new Error(`${response.statusCode}: ${end}`)),
			);
		});
		request.on('error', reject);
		request.end(body);
	});
}
