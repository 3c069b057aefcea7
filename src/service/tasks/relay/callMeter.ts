import { estimateTokens, UNITS_PER_TOKEN } from '../../../base/tokens.ts';
import { estimateRequestTokens } from '../../../contract/requestTokens.ts';
import type { Prices, ProviderRequest, ReplyChunk } from '../../inference/provider.ts';

const MILLION = 1_000_000;
/** No call has as many tokens. Sums of larger numbers could exceed what the database can store or return. */
const MAXIMUM_TOKENS = 1e9;

export interface Measured {
	inputTokens: number;
	outputTokens: number;
	/** True if a part was estimated from the text's length, as the provider did not count or the reply did not end. */
	isEstimated: boolean;
	/** The cost in US dollars, or undefined if the prices are unknown. */
	cost: number | undefined;
}

export class CallMeter {
	private readonly request: ProviderRequest;
	private readonly prices: Prices | undefined;
	private input = 0;
	private output = 0;
	private pieces = 0;
	private characters = 0;

	constructor(request: ProviderRequest, prices: Prices | undefined) {
		this.request = request;
		this.prices = prices;
	}

	add({ choices, usage }: ReplyChunk): void {
		this.input = Math.max(this.input, countOf(usage?.prompt_tokens));
		this.output = Math.max(this.output, countOf(usage?.completion_tokens));
		for (const { delta } of choices) {
			const calls = delta.tool_calls ?? [];
			const length =
				lengthOf(delta.content) +
				lengthOf(delta.reasoning || delta.reasoning_content) +
				calls.reduce((sum, call) => sum + lengthOf(call.function?.arguments), 0);
			this.characters += length;
			this.pieces += length > 0 ? 1 : 0;
		}
	}

	/** The certain part of the cost so far, in US dollars: each piece of a reply is at least one token. */
	get certainCost(): number {
		return this.costOf(this.input, Math.max(this.output, this.pieces)) ?? 0;
	}

	/**
	 * Returns the tokens and the cost of the call. A provider also charges for a reply that nobody read to its end, but
	 * its count, which comes last, has not arrived then.
	 */
	measure(): Measured {
		const isEstimated = this.input === 0 || (this.output === 0 && this.pieces > 0);
		const inputTokens = this.input || estimateInput(this.request);
		const outputTokens = this.output || Math.max(this.pieces, Math.ceil(this.characters / UNITS_PER_TOKEN));
		return { inputTokens, outputTokens, isEstimated, cost: this.costOf(inputTokens, outputTokens) };
	}

	private costOf(input: number, output: number): number | undefined {
		const { prices } = this;
		return prices && (input * prices.input + output * prices.output) / MILLION;
	}
}

/** Returns 0 for a number that cannot be a token count, so that it is estimated like a missing one. */
function countOf(tokens: number | undefined): number {
	return tokens !== undefined && Number.isInteger(tokens) && tokens <= MAXIMUM_TOKENS ? tokens : 0;
}

/** The thinking of earlier turns goes along where the model accepts it, and is no part of a request by the contract. */
function estimateInput(request: ProviderRequest): number {
	const thinking = request.messages.map(({ reasoning = '' }) => estimateTokens(reasoning));
	return thinking.reduce((sum, tokens) => sum + tokens, estimateRequestTokens(request));
}

const lengthOf = (text: string | null | undefined): number => text?.length ?? 0;
