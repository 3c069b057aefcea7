import { isDeepStrictEqual } from 'node:util';
import { singleFlight } from '../../../base/async.ts';
import { defined } from '../../../base/defined.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { ClientError, type UpstreamProblem } from '../../../base/errors.ts';
import { isLoopbackHost } from '../../../base/loopback.ts';
import type { PortOwner } from '../../../base/portOwner.ts';
import type { Transport } from '../../../client/core/transport.ts';
import type { FoundAnswer, FoundServer } from '../../../contract/foundServers.ts';
import type { UpstreamHandover } from '../../../contract/upstreams.ts';
import type { UsualServer } from '../../../contract/usualServers.ts';
import type { ProviderDirectory } from '../gateway.ts';
import type { Provider } from '../provider.ts';
import type { ServerAnswers } from './serverAnswers.ts';
import { type UpstreamAccess, UpstreamProvider } from './upstreamProvider.ts';

/** The age after which a request for the upstreams' model lists reads them again. */
const LOOK_INTERVAL_MS = 60_000;

/** The first interval at which a server that did not list its models is asked again, as it may only have been busy. */
const FIRST_INTERVAL_MS = 2_500;

/** The servers that are looked for on this machine. Whether one is used depends on its owner and the user's answer. */
export interface ServerSearch {
	known: readonly UsualServer[];
	answers: ServerAnswers;
	/** Returns the user who listens at a port of this machine. */
	ownerOf(port: number): Promise<PortOwner>;
}

/**
 * The providers that are available now: the upstreams of the last handover, servers found on this machine that the user
 * has agreed to, and the built-in ones.
 */
export class UpstreamDirectory implements ProviderDirectory, Disposable {
	private readonly builtIn: readonly Provider[];
	private readonly access: UpstreamAccess;
	private readonly search: ServerSearch | undefined;
	private readonly closed = new AbortController();
	private handover: UpstreamHandover | undefined;
	private upstreams: readonly UpstreamProvider[] = [];
	private watches: readonly FoundServerWatch[] = [];
	private lastReadAt = Number.NEGATIVE_INFINITY;
	private intervalMs = FIRST_INTERVAL_MS;
	private firstReading: Promise<void> = Promise.resolve();

	/** The built-in providers are always available, and listed last. Without a search, no server is looked for. */
	constructor(builtIn: readonly Provider[], access: UpstreamAccess, search?: ServerSearch) {
		this.builtIn = builtIn;
		this.access = access;
		this.search = search;
	}

	/** Replaces what was handed over before. Requests in progress are not affected. */
	replace(handover: UpstreamHandover): void {
		// Every window hands over its upstreams, which are mostly the same.
		if (isDeepStrictEqual(handover, this.handover)) {
			return;
		}
		this.handover = handover;
		const { search } = this;
		const { upstreams, findOllama } = handover;
		this.upstreams = upstreams.map(upstream => new UpstreamProvider(upstream, this.access));
		const isNamed = (known: UsualServer) =>
			upstreams.some(({ slug, url }) => slug === known.slug || isAtPlaceOf(known, url));
		const onOwnerChanged = () => {
			this.lastReadAt = Number.NEGATIVE_INFINITY;
		};
		this.watches =
			search === undefined || !findOllama
				? []
				: search.known
						.filter(server => !isNamed(server))
						.map(server => new FoundServerWatch(server, this.access, search, onOwnerChanged));
		this.access.logger.log('info', 'upstreams were handed over', { count: upstreams.length });
		this.intervalMs = FIRST_INTERVAL_MS;
		this.firstReading = this.readAll();
	}

	providers(): readonly Provider[] {
		const found = this.watches.flatMap(({ provider }) => provider ?? []);
		return [...this.upstreams, ...found, ...this.builtIn];
	}

	problems(): readonly UpstreamProblem[] {
		return this.upstreams.flatMap(({ problem }) => problem ?? []);
	}

	found(): readonly FoundServer[] {
		return this.watches.flatMap(({ told }) => told ?? []);
	}

	/**
	 * Stores the user's answer about a server that was found. Resolves with true when the server's models are known, and
	 * with false if there is no such server. Rejects if the answer cannot be stored.
	 */
	async answer(answer: FoundAnswer): Promise<boolean> {
		const watch = this.watches.find(({ url }) => url === answer.url);
		if (watch?.told === undefined) {
			// The server may have been started since it was last looked for.
			await watch?.check(this.closed.signal);
		}
		if (watch?.told === undefined) {
			return false;
		}
		this.search?.answers.keep(answer);
		await watch.check(this.closed.signal);
		return true;
	}

	ready(): Promise<void> {
		return this.firstReading;
	}

	readonly refresh = singleFlight(async () => {
		if (this.access.clock.elapsed() - this.lastReadAt >= this.intervalMs) {
			await this.readAll();
		}
	});

	dispose(): void {
		this.closed.abort();
	}

	private async readAll(): Promise<void> {
		this.lastReadAt = this.access.clock.elapsed();
		const { watches, handover } = this;
		const readings = this.upstreams.map(async upstream => {
			const outcome = await upstream.refresh(this.closed.signal);
			if (upstream.problem !== undefined) {
				const { slug, code, status, system } = upstream.problem;
				const fields = { connection: slug, code, ...defined({ status, reason: system }) };
				this.access.logger.log('info', 'an upstream did not list its models', fields);
			}
			return outcome;
		});
		const [outcomes] = await Promise.all([
			Promise.all(readings),
			Promise.all(watches.map(watch => watch.check(this.closed.signal))),
		]);
		if (this.handover === handover) {
			// Requests wait for a server that does not answer, so it is asked at growing intervals.
			const next = outcomes.includes('absent') ? this.intervalMs * 2 : LOOK_INTERVAL_MS;
			this.intervalMs = Math.min(next, LOOK_INTERVAL_MS);
		}
	}
}

/** Known servers run on this machine, which has more than one name and address. */
function isAtPlaceOf(known: UsualServer, url: string): boolean {
	const { hostname, port } = new URL(url);
	return isLoopbackHost(hostname) && port === new URL(known.url).port;
}

/**
 * A model server that is looked for on this machine. Every user of the machine can listen at its address, so it is used
 * only if the user has agreed to the one who does, which is checked again before each request. Until then only its list
 * of models is requested, to find out whether it is a model server.
 */
class FoundServerWatch {
	private readonly server: UsualServer;
	private readonly search: ServerSearch;
	private readonly onOwnerChanged: () => void;
	private readonly port: number;
	/** Requests the list of models only, and nothing else that an Ollama server would be asked. */
	private readonly probe: UpstreamProvider;
	private readonly guarded: UpstreamProvider;
	/** The owner when the server was last looked for. Undefined if there was no model server. */
	private owner: PortOwner | undefined;

	/** `onOwnerChanged` is called when a request is refused as the server has ended or another user listens there. */
	constructor(server: UsualServer, access: UpstreamAccess, search: ServerSearch, onOwnerChanged: () => void) {
		this.server = server;
		this.search = search;
		this.onOwnerChanged = onOwnerChanged;
		this.port = Number(new URL(server.url).port);
		this.probe = new UpstreamProvider({ slug: 'found', url: server.url }, access);
		this.guarded = new UpstreamProvider(server, { ...access, transport: this.guard(access.transport) });
	}

	get url(): string {
		return this.server.url;
	}

	/** The description for windows, or undefined if no server is there. */
	get told(): FoundServer | undefined {
		const use = this.owner && this.answerFor(this.owner);
		return this.owner && { ...this.server, owner: this.owner, ...defined({ use }) };
	}

	/** The provider, or undefined unless the server is there and may be used. */
	get provider(): UpstreamProvider | undefined {
		return this.owner && this.answerFor(this.owner) ? this.guarded : undefined;
	}

	/** Finds out whether the server is there, who runs it, and which models it has. */
	async check(signal: AbortSignal): Promise<void> {
		const owner = await this.search.ownerOf(this.port);
		const outcome = await (this.answerFor(owner) ? this.guarded : this.probe).refresh(signal);
		this.owner = outcome === 'read' ? owner : undefined;
	}

	private answerFor({ user }: PortOwner): boolean | undefined {
		return this.search.answers.find(this.server.url, user);
	}

	private guard(transport: Transport): Transport {
		return {
			request: async request => {
				if (!this.answerFor(await this.search.ownerOf(this.port))) {
					this.onOwnerChanged();
					const message = 'nobody listens at its address any more, or another user than the one who was agreed to';
					throw new ClientError('offline', message, { serviceMessage: message });
				}
				return transport.request(request);
			},
		};
	}
}
