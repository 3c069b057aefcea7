import { Refusals } from '../../../agents/relay/refusals.ts';
import type { Clock } from '../../../base/async.ts';
import { defined } from '../../../base/defined.ts';
import { UserFacingError } from '../../../base/errors.ts';
import { oneLine } from '../../../base/plainText.ts';
import { localConnection } from '../../../contract/localConnection.ts';
import type { MessagesHints } from '../../../contract/messages.ts';
import { tokensWithin } from '../../../contract/modelLimits.ts';
import type { RoutingPolicy } from '../../../contract/routingPolicy.ts';
import { ownSearchModel } from '../../../contract/search.ts';
import type { ChatGateway, GatewayCall, GatewayReply } from '../../inference/gateway.ts';
import { connectionOf, modelIdOf } from '../../inference/gatewayDescription.ts';
import type { GatewayRequest, ProviderRequest } from '../../inference/provider.ts';
import { type WholeMessage, wholeReply } from '../../inference/wholeReply.ts';
import { RequestRefused } from '../../replies.ts';
import { CallMeter, type Measured } from './callMeter.ts';
import { MeteredChunks } from './meteredChunks.ts';
import { failureWords, type ModelCall, OverBudget } from './modelCall.ts';

const MAXIMUM_NAME = 100;

/** The maximum number of sources of a search that the agent is told. */
const MAXIMUM_SOURCES = 50;

/** The status means “Payment Required”, as the user has to raise the limit. Agents do not retry after it. */
const OVER_BUDGET = 402;

type Description = Awaited<ReturnType<ChatGateway['describe']>>;
type ModelDescription = Description['models'][number];

/** The names of what limits the cost of runs, as sentences about it name them. */
export interface CostSettings {
	maxCost: string;
	upstreams: string;
}

/** The names of these settings in the user's editor. */
export const USER_SETTINGS: CostSettings = { maxCost: 'errand.tasks.maxCost', upstreams: 'errand.local.upstreams' };

/** The terms that a task sets for its agent's calls: model, routing policy and budget. */
export interface ModelTerms {
	/** The model of the task, in any form that a request may name it. */
	model: string;
	/** The task's routing policy, zero data retention included. */
	provider: RoutingPolicy | undefined;
	/** The limit for all calls together, in US dollars. Models without a known price count as free here. */
	maxCost: number | undefined;
	/** The names of the settings that hold the limit and the prices. */
	settings: CostSettings;
}

export interface ModelCallEvents {
	/** Called when a call has ended, with any outcome. */
	onCall(call: ModelCall): void;
	/** Receives a sentence for the log about a call that was not even tried, a limited number of times. */
	onRefused(sentence: string): void;
	/** Called once, with a sentence, when `maxCost` is spent. */
	onOverBudget(sentence: string): void;
	/** Called once, with a sentence, when a call without a known price is served, which `maxCost` does not cover. */
	onUnpriced(sentence: string): void;
}

/**
 * The gateway as one run of an agent sees it. The run has one model, whose routing policy and limits are the task's
 * whatever a request says, and its spending is counted.
 */
export class TaskGateway implements ChatGateway {
	/** The name by which the agent must call the model. */
	readonly model: string;
	private readonly gateway: ChatGateway;
	private readonly terms: ModelTerms;
	private readonly events: ModelCallEvents;
	private readonly clock: Clock;
	private readonly refusals: Refusals;
	private readonly running = new Set<CallMeter>();
	/** One promise for each call that has not been counted yet. */
	private readonly uncounted = new Set<Promise<void>>();
	/** The cost of ended calls with a known price, in US dollars, and the cost of the run that the agent reports. */
	private spent = 0;
	private told = 0;
	private isOverBudget = false;
	private isUnpricedSaid = false;
	private facts: ModelDescription | undefined;

	constructor(gateway: ChatGateway, terms: ModelTerms, events: ModelCallEvents, clock: Clock) {
		this.gateway = gateway;
		this.terms = terms;
		this.events = events;
		this.clock = clock;
		this.model = terms.model;
		this.refusals = new Refusals(events.onRefused);
	}

	async chat(request: GatewayRequest, call: GatewayCall): Promise<GatewayReply> {
		this.refuseOther(request);
		return this.ask(request, await this.modelFacts(), call);
	}

	/** Searches the web with the service's search model, under the task's routing policy and limit. */
	async search(query: string, signal: AbortSignal): Promise<string> {
		const { models } = await this.gateway.describe();
		const model = ownSearchModel({ ...localConnection, models });
		const facts = models.find(({ id }) => id === model);
		if (facts === undefined) {
			throw new UserFacingError('There is no model for web searches any more.');
		}
		try {
			const request = { model: facts.id, messages: [{ role: 'user' as const, content: query }] };
			const { chunks } = await this.ask(request, facts, { host: 'enterprise', endpoint: 'chat', signal });
			const { choices } = await wholeReply(chunks);
			return answerWithSources(choices[0]?.message ?? { content: '' });
		} catch (error) {
			throw new UserFacingError(`The search failed: ${failureWords(error)}.`, { cause: error });
		}
	}

	private async ask(
		request: GatewayRequest,
		facts: ModelDescription,
		{ endpoint, signal }: GatewayCall,
	): Promise<GatewayReply> {
		this.refuseSpent();
		const sent = this.requestOf(request, facts);
		const { clock, gateway } = this;
		const began = clock.elapsed();
		const counted = Promise.withResolvers<void>();
		this.uncounted.add(counted.promise);
		const end = (reply: Partial<GatewayReply>, outcome: ModelCall['outcome'], failure?: string, measured = NOTHING) => {
			const { model = facts.id, provider } = reply;
			const seconds = (clock.elapsed() - began) / 1000;
			this.uncounted.delete(counted.promise);
			counted.resolve();
			this.count({ model, provider, outcome, failure, seconds, ...measured });
		};
		// A request is also counted if no provider has answered: it may be charged even if it is withdrawn.
		const waiting = new CallMeter(sent, facts.prices && { input: 0, output: 0, ...facts.prices });
		let reply: GatewayReply;
		try {
			reply = await gateway.chat(sent, { host: 'enterprise', takesPrefixes: true, endpoint, signal });
		} catch (error) {
			if (signal.aborted) {
				end({}, 'left', undefined, waiting.measure());
			} else {
				end({}, 'failed', failureWords(error));
			}
			throw error;
		}
		this.noticeUnpriced(reply);
		const meter = new CallMeter(sent, reply.prices);
		this.running.add(meter);
		const chunks = new MeteredChunks(reply.chunks, {
			meter,
			refusal: () => (this.isSpent() ? new OverBudget(this.budgetSentence) : undefined),
			onEnd: (outcome, failure) => {
				this.running.delete(meter);
				const words = failure === undefined ? undefined : failureWords(failure);
				end(reply, outcome, words, meter.measure());
			},
		});
		return { ...reply, chunks };
	}

	/** Counting is free. It is refused all the same when the budget is spent, as a model server would be asked. */
	async countTokens(request: GatewayRequest, { endpoint, signal }: GatewayCall): Promise<number> {
		this.refuseOther(request);
		const facts = await this.modelFacts();
		this.refuseSpent();
		const sent = this.requestOf(request, facts);
		return this.gateway.countTokens(sent, { host: 'enterprise', takesPrefixes: true, endpoint, signal });
	}

	/** Receives the run's cost so far, in US dollars, from the agent. The larger figure counts against `maxCost`. */
	tellCost(told: number): void {
		this.told = Math.max(this.told, told);
		this.isSpent();
	}

	/** Resolves when every call so far has ended and been counted. */
	async allCounted(): Promise<void> {
		await Promise.all(this.uncounted);
	}

	async describe(): Promise<Description> {
		const model = await this.modelFacts();
		return {
			models: [model],
			providers: [],
			providerPrefixes: [],
			aliases: [],
			foundServers: [],
			upstreamProblems: [],
		};
	}

	/** The description is read until the model is found, and then kept, as its limits do not change while a task runs. */
	private async modelFacts(): Promise<ModelDescription> {
		if (this.facts === undefined) {
			const description = await this.gateway.describe();
			const id = modelIdOf(connectionOf(description, 'enterprise'), this.model);
			const found = description.models.find(model => model.id === id);
			this.facts = found && { ...found, id: this.model };
		}
		return this.facts ?? { id: this.model, kinds: ['chat'] };
	}

	/** An agent requests another model if it was not configured to use the task's model for everything. */
	private refuseOther({ model }: ProviderRequest): void {
		if (model === this.model) {
			return;
		}
		const other = oneLine(model, MAXIMUM_NAME);
		this.refusals.report('model', `A call for the model "${other}" was refused: the task's model is "${this.model}".`);
		const message = `model: this task has the model "${this.model}" and no other.`;
		throw new RequestRefused(400, message, 'model_not_found');
	}

	private refuseSpent(): void {
		if (this.isSpent()) {
			this.refusals.report('budget', `A call for the model ${this.model} was refused: ${this.budgetSentence}`);
			throw new RequestRefused(OVER_BUDGET, this.budgetSentence, 'over_budget');
		}
	}

	private requestOf(request: GatewayRequest, facts: ModelDescription): GatewayRequest {
		const { models: _, provider: __, max_tokens: wanted, hints: own, ...rest } = request;
		const max_tokens = wanted === undefined ? undefined : tokensWithin(facts, wanted);
		const hints = own && max_tokens !== undefined && max_tokens !== wanted ? hintsWithin(own, max_tokens) : own;
		return { ...rest, model: facts.id, ...defined({ provider: this.terms.provider, max_tokens, hints }) };
	}

	private count(call: ModelCall): void {
		this.spent += call.cost ?? 0;
		this.events.onCall(call);
		this.isSpent();
	}

	/** Returns whether `maxCost` is spent, including the certain cost of the calls that are still running. */
	private isSpent(): boolean {
		const { maxCost } = this.terms;
		if (maxCost !== undefined && !this.isOverBudget) {
			const counted = [...this.running].reduce((sum, meter) => sum + meter.certainCost, this.spent);
			const certain = Math.max(counted, this.told);
			this.isOverBudget = certain > 0 && certain >= maxCost;
			if (this.isOverBudget) {
				this.events.onOverBudget(this.budgetSentence);
			}
		}
		return this.isOverBudget;
	}

	private noticeUnpriced({ model, provider, prices }: GatewayReply): void {
		const { maxCost, settings } = this.terms;
		if (maxCost !== undefined && prices === undefined && !this.isUnpricedSaid) {
			this.isUnpricedSaid = true;
			this.events.onUnpriced(
				`The model ${model} of ${provider} has no price here, so the limit of US$ ${maxCost} (${settings.maxCost}) does not hold for it. Give it prices in ${settings.upstreams}.`,
			);
		}
	}

	private get budgetSentence(): string {
		const { maxCost, settings } = this.terms;
		return `This agent has spent its limit of US$ ${maxCost} for models, which ${settings.maxCost} sets.`;
	}
}

/** The smallest thinking budget that servers with the Messages API accept, in tokens. */
const LEAST_THINKING = 1_024;

/** Thinking counts towards a reply's limit, so its budget must be smaller. If that is too little, it is off. */
function hintsWithin({ thinking, ...hints }: MessagesHints, limit: number): MessagesHints {
	const budget = thinking?.['budget_tokens'];
	if (typeof budget !== 'number' || budget < limit) {
		return { ...hints, ...defined({ thinking }) };
	}
	return limit > LEAST_THINKING ? { ...hints, thinking: { ...thinking, budget_tokens: limit - 1 } } : hints;
}

function answerWithSources({ content, annotations = [] }: Pick<WholeMessage, 'content' | 'annotations'>): string {
	const sources = annotations.slice(0, MAXIMUM_SOURCES).flatMap(({ url_citation: source }) => source ?? []);
	return [content, ...sources.map(({ title, url }) => `- ${[title, url].filter(Boolean).join(': ')}`)].join('\n');
}

/** A call that nobody answered is free, whatever the prices are. */
const NOTHING: Measured = { inputTokens: 0, outputTokens: 0, isEstimated: false, cost: 0 };
