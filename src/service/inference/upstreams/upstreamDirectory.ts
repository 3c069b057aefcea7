import { isDeepStrictEqual } from 'node:util';
import { type Clock, singleFlight } from '../../../base/async.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Transport } from '../../../client/core/transport.ts';
import { OLLAMA_SLUG, type UpstreamHandover } from '../../../contract/upstreams.ts';
import type { ProviderDirectory } from '../gateway.ts';
import type { Provider } from '../provider.ts';
import { UpstreamProvider } from './upstreamProvider.ts';

const OLLAMA_URL = 'http://127.0.0.1:11434/v1';

/** How old what is known of the upstreams' models may be when somebody asks for it. */
const LOOK_INTERVAL_MS = 60_000;

/** A server that did not list its models may only have been busy, or not yet started: how soon it is asked again at first. */
const FIRST_INTERVAL_MS = 2_500;

export interface UpstreamDirectoryOptions {
	/** Always there, and named last. */
	builtIn: readonly Provider[];
	transport: Transport;
	logger: Logger;
	clock: Clock;
	/** Where an Ollama is looked for; default its own default address. */
	ollamaUrl?: string;
}

/** The providers that there are now: the upstreams of the last handover, an Ollama that runs, and the built-in ones. */
export class UpstreamDirectory implements ProviderDirectory, Disposable {
	private readonly options: UpstreamDirectoryOptions;
	private readonly closed = new AbortController();
	private handover: UpstreamHandover | undefined;
	private upstreams: readonly UpstreamProvider[] = [];
	/** The one that is looked for. */
	private ollama: UpstreamProvider | undefined;
	private hasOllama = false;
	private lookedAt = Number.NEGATIVE_INFINITY;
	private intervalMs = FIRST_INTERVAL_MS;
	private firstLook: Promise<void> = Promise.resolve();

	constructor(options: UpstreamDirectoryOptions) {
		this.options = options;
	}

	/** Takes the place of whatever was handed over before. Requests under way go on as they are. */
	replace(handover: UpstreamHandover): void {
		// Every window hands over what it has, and most have the same.
		if (isDeepStrictEqual(handover, this.handover)) {
			return;
		}
		this.handover = handover;
		const { upstreams, findOllama } = handover;
		this.upstreams = upstreams.map(upstream => new UpstreamProvider({ ...this.options, upstream }));
		const url = this.options.ollamaUrl ?? OLLAMA_URL;
		const isNamed = upstreams.some(({ slug, url: other }) => slug === OLLAMA_SLUG || isSameOrigin(other, url));
		this.ollama =
			findOllama && !isNamed
				? new UpstreamProvider({ ...this.options, upstream: { slug: OLLAMA_SLUG, label: 'Ollama', url } })
				: undefined;
		this.hasOllama = false;
		this.options.logger.log('info', 'upstreams were handed over', { count: upstreams.length });
		this.intervalMs = FIRST_INTERVAL_MS;
		this.firstLook = this.look();
	}

	providers(): readonly Provider[] {
		const found = this.ollama !== undefined && this.hasOllama ? [this.ollama] : [];
		return [...this.upstreams, ...found, ...this.options.builtIn];
	}

	ready(): Promise<void> {
		return this.firstLook;
	}

	readonly lookAgain = singleFlight(async () => {
		if (this.options.clock.now() - this.lookedAt >= this.intervalMs) {
			await this.look();
		}
	});

	dispose(): void {
		this.closed.abort();
	}

	private async look(): Promise<void> {
		this.lookedAt = this.options.clock.now();
		const { ollama, handover } = this;
		const looking = this.upstreams.map(async upstream => {
			const outcome = await upstream.refresh(this.closed.signal);
			if (outcome === 'absent') {
				this.options.logger.log('info', 'an upstream did not list its models', { connection: upstream.slug });
			}
			return outcome;
		});
		const found = ollama?.refresh(this.closed.signal);
		const outcomes = await Promise.all(looking);
		if (this.handover === handover) {
			// Whoever asks waits for a server that says nothing, so ever more seldom.
			const next = outcomes.includes('absent') ? this.intervalMs * 2 : LOOK_INTERVAL_MS;
			this.intervalMs = Math.min(next, LOOK_INTERVAL_MS);
		}
		// A newer handover has its own.
		if (this.ollama === ollama) {
			this.hasOllama = (await found) === 'read';
		}
	}
}

function isSameOrigin(one: string, other: string): boolean {
	return new URL(one).origin === new URL(other).origin;
}
