import { type Clock, inParallel } from '../../../base/async.ts';
import { defined } from '../../../base/defined.ts';
import { ClientError, type ClientErrorCode, type UpstreamProblem } from '../../../base/errors.ts';
import { type Fields, isFields } from '../../../base/fields.ts';
import type { Logger } from '../../../base/logger.ts';
import { isLoopbackHost } from '../../../base/loopback.ts';
import { isNearHost } from '../../../base/privateAddress.ts';
import { BatchedStream } from '../../../client/core/batchedStream.ts';
import type { Caller } from '../../../client/core/caller.ts';
import { LIMITS, type Limits } from '../../../client/core/limits.ts';
import { StreamedReply } from '../../../client/core/streamedReply.ts';
import type { Transport } from '../../../client/core/transport.ts';
import { createUpstreamCaller, readUpstreamModels } from '../../../client/core/upstreamCaller.ts';
import { hasImages, PARAMETERS, type Parameter } from '../../../contract/chatRequest.ts';
import type { ListedModel } from '../../../contract/modelList.ts';
import { type NamedUpstream, upstreamProblemOf } from '../../../contract/upstreamProblem.ts';
import { LISTED_MODELS, OLLAMA_SLUG, type Upstream, upstreamKind } from '../../../contract/upstreams.ts';
import type { ModelOffer, Provider, ProviderRequest, ReplyChunk, ReplyChunks } from '../provider.ts';
import { providerFailureOf } from '../providerFailure.ts';
import { ServerSeal } from '../serverSeal.ts';
import { type OllamaModel, readOllamaModel } from './ollama.ts';
import { RefusedParameters, type RequestDraft, refusesImages } from './serverRefusals.ts';
import { UPSTREAM_FORMS, type UpstreamForm } from './upstreamForms.ts';

/** The time limit for a model list, which a request may be waiting for. */
const LIST_MS = 3_000;

/** The time limit for a token count, which can also be estimated. */
const COUNT_MS = 10_000;
const ASKED_AT_ONCE = 4;

export interface UpstreamAccess {
	transport: Transport;
	logger: Logger;
	clock: Clock;
}

/** A server of the user's own may have to load its model, and to process a long prompt without a GPU. */
const NEAR_FIRST_BYTE_MS = 30 * 60_000;

/**
 * Some servers send the head of a reply at once and are silent until the first word; others collect a whole tool call.
 * A silence within a reply may therefore last just as long.
 */
function patienceFor({ url, firstByteSeconds }: Upstream): Pick<Limits, 'streamFirstByteMs' | 'idleMs'> {
	const usual = isNearHost(new URL(url).hostname) ? NEAR_FIRST_BYTE_MS : LIMITS.streamFirstByteMs;
	const streamFirstByteMs = firstByteSeconds === undefined ? usual : firstByteSeconds * 1000;
	return { streamFirstByteMs, idleMs: Math.max(streamFirstByteMs, LIMITS.idleMs) };
}

/** The fields of a model that its own entry in the settings or the server's list gives, or else the entry of its server. */
const TRAITS = [
	'contextLength',
	'maxOutputTokens',
	'openWeights',
	'prices',
	'quantization',
	'codeOriented',
	'images',
	'takesReasoning',
] as const;

type Traits = Pick<ModelOffer, (typeof TRAITS)[number]>;

/** A model server as a provider, through the API that it offers. Its key is sent to its own origin only. */
export class UpstreamProvider implements Provider {
	readonly slug: string;
	readonly label: string | undefined;
	readonly isDedicated: boolean;
	readonly prefixes: readonly string[];
	private readonly upstream: Upstream;
	private readonly form: UpstreamForm;
	private readonly seal: ServerSeal;
	private readonly named: NamedUpstream;
	private readonly caller: Caller;
	/** The caller for the paths of an Ollama server that do not begin with its version. */
	private readonly ollama: Caller | undefined;
	/** The facts known about the models of an Ollama server, by id. Each is requested once. */
	private readonly ollamaModels = new Map<string, OllamaModel>();
	private readonly key: 'inference' | undefined;
	private readonly own: readonly ModelOffer[];
	private current: readonly ModelOffer[];
	/** The reason why the server did not list its models when it was last asked. */
	problem: UpstreamProblem | undefined;
	/** The upstream's own model names by the offer's id, where they differ. */
	private readonly names = new Map<string, string>();
	private readonly refused = new RefusedParameters();
	/** The models that have refused images, by the upstream's names. */
	private readonly blind = new Set<string>();
	/** The models, by the upstream's names, that the upstream was loading when it was last asked. */
	private readonly loading = new Set<string>();
	private readonly logger: Logger;

	constructor(upstream: Upstream, { transport, logger, clock }: UpstreamAccess) {
		const { slug, label, url, key, local, prefixes } = upstream;
		this.upstream = upstream;
		this.logger = logger;
		this.slug = slug;
		this.label = label;
		this.named = { slug, ...defined({ label }), origin: new URL(url).origin, hasKey: key !== undefined };
		this.isDedicated = local ?? isLoopbackHost(new URL(url).hostname);
		this.prefixes = prefixes ?? [slug];
		this.key = key === undefined ? undefined : 'inference';
		// The gateway tries other providers instead of sending a request again.
		const kind = upstreamKind(upstream);
		this.form = UPSTREAM_FORMS[kind];
		this.seal = new ServerSeal(url);
		const options = { name: slug, key, kind, transport, logger, clock, limits: { tries: 1, ...patienceFor(upstream) } };
		const callerOf = (apiUrl: string): Caller => createUpstreamCaller({ ...options, url: apiUrl });
		this.caller = callerOf(url);
		this.ollama = slug === OLLAMA_SLUG ? callerOf(new URL(url).origin) : undefined;
		const { models = [] } = upstream;
		this.own = models.filter(model => model !== LISTED_MODELS).map(model => this.configured(model));
		this.current = this.own;
	}

	offers(): readonly ModelOffer[] {
		return this.current.map(offer => this.withAnswers(offer));
	}

	/**
	 * Adds what the server's replies have shown. They outrank its own statements about parameters; the user's word on
	 * images stands.
	 */
	private withAnswers(offer: ModelOffer): ModelOffer {
		const name = this.names.get(offer.id) ?? offer.id;
		const leftOut = this.refused.leftOutFor(name);
		const isBlind = this.blind.has(name) && offer.images === undefined;
		const isLoading = this.loading.has(name);
		if (leftOut.length === 0 && !isBlind && !isLoading) {
			return offer;
		}
		const parameters = [...(offer.parameters ?? PARAMETERS)].filter(parameter => !leftOut.includes(parameter));
		return {
			...offer,
			...defined({
				parameters: leftOut.length === 0 ? undefined : new Set(parameters),
				images: isBlind ? false : undefined,
				isLoading: isLoading || undefined,
			}),
		};
	}

	/** Reads the model list, unless the settings name all models. If the upstream does not answer, the old one stays. */
	async refresh(signal: AbortSignal): Promise<'read' | 'absent' | 'configured'> {
		const { models: named } = this.upstream;
		if (named !== undefined && !named.includes(LISTED_MODELS)) {
			return 'configured';
		}
		try {
			const hasKey = this.key !== undefined;
			const models = await readUpstreamModels(this.caller, { hasKey, milliseconds: LIST_MS, signal });
			await this.askOllama(models, signal);
			const listed = models
				.filter(({ id }) => this.ollamaModels.get(id)?.isChat !== false && this.own.every(own => own.id !== id))
				.map(model => this.listed(model));
			this.current = [...this.own, ...listed];
			this.problem = undefined;
			return 'read';
		} catch (error) {
			this.problem = upstreamProblemOf(this.named, error);
			return 'absent';
		}
	}

	/** Asks an Ollama server about each model, as its list does not say which ones are embedding models. */
	private async askOllama(models: readonly ListedModel[], signal: AbortSignal): Promise<void> {
		const { ollama } = this;
		if (ollama === undefined) {
			return;
		}
		const unknown = models.filter(({ id }) => !this.ollamaModels.has(id));
		const inTime = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]);
		const asking = inParallel(unknown, ASKED_AT_ONCE, inTime, async ({ id }) => {
			const told = await readOllamaModel(ollama, id, LIST_MS, inTime);
			if (told !== undefined) {
				this.ollamaModels.set(id, told);
			}
		});
		// Models that it did not describe in time are asked about again after the next list.
		await asking.catch(() => {});
	}

	chat(request: ProviderRequest, signal: AbortSignal): ReplyChunks {
		const model = this.names.get(request.model) ?? request.model;
		let hasBegun = false;
		// Before the first chunk, the error itself is needed to decide whether to send the request again.
		const failure = (error: unknown): unknown => (hasBegun ? this.failure(error, signal) : error);
		const draft = this.refused.draft(model, this.bodyOf({ ...this.seal.own(request), model }, request.model));
		const send = () => this.send(model, draft.body, signal, failure);
		const { clock, limits } = this.caller;
		const began = clock.elapsed();
		let reply = send();
		const begin = (): Promise<IteratorResult<ReplyChunk, undefined>> =>
			reply.next().then(
				result => {
					hasBegun = true;
					this.loading.delete(model);
					this.note(draft.keep());
					return result;
				},
				(error: unknown) => {
					if (isLoading(error) && clock.elapsed() - began < limits.streamFirstByteMs) {
						this.loading.add(model);
						// If the wait fails, the reader has aborted, which the next request reports.
						return clock
							.sleep(LOADING_INTERVAL_MS, signal)
							.catch(() => {})
							.then(() => {
								reply = send();
								return begin();
							});
					}
					this.loading.delete(model);
					const said = refusalIn(error);
					if (signal.aborted || !draft.amend(said)) {
						this.noteBlind(model, request, said);
						throw this.failure(error, signal);
					}
					reply = send();
					return begin();
				},
			);
		return {
			[Symbol.asyncIterator]: () => ({
				next: () => (hasBegun ? reply.next() : begin()),
				return: () => reply.return(),
				takeArrived: () => reply.takeArrived(),
			}),
		};
	}

	async countTokens(request: ProviderRequest, signal: AbortSignal): Promise<number | undefined> {
		const { count } = this.form;
		if (count === undefined) {
			return undefined;
		}
		const model = this.names.get(request.model) ?? request.model;
		const call = { route: { ...count.route, key: this.key }, body: count.bodyOf({ ...this.seal.own(request), model }) };
		const limits = { firstByteMs: COUNT_MS, idleMs: COUNT_MS, retry: 'never', signal } as const;
		try {
			const told = await this.caller.json({ ...call, ...limits });
			const tokens = isFields(told) ? told['input_tokens'] : undefined;
			return Number.isInteger(tokens) ? Number(tokens) : undefined;
		} catch (error) {
			if (signal.aborted || !ClientError.is(error)) {
				throw error;
			}
			const { code, status } = error;
			const fields = { connection: this.slug, code, ...defined({ status }) };
			this.logger.log('info', 'an upstream did not count tokens, so they are estimated', fields);
			return undefined;
		}
	}

	private bodyOf(request: ProviderRequest, id: string): Fields {
		try {
			return this.form.bodyOf(request, this.current.find(offer => offer.id === id) ?? {});
		} catch (error) {
			throw ClientError.is(error) ? providerFailureOf(this.named, error) : error;
		}
	}

	/** Logs what the server has refused, as its replies are made without it from now on. */
	private note(refused: ReturnType<RequestDraft['keep']>): void {
		for (const { field, instead } of refused) {
			const message =
				instead === undefined
					? 'an upstream refuses a parameter for a model, so it is left out'
					: 'an upstream refuses a parameter for a model, so it is sent under another name';
			this.logger.log('info', message, { connection: this.slug, field });
		}
	}

	/** Remembers that a model does not accept images, if the server's refusal of a request with images says so. */
	private noteBlind(model: string, request: ProviderRequest, said: string): void {
		if (hasImages(request) && refusesImages(said)) {
			this.blind.add(model);
			this.logger.log('info', 'an upstream takes no images for a model', { connection: this.slug });
		}
	}

	/** Returns the signal's reason if the reader has aborted, and otherwise the provider's failure. */
	private failure(error: unknown, signal: AbortSignal): unknown {
		if (signal.aborted) {
			return signal.reason;
		}
		return ClientError.is(error) ? providerFailureOf(this.named, error) : error;
	}

	private send(
		model: string,
		body: object,
		readerSignal: AbortSignal,
		failure: (error: unknown) => unknown,
	): BatchedStream<ReplyChunk> {
		const call = { route: { ...this.form.route, key: this.key }, body };
		return new BatchedStream(
			readerSignal,
			signal =>
				new StreamedReply(this.caller, {
					call: () => ({ ...call, signal }),
					decoder: this.form.decoder(model, this.seal),
					failure,
				}),
		);
	}

	private configured(model: NonNullable<Upstream['models']>[number]): ModelOffer {
		const { id, upstreamId, label, kinds, parameters, ...traits } = typeof model === 'string' ? { id: model } : model;
		if (upstreamId !== undefined) {
			this.names.set(id, upstreamId);
		}
		return this.offer(id, { label, kinds: kinds ?? ['chat'], parameters }, traits);
	}

	private listed(model: ListedModel): ModelOffer {
		const { id, name, context_length: contextLength } = model;
		const { maxOutputTokens, images } = this.form.traitsOf?.(model) ?? {};
		const told = this.ollamaModels.get(id);
		const parameters = this.upstream.parameters ?? told?.parameters;
		const traits = { contextLength, maxOutputTokens, images: this.upstream.images ?? told?.images ?? images };
		return this.offer(id, { label: name, kinds: ['chat'], parameters }, defined(traits));
	}

	private offer(
		id: string,
		{
			label,
			kinds,
			parameters: own,
		}: Pick<ModelOffer, 'label' | 'kinds'> & { parameters?: readonly string[] | undefined },
		traits: Traits,
	): ModelOffer {
		const { upstream } = this;
		const said = own ?? upstream.parameters;
		const inForm = this.form.parameters;
		const known =
			said === undefined ? inForm : said.filter(name => inForm?.some(parameter => parameter === name) ?? true);
		return {
			id,
			label,
			kinds,
			...(Object.fromEntries(TRAITS.map(name => [name, traits[name] ?? upstream[name]])) as Traits),
			dataPolicy: upstream.dataPolicy,
			parameters: known === undefined ? undefined : new Set(known as readonly Parameter[]),
		};
	}
}

/** The interval at which a server that reports loading the model is asked again. */
const LOADING_INTERVAL_MS = 2_000;

function isLoading(error: unknown): boolean {
	const said = ClientError.is(error) && error.status === 503 ? (error.serviceMessage ?? '') : '';
	return /\bloading\b|\bbeing loaded\b|\bwarming up\b|\bnot (?:yet )?loaded\b/i.test(said);
}

/** Some servers fail on a parameter that they do not know, and some report that no model accepts images. */
const REFUSALS: ReadonlySet<ClientErrorCode> = new Set(['invalid-request', 'server', 'not-found']);

/** Returns the server's message if it may be about the request. */
function refusalIn(error: unknown): string {
	return ClientError.is(error) && REFUSALS.has(error.code) ? (error.serviceMessage ?? '') : '';
}
