// The gateway: model servers, and the demo, are *providers* with prices, a data policy and what they support. For a
// request it resolves the model's name, leaves out the providers that the routing policy excludes, ranks the rest by
// price, latency or throughput, and tries one after another until the first chunk has come. Chunks pass through with
// backpressure. Responses, the Messages form, decisions, search, images and the channel are built on the gateway,
// never on a provider.
import type { Clock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { ClientError, type ClientErrorCode, type UpstreamProblem } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { type Parameter, parametersOf } from '../../contract/chatRequest.ts';
import type { GatewayDescription } from '../../contract/control.ts';
import type { FoundServer } from '../../contract/foundServers.ts';
import type { Alias } from '../../contract/modelIdentifier.ts';
import { estimateRequestTokens } from '../../contract/requestTokens.ts';
import { effectiveRoutingPolicy, routingProblem, routingReasonText } from '../../contract/routing.ts';
import type { RoutingPolicy } from '../../contract/routingPolicy.ts';
import { zeroDataRetentionOf } from '../../contract/zeroDataRetention.ts';
import { RequestRefused } from '../replies.ts';
import { BY_IMAGES, type Candidate, selectCandidates } from './candidates.ts';
import {
	connectionOf,
	describeGateway,
	hasProviderPrefix,
	modelIdOf,
	type OfferDescription,
} from './gatewayDescription.ts';
import type { HostForm } from './hostForms.ts';
import { Measurements } from './measurements.ts';
import { FirstCallChunks, type GatewayChunks } from './passedChunks.ts';
import {
	failureFields,
	type GatewayRequest,
	type Prices,
	type Provider,
	ProviderFailure,
	type ProviderRequest,
} from './provider.ts';
import { providerFailureOf } from './providerFailure.ts';
import { rank } from './ranking.ts';
import { nobodyServed, noImages, noProvider, type TriedProvider, unknownModel } from './refusals.ts';
import { type OnEnd, WatchedChunks } from './watchedChunks.ts';

export interface GatewayReply {
	provider: string;
	/** The id of the model that serves the request. A chunk's own `model`, if it has one, is more exact. */
	model: string;
	prices: Prices | undefined;
	/** The parameters that the client set and that the provider does not support for the model. */
	leftOut?: readonly Parameter[];
	/**
	 * The chunks of the reply, of which the first has already arrived. They can be read only once, and leaving the loop
	 * ends the reply. Reading throws a ProviderFailure if the provider fails.
	 */
	chunks: GatewayChunks;
}

export interface GatewayCall {
	/** The form of the host that was called. Aliases work on the enterprise form only (Model alias). */
	host: HostForm;
	/**
	 * True if the path accepts provider prefixes, as one path of the enterprise form alone does (Provider prefix
	 * shorthand, rule 1). The default is false.
	 */
	takesPrefixes?: boolean;
	/** The endpoint that was called: only the responses endpoint forces zero data retention for code-oriented models. */
	endpoint: 'chat' | 'responses';
	signal: AbortSignal;
}

/** All inference of the service goes through the gateway: chat, search, images, responses and decisions. */
export interface ChatGateway {
	/**
	 * Resolves the model's name, applies the routing policy, and tries one provider after another until the first chunk
	 * of a reply has arrived.
	 * @throws RequestRefused 400 for an invalid request, 404 for an unknown model or a policy that excludes all
	 * providers, and otherwise with the status of the last provider's failure (400, 402, 429, 502, 503 or 504); the
	 * signal's reason if it aborts.
	 */
	chat(request: GatewayRequest, options: GatewayCall): Promise<GatewayReply>;
	/**
	 * Resolves with the first provider's token count for a request, or with an estimate if it does not count.
	 * @throws RequestRefused as `chat` does before a provider is asked.
	 */
	countTokens(request: GatewayRequest, options: GatewayCall): Promise<number>;
	/** Resolves with the models, providers, prefixes and aliases that requests can name now, and the found servers. */
	describe(): Promise<Omit<GatewayDescription, 'agents'>>;
}

/** The providers behind the gateway, which may change between two requests. */
export interface ProviderDirectory {
	providers(): readonly Provider[];
	/** Returns the servers that were found on this machine, used or not. The used ones are among the providers. */
	found(): readonly FoundServer[];
	/** Returns the reasons why the models of upstreams are not known. */
	problems(): readonly UpstreamProblem[];
	/** Resolves, within a bounded time, once the upstreams have been asked for their models. */
	ready(): Promise<void>;
	/**
	 * Asks the upstreams for their models again, unless that was just done. It is called if no provider is known to have
	 * a requested model.
	 */
	refresh(): Promise<void>;
}

export interface GatewayOptions {
	directory: ProviderDirectory;
	aliases(): readonly Alias[];
	logger: Logger;
	clock: Clock;
	/** Returns a number from 0 (inclusive) to 1 (exclusive), for load balancing. */
	random: () => number;
}

interface Attempt extends Candidate {
	request: ProviderRequest;
	asked: readonly Parameter[];
}

/** The time to wait for a provider's first chunk while there is another provider to try. */
const PATIENCE_MS = 90_000;

export function createGateway(options: GatewayOptions): ChatGateway {
	const { directory, aliases, logger, clock, random } = options;
	const measurements = new Measurements();

	/**
	 * The last description, and the objects it was made of. Every request needs one, and making it for a hub with hundreds
	 * of models takes about a millisecond.
	 */
	let last: { parts: readonly object[]; description: OfferDescription } | undefined;
	const currentDescription = (): OfferDescription => {
		const providers = directory.providers();
		const named = [...aliases()];
		const parts = [...providers.flatMap(provider => [provider, ...provider.offers()]), ...named];
		if (last?.parts.length !== parts.length || !parts.every((part, index) => part === last?.parts[index])) {
			last = { parts, description: describeGateway(providers, named) };
		}
		return last.description;
	};

	/**
	 * Returns the attempts in the order in which to try them, or undefined if no provider has any of the models.
	 * @throws RequestRefused if the request is invalid or its policy excludes all providers.
	 */
	const attemptsFor = (
		request: ProviderRequest,
		{ host, takesPrefixes = false, endpoint }: GatewayCall,
	): Attempt[] | undefined => {
		const connection = connectionOf(currentDescription(), host);
		const names = [request.model, ...(request.models ?? [])];
		const problem = routingProblem(connection, request);
		if (problem !== undefined) {
			const { field, reason } = problem;
			const message = `${field}: ${routingReasonText(reason)}.`;
			throw reason.kind === 'nobody'
				? new RequestRefused(404, message, 'no_provider')
				: new RequestRefused(400, message);
		}
		if (!takesPrefixes && names.some(name => hasProviderPrefix(connection, name))) {
			throw new RequestRefused(400, 'model: a provider prefix is understood at /chat/completions alone; leave it out.');
		}
		const hosted: { id: string; routing: RoutingPolicy }[] = [];
		for (const name of names) {
			const id = modelIdOf(connection, name);
			if (id !== undefined && !hosted.some(model => model.id === id)) {
				const { models: _, ...others } = request;
				const named = { ...others, model: name };
				const zdr = zeroDataRetentionOf(connection, named, endpoint).inForce === 'yes';
				hosted.push({ id, routing: { ...effectiveRoutingPolicy(connection, named), zdr } });
			}
		}
		if (hosted.length === 0) {
			return undefined;
		}
		const now = clock.elapsed();
		const selections = hosted.map(({ id, routing }) => {
			const hosting = offersOf(directory.providers(), id);
			const { candidates, exclusions } = selectCandidates(hosting, request, routing);
			const measured = candidates.map(candidate => ({
				...candidate,
				measured: measurements.of(candidate.provider.slug, id).read(now),
			}));
			return { ranked: rank(measured, routing, random), exclusions };
		});
		const ranked = selections.flatMap(selection => selection.ranked);
		if (ranked.length === 0) {
			const exclusions = selections.flatMap(selection => selection.exclusions);
			if (exclusions.every(({ by }) => by === BY_IMAGES)) {
				const taking = connection.models.filter(({ images }) => images).map(({ id }) => id);
				throw noImages(
					hosted.map(({ id }) => id),
					taking,
				);
			}
			throw noProvider(exclusions);
		}
		return ranked.map(({ provider, offer }) => ({
			provider,
			offer,
			request: requestFor({ provider, offer }, request),
			asked: parametersOf(request),
		}));
	};

	const begin = async (
		{ provider, offer, request, asked }: Attempt,
		signal: AbortSignal,
		isLast: boolean,
	): Promise<GatewayReply> => {
		const record = measurements.of(provider.slug, offer.id);
		const began = clock.elapsed();
		record.tried(began);
		const { slug, label } = provider;
		const failed = (code: ClientErrorCode, message: string) =>
			providerFailureOf({ slug, ...defined({ label }) }, new ClientError(code, message));
		const late = new AbortController();
		const endWait = isLast ? () => {} : clock.after(PATIENCE_MS, () => late.abort());
		const iterator = provider.chat(request, AbortSignal.any([signal, late.signal]))[Symbol.asyncIterator]();
		const first = await iterator
			.next()
			.catch(error => {
				throw late.signal.aborted ? failed('timeout', 'it said nothing for too long') : error;
			})
			.finally(endWait);
		if (first.done) {
			throw failed('truncated', 'it ended its reply before the first word');
		}
		const answered = clock.elapsed();
		record.answered((answered - began) / 1000, answered);
		const onEnd: OnEnd = (outcome, tokensPerSecond) => {
			const now = clock.elapsed();
			if (outcome instanceof ProviderFailure) {
				record.failed(now, outcome.retryAfterMs);
				logger.log('warn', 'a provider broke off its reply', { connection: provider.slug, ...failureFields(outcome) });
				return;
			}
			record.served(now);
			if (tokensPerSecond !== undefined) {
				record.generated(tokensPerSecond, now);
			}
		};
		const chunks = new WatchedChunks(first.value, iterator, clock, onEnd);
		// The provider may have learned from its server's refusals which parameters to leave out.
		const { parameters } = provider.offers().find(({ id }) => id === offer.id) ?? offer;
		const leftOut = asked.filter(name => parameters?.has(name) === false);
		return { provider: provider.slug, model: offer.id, prices: offer.prices, leftOut, chunks };
	};

	const findAttempts = async (request: ProviderRequest, call: GatewayCall): Promise<Attempt[]> => {
		await directory.ready();
		let attempts = attemptsFor(request, call);
		if (attempts === undefined) {
			await directory.refresh();
			attempts = attemptsFor(request, call);
		}
		if (attempts === undefined) {
			throw unknownModel(
				currentDescription().models.map(({ id }) => id),
				directory.problems(),
			);
		}
		return attempts;
	};

	return {
		async chat({ parallel_tool_calls: mayCallSeveral = true, ...request }, call) {
			const { signal } = call;
			const attempts = await findAttempts(request, call);
			const tried: TriedProvider[] = [];
			for (const [index, attempt] of attempts.entries()) {
				signal.throwIfAborted();
				try {
					const reply = await begin(attempt, signal, index === attempts.length - 1);
					return mayCallSeveral ? reply : { ...reply, chunks: new FirstCallChunks(reply.chunks) };
				} catch (error) {
					if (signal.aborted || !(error instanceof ProviderFailure)) {
						throw error;
					}
					const { slug } = attempt.provider;
					logger.log('info', 'a provider did not serve', { connection: slug, ...failureFields(error) });
					tried.push({ slug, failure: error });
					if (!error.isProvidersOwn) {
						break;
					}
					measurements.of(slug, attempt.offer.id).failed(clock.elapsed(), error.retryAfterMs);
				}
			}
			throw nobodyServed(tried);
		},
		async countTokens({ parallel_tool_calls: _, ...request }, call) {
			const [attempt] = await findAttempts(request, call);
			const counted = await attempt?.provider.countTokens?.(attempt.request, call.signal);
			return counted ?? estimateRequestTokens(request);
		},
		async describe() {
			await directory.ready();
			await directory.refresh();
			return {
				...currentDescription(),
				foundServers: [...directory.found()],
				upstreamProblems: [...directory.problems()],
			};
		},
	};
}

function offersOf(providers: readonly Provider[], id: string): Candidate[] {
	return providers.flatMap(provider => {
		const offer = provider.offers().find(candidate => candidate.id === id);
		return offer === undefined ? [] : [{ provider, offer }];
	});
}

/**
 * Returns the request for a provider: routing fields are removed, as routing is done here, and so are the parameters
 * that the provider does not support (Provider object, `require_parameters`).
 */
function requestFor({ offer }: Candidate, request: ProviderRequest): ProviderRequest {
	const { models, provider, ...rest } = request;
	const { parameters, takesReasoning } = offer;
	const kept = { ...rest, model: offer.id };
	for (const name of parameters === undefined ? [] : parametersOf(request)) {
		if (!parameters?.has(name)) {
			delete kept[name];
		}
	}
	if (takesReasoning !== true) {
		kept.messages = kept.messages.map(message => {
			const { reasoning, ...others } = message;
			return reasoning === undefined ? message : others;
		});
	}
	return kept;
}
