// The model behind all chats and agents of the soak. It says what its prompt asks for, so that the whole reply to each
// message is known, and fails in the ways of model servers.
import type { ServerResponse } from 'node:http';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { Enclave, type EnclaveMessage } from '../support/enclave.ts';
import { beginEvents, breakOff, sseEvent } from '../support/faultServer.ts';
import { callOf, messagesOf, type Step, toolsOf } from '../support/scriptedModel.ts';
import { type UpstreamBehaviour, UpstreamServer } from '../support/upstreamServer.ts';
import { SAMPLE_NAME } from '../support/useWindow.ts';
import type { Dice, Tally } from './activity.ts';

export const MODEL = 'small';
const WORDS = 40;
export const AGENT_FILE = 'soak.md';
const MESSAGE = /Message (\w+-\d+)/g;

/** Returns the whole reply to the message with a number. */
export const replyTo = (number: string): string => piecesOf(number).join('');

const piecesOf = (number: string): string[] => [
	`The reply to ${number}:`,
	...Array.from({ length: WORDS }, (_, index) => ` word ${index + 1}`),
	'.',
];

/** What an agent does for the message with a number. */
const stepsFor = (number: string): Step[] => [
	{ do: 'read', path: 'README.md' },
	{ do: 'write', path: AGENT_FILE, content: `${number}\n` },
	{ do: 'run', command: `cat ${AGENT_FILE}` },
	{ do: 'say', text: replyTo(number) },
];

export class SoakModel {
	readonly upstream: UpstreamServer;
	readonly enclave: Enclave;
	/** The numbers of the messages that have come. */
	readonly received = new Set<string>();
	/** True while it behaves well. */
	isCalm = true;
	private readonly dice: Dice;
	private readonly tally: Tally;

	private constructor(upstream: UpstreamServer, enclave: Enclave, dice: Dice, tally: Tally) {
		this.upstream = upstream;
		this.enclave = enclave;
		this.dice = dice;
		this.tally = tally;
		upstream.behaviour = { models: [{ id: MODEL }], atRequest: body => this.behaviour(body) };
		enclave.answer = (response, message) => this.answerSealed(response, message);
	}

	static async start(dice: Dice, tally: Tally): Promise<SoakModel> {
		return new SoakModel(await UpstreamServer.start(), await Enclave.start(), dice, tally);
	}

	async stop(): Promise<void> {
		await Promise.all([this.upstream.stop(), this.enclave.stop()]);
	}

	private behaviour(body: Record<string, unknown>): UpstreamBehaviour {
		const messages = messagesOf(body);
		const at = messages.findLastIndex(({ role, content }) => role === 'user' && numberIn(content) !== undefined);
		const number = numberIn(messages[at]?.content ?? '');
		if (number === undefined) {
			return {};
		}
		this.received.add(number);
		// The server keeps what it was sent, which would look like a leak of this process.
		this.upstream.requests.splice(0);
		const fault = this.fault();
		const tools = toolsOf(body);
		if (tools.length === 0) {
			return { pieces: piecesOf(number), pauseMs: 50, ...fault };
		}
		const done = messages.slice(at + 1).filter(({ role }) => role === 'tool').length;
		const steps = stepsFor(number);
		const step = steps[Math.min(done, steps.length - 1)] as Step;
		if (step.do === 'say') {
			return { pieces: piecesOf(number), pauseMs: 20, ...fault };
		}
		const { name, input } = callOf(step, tools, insidePlaces(SAMPLE_NAME).tree);
		const call = { index: 0, id: `call-${number}-${done}`, type: 'function' };
		const delta = { tool_calls: [{ ...call, function: { name, arguments: JSON.stringify(input) } }] };
		const chunks = [{ choices: [{ index: 0, delta, finish_reason: 'tool_calls' }] }];
		return { chunks, isForgetful: true, ...(fault.status === undefined ? {} : fault) };
	}

	private fault(): UpstreamBehaviour {
		if (this.isCalm || this.dice.chance(0.5)) {
			return {};
		}
		const [kind, behaviour] = this.dice.anyOf<[string, UpstreamBehaviour]>([
			['breaks off', { breaksAfter: 7 }],
			['reports an error in the middle', { errorAfter: 11 }],
			['refuses with 503', { status: 503 }],
			['refuses with 429', { status: 429, headers: { 'retry-after': '2' } }],
			['sends a page in place of a reply', { status: 200, body: '<!doctype html>' }],
			['is slow', { firstMs: 5_000, pauseMs: 150 }],
		]);
		this.tally.count(`the model ${kind}`);
		return behaviour;
	}

	/** The same words from the other side of an encrypted channel. */
	private async answerSealed(response: ServerResponse, { history, seal }: EnclaveMessage): Promise<void> {
		const number = numberIn(JSON.stringify(history));
		this.enclave.messages.splice(0);
		this.enclave.server.received.splice(0);
		if (number !== undefined) {
			this.received.add(number);
		}
		const isCut = !this.isCalm && this.dice.chance(0.2);
		if (!this.isCalm && this.dice.chance(0.2)) {
			this.tally.count('the enclave forgets its sessions');
			this.enclave.expire();
		}
		beginEvents(response);
		const pieces = piecesOf(number ?? '');
		for (const piece of isCut ? pieces.slice(0, 9) : pieces) {
			response.write(sseEvent(seal(piece)));
			await new Promise(resolve => setTimeout(resolve, 50));
		}
		if (isCut) {
			this.tally.count('the enclave breaks off');
			await breakOff(response);
			return;
		}
		response.end(sseEvent('[DONE]'));
	}
}

function numberIn(text: string): string | undefined {
	return [...text.matchAll(MESSAGE)].at(-1)?.[1];
}
