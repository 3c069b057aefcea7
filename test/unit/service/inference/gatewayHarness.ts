import assert from 'node:assert/strict';
import os from 'node:os';
import { systemClock } from '../../../../src/base/async.ts';
import { createLogger } from '../../../../src/base/logger.ts';
import { ownerOfPort } from '../../../../src/base/portOwner.ts';
import { createUndiciTransport } from '../../../../src/client/core/undiciTransport.ts';
import type { Alias } from '../../../../src/contract/modelIdentifier.ts';
import { type UpstreamHandoverInput, upstreamHandoverSchema } from '../../../../src/contract/upstreams.ts';
import { type ChatGateway, createGateway, type GatewayCall } from '../../../../src/service/inference/gateway.ts';
import type { ProviderRequest, ReplyChunk } from '../../../../src/service/inference/provider.ts';
import { ServerAnswers } from '../../../../src/service/inference/upstreams/serverAnswers.ts';
import { UpstreamDirectory } from '../../../../src/service/inference/upstreams/upstreamDirectory.ts';
import { RequestRefused } from '../../../../src/service/replies.ts';
import { seededRandom, type UpstreamBehaviour, UpstreamServer } from '../../../support/upstreamServer.ts';

export type UpstreamInput = Omit<UpstreamHandoverInput['upstreams'][number], 'slug' | 'url'>;

/** The gateway over real servers, without the HTTP in front of it. `stop` in every test that makes one. */
export class GatewayHarness {
	readonly gateway: ChatGateway;
	readonly directory: UpstreamDirectory;
	readonly servers: Readonly<Record<string, UpstreamServer>>;
	aliases: Alias[] = [];
	/** The lines of the service's log. */
	readonly logged: string[] = [];
	private readonly transport = createUndiciTransport();

	private constructor(
		servers: Record<string, UpstreamServer>,
		handover: UpstreamHandoverInput,
		clock: typeof systemClock,
	) {
		this.servers = servers;
		const logger = createLogger('service', (_, line) => this.logged.push(line));
		this.directory = new UpstreamDirectory(
			[],
			{ transport: this.transport, logger, clock },
			{ known: [], answers: new ServerAnswers(os.tmpdir(), logger), ownerOf: ownerOfPort },
		);
		this.directory.replace(upstreamHandoverSchema.parse(handover));
		this.gateway = createGateway({
			directory: this.directory,
			aliases: () => this.aliases,
			logger,
			clock,
			random: seededRandom(11),
		});
	}

	/** Each slug is a server of its own, on loopback; it counts as remote unless `local` says otherwise. */
	static async start(
		upstreams: Record<string, UpstreamInput & { behaves?: UpstreamBehaviour }>,
		clock = systemClock,
	): Promise<GatewayHarness> {
		const servers: Record<string, UpstreamServer> = {};
		const list: UpstreamHandoverInput['upstreams'] = [];
		for (const [slug, { behaves, ...upstream }] of Object.entries(upstreams)) {
			const server = await UpstreamServer.start(behaves);
			servers[slug] = server;
			list.push({ local: false, ...upstream, slug, url: server.url });
		}
		return new GatewayHarness(servers, { upstreams: list, findOllama: false }, clock);
	}

	chat(request: Partial<ProviderRequest> = {}, call: Partial<GatewayCall> = {}) {
		return this.gateway.chat(
			{ model: 'small', messages: [{ role: 'user', content: 'Hello' }], ...request },
			{ host: 'enterprise', takesPrefixes: true, endpoint: 'chat', signal: new AbortController().signal, ...call },
		);
	}

	/** Resolves with the slug of the provider that served, after the whole reply has come. */
	async servedBy(request: Partial<ProviderRequest> = {}, call: Partial<GatewayCall> = {}): Promise<string> {
		const { provider, chunks } = await this.chat(request, call);
		await allOf(chunks);
		return provider;
	}

	server(slug: string): UpstreamServer {
		const server = this.servers[slug];
		if (server === undefined) {
			throw new Error(`There is no server ${slug}.`);
		}
		return server;
	}

	async stop(): Promise<void> {
		this.directory.dispose();
		await Promise.all(Object.values(this.servers).map(server => server.stop()));
		await this.transport.close();
	}
}

export async function allOf(chunks: AsyncIterable<ReplyChunk>): Promise<ReplyChunk[]> {
	const all: ReplyChunk[] = [];
	for await (const chunk of chunks) {
		all.push(chunk);
	}
	return all;
}

export const textOf = (chunks: readonly ReplyChunk[]): string =>
	chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');

/** Starts gateways for the tests of a `describe`, each of which stops its own. */
export function useGateway(): typeof GatewayHarness.start {
	const started: GatewayHarness[] = [];

	afterEach(async () => {
		await Promise.all(started.splice(0).map(harness => harness.stop()));
	});

	return async (...parameters) => {
		const harness = await GatewayHarness.start(...parameters);
		started.push(harness);
		return harness;
	};
}

/** Returns the prices of an upstream, from the price of a million tokens of input and of output together. */
export const priced = (price: number) => ({ prices: { input: price / 2, output: price / 2 } });

/** Resolves with the error of a request that was not served. */
export async function refusal(attempt: Promise<unknown>, status: number): Promise<RequestRefused> {
	const error = await attempt.then(
		() => assert.fail('it was served'),
		(reason: unknown) => reason,
	);
	assert.ok(error instanceof RequestRefused, String(error));
	assert.equal(error.status, status, error.message);
	return error;
}
