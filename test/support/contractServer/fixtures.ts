import type { HostName } from './exchange.ts';
import { type FixtureModel, hosting } from './fixtureModel.ts';

/**
 * The values of the connection and of the built-in answers of the inference endpoints. Every documented field is
 * present and every value differs, so that a reader who mixes up two fields is caught. Tasks, logs and look-ups are in
 * taskFixtures.ts.
 */

export const service = 'quillon';
/** The literal text that stands for an absent value in sample payloads. */
export const absentText = 'None';
export const scm = 'forge';
export const deployHost = 'dockside';
export const cloudTokenPrefix = 'qcl_';

export const keys = {
	inference: 'sk-inference-4f1c9a7e2b',
	cloud: `${cloudTokenPrefix}8d03b6e5a1c4`,
	agent: 'sk-agent-b27d50f3c9',
};

/** Keys of accounts in other states. All of them are valid except `deletedAgent`. */
export const specialKeys = {
	/** Gets 401. */
	deletedAgent: 'sk-agent-deleted-0e61',
	/** Gets 403 with the message that asks for a subscription. */
	agentWithoutPlan: 'sk-agent-no-plan-77a2',
	/** Gets the list of agent tasks as a bare array. */
	agentBareList: 'sk-agent-bare-5c38',
	/** Gets 403 on the task list and on creation. */
	outsideTeam: `${cloudTokenPrefix}outside-team-19`,
	/** Gets 500 on the task list and the look-ups. */
	brokenDatabase: `${cloudTokenPrefix}broken-database-28`,
	/** Gets 404 on the look-ups and on creation. */
	withoutSourceLink: `${cloudTokenPrefix}no-source-link-37`,
	/** Gets 502 on the look-ups and on creation. */
	brokenSource: `${cloudTokenPrefix}broken-source-46`,
	/** Gets 402 on creation. */
	withoutCredit: `${cloudTokenPrefix}no-credit-55`,
	/** Gets an empty task list and no organisations. */
	withoutTasks: `${cloudTokenPrefix}no-tasks-64`,
	/** Gets a list of 230 tasks. */
	manyTasks: `${cloudTokenPrefix}many-tasks-73`,
};

/**
 * The eleven slugs that the provider object accepts, and the search company's developer side, which only a prefix
 * names.
 */
export const providers: { slug: string; label: string }[] = [
	{ slug: 'aurelia', label: 'Aurelia Labs' },
	{ slug: 'borealis', label: 'Borealis Research' },
	{ slug: 'cumulus', label: 'Cumulus Model Service' },
	{ slug: 'seeker-platform', label: 'Seeker Model Platform' },
	{ slug: 'openhub', label: 'OpenHub' },
	{ slug: 'meshrun', label: 'Meshrun' },
	{ slug: 'gridserve', label: 'Gridserve' },
	{ slug: 'swiftcore', label: 'Swiftcore' },
	{ slug: 'stratus', label: 'Stratus Managed Models' },
	{ slug: 'lumiere', label: 'Lumiere' },
	{ slug: service, label: 'Quillon dedicated' },
	{ slug: 'seeker', label: 'Seeker' },
];

export const providerPrefixes: { prefix: string; provider: string }[] = [
	{ prefix: 'aurelia', provider: 'aurelia' },
	{ prefix: 'borealis', provider: 'borealis' },
	{ prefix: 'cumulus', provider: 'cumulus' },
	{ prefix: 'seeker', provider: 'seeker' },
	{ prefix: 'seeker-platform', provider: 'seeker-platform' },
	{ prefix: 'seeker-cloud', provider: 'seeker-platform' },
	{ prefix: 'openhub', provider: 'openhub' },
	{ prefix: 'meshrun', provider: 'meshrun' },
	{ prefix: 'gridserve', provider: 'gridserve' },
	{ prefix: 'swiftcore', provider: 'swiftcore' },
	{ prefix: 'stratus', provider: 'stratus' },
	{ prefix: 'stratus-managed', provider: 'stratus' },
	{ prefix: 'lumiere', provider: 'lumiere' },
];

const zdr = { zeroDataRetention: true, storesData: false };
const storing = { zeroDataRetention: false, storesData: true };

/**
 * A model with open weights and many providers. It is served by gridserve by default, meshrun for `price` and for
 * `int4`, quillon for `throughput`, swiftcore for `latency`, and openhub for `zdr`. seeker-platform is the cheapest and
 * down; gridserve keeps prompts for a while (no ZDR) without storing them; swiftcore's policy is unknown; meshrun lacks
 * top_a, min_p and logit_bias.
 */
export const openModel: FixtureModel = {
	id: 'harvest-70b',
	label: 'Harvest 70B',
	vendor: 'openlab',
	kinds: ['chat', 'responses'],
	contextLength: 131_072,
	maxOutputTokens: 16_384,
	openWeights: true,
	tools: true,
	hostings: [
		hosting('openhub', [0.5, 80, 0.9, 0.99], 'fp8', zdr),
		hosting('meshrun', [0.3, 60, 1.4, 0.5], 'int4', { ...storing, unsupported: ['top_a', 'min_p', 'logit_bias'] }),
		hosting('gridserve', [0.4, 95, 1.1, 0.98], 'int8', { zeroDataRetention: false, storesData: false }),
		hosting('swiftcore', [0.9, 300, 0.2, 0.97], 'fp16', {}),
		hosting(service, [0.8, 400, 0.5, 0.999], 'bf16', zdr),
		hosting('seeker-platform', [0.1, 50, 2.1, 0.05], 'fp8', { ...zdr, isDown: true }),
	],
};

/**
 * A model with closed weights. It is served by aurelia by default and with ZDR, stratus for `price`, and cumulus for
 * `throughput`.
 */
export const closedModel: FixtureModel = {
	id: 'sonata-large',
	label: 'Sonata Large',
	vendor: 'aurelia',
	kinds: ['chat', 'responses'],
	contextLength: 200_000,
	maxOutputTokens: 32_000,
	openWeights: false,
	tools: true,
	images: true,
	hostings: [
		hosting('aurelia', [3, 70, 0.8, 0.999], 'bf16', zdr),
		hosting('cumulus', [3.2, 85, 1.2, 0.99], 'bf16', storing),
		hosting('stratus', [2.9, 65, 1.3, 0.6], 'fp16', storing),
	],
};

export const seekerModel: FixtureModel = {
	id: 'seeker-prime',
	label: 'Seeker Prime',
	vendor: 'seeker',
	kinds: ['chat'],
	contextLength: 1_000_000,
	maxOutputTokens: 65_536,
	openWeights: false,
	hostings: [
		hosting('seeker', [1.1, 150, 0.7, 0.99], 'bf16', storing),
		hosting('seeker-platform', [1.3, 140, 0.6, 0.995], 'bf16', zdr),
	],
};

export const smallModel: FixtureModel = {
	id: 'petit-8b',
	label: 'Petit 8B',
	vendor: 'lumiere',
	kinds: ['chat'],
	contextLength: 32_768,
	maxOutputTokens: 4096,
	openWeights: true,
	hostings: [
		hosting('lumiere', [0.15, 210, 0.4, 0.98], 'fp8', zdr),
		hosting(service, [0.2, 220, 0.35, 0.99], 'bf16', zdr),
	],
};

/** A model with closed weights. It is served by borealis by default, and cumulus for `throughput`. */
export const otherClosedModel: FixtureModel = {
	id: 'northwind-mini',
	label: 'Northwind Mini',
	vendor: 'borealis',
	kinds: ['chat'],
	contextLength: 98_304,
	maxOutputTokens: 12_288,
	openWeights: false,
	hostings: [
		hosting('borealis', [0.6, 130, 0.65, 0.98], 'fp8', zdr),
		hosting('cumulus', [0.7, 160, 0.75, 0.97], 'fp16', storing),
	],
};

export const searchModel: FixtureModel = {
	id: `${service}-search`,
	label: 'Quillon Search',
	vendor: service,
	kinds: ['search'],
	contextLength: 65_536,
	maxOutputTokens: 8192,
	openWeights: false,
	hostings: [hosting('swiftcore', [0.2, 180, 0.45, 0.99], 'bf16', zdr)],
};

export const imageModel: FixtureModel = {
	id: 'canvas-xl',
	label: 'Canvas XL',
	vendor: 'canvasworks',
	kinds: ['image'],
	contextLength: 4000,
	maxOutputTokens: 1,
	openWeights: true,
	hostings: [hosting('gridserve', [40, 1, 6, 0.97], 'fp16', zdr)],
};
export const imageDigest = '7c1f09e4d2ab5863';
export const imageUrl = 'https://images.quillon.invalid/generated/3b9e.png?size=1024';

export const encryptedModel: FixtureModel = {
	id: 'enclave-9b',
	label: 'Enclave 9B',
	vendor: 'openlab',
	kinds: ['encrypted'],
	contextLength: 16_384,
	maxOutputTokens: 2048,
	openWeights: true,
	channelProvider: 'vaultrun',
	hostings: [],
};

export const codeModel: FixtureModel = {
	id: 'codewright-2',
	label: 'Codewright 2',
	vendor: 'borealis',
	kinds: ['responses'],
	contextLength: 400_000,
	maxOutputTokens: 128_000,
	openWeights: false,
	codeOriented: true,
	tools: true,
	hostings: [hosting('borealis', [2.2, 110, 1, 0.99], 'bf16', zdr)],
};
export const smallCodeModel: FixtureModel = {
	...codeModel,
	id: 'codewright-2-mini',
	label: 'Codewright 2 Mini',
	contextLength: 262_144,
};

export const models: FixtureModel[] = [
	openModel,
	closedModel,
	seekerModel,
	smallModel,
	otherClosedModel,
	searchModel,
	imageModel,
	encryptedModel,
	codeModel,
	smallCodeModel,
];

/** The aliases that the enterprise host knows. The second one routes to cumulus unless the request says otherwise. */
export const aliases: { name: string; model: string; provider?: { order: string[]; allow_fallbacks: boolean } }[] = [
	{ name: 'team-default', model: openModel.id },
	{ name: 'team-reviewer', model: closedModel.id, provider: { order: ['cumulus'], allow_fallbacks: false } },
];

/** The four agents, each with the models that it accepts. */
export const agents: { id: string; label: string; models: string[] }[] = [
	{ id: 'mason', label: 'Mason', models: ['mason-large', 'mason-small'] },
	{ id: 'weaver', label: 'Weaver', models: ['weaver-3'] },
	{ id: 'smith', label: 'Smith', models: ['smith-pro', 'smith-lite'] },
	{ id: 'joiner', label: 'Joiner', models: ['joiner-1'] },
];

export const decisionModel = 'arbiter';
export const decisionVersions = ['2.7.1', '2.6.0'];

export const chatReply = {
	id: 'chatcmpl-5e70c1',
	created: 1_751_300_417,
	system_fingerprint: 'fp_9d24e6',
	native_finish_reason: 'end_turn',
	native_tool_finish_reason: 'tool_use',
	pieces: ['The harbour ', 'opens at **seven**, ', 'said the pilot – ', 'bring ', '☕.'],
	reasoningPieces: ['First the tide, ', 'then the hour.'],
};

export const chatUsage = {
	completion_tokens: 37,
	prompt_tokens: 211,
	total_tokens: 248,
	completion_tokens_details: {
		accepted_prediction_tokens: 3,
		audio_tokens: 5,
		reasoning_tokens: 17,
		rejected_prediction_tokens: 2,
	},
	prompt_tokens_details: { audio_tokens: 7, cached_tokens: 101 },
};

export const responsesUsage = {
	input_tokens: 523,
	output_tokens: 61,
	total_tokens: 584,
	input_tokens_details: { cached_tokens: 307 },
	output_tokens_details: { reasoning_tokens: 29 },
};

export const decisionUsage = { input_tokens: 443, output_tokens: 19 };

/** The second annotation has no excerpt, because services send excerpts only when available. */
export const annotations = [
	{
		type: 'url_citation',
		url_citation: {
			url: 'https://tides.example/tables?day=3',
			title: 'Tide tables',
			content: 'High water at seven in the morning.',
			start_index: 4,
			end_index: 11,
		},
	},
	{
		type: 'url_citation',
		url_citation: { url: 'https://pilots.example/', title: 'Pilots', start_index: 39, end_index: 44 },
	},
];

/** `timestamp` and `worker_pid` are present on the organisation's host only. */
export const health = {
	status: 'healthy',
	crypto_status: 'ready',
	server: 'enclave-front-3',
	version: '4.2.1',
	timestamp: 1_751_300_555.125,
	worker_pid: 7719,
};

export const channelReply = { pieces: ['Under seal: ', 'the tide ', 'turns at noon ⚓.'] };

/** Returns the fields of a connection to the server, with all addresses, models, providers, aliases and agents. */
export function connectionFields(server: { hosts: Record<HostName, string> }) {
	return {
		apiUrl: server.hosts.public,
		enterpriseUrl: server.hosts.enterprise,
		plan: 'public' as 'public' | 'enterprise',
		cloudUrl: server.hosts.cloud,
		agentUrl: server.hosts.agent,
		orgUrl: server.hosts.org,
		encryptUrl: server.hosts.encrypt,
		service,
		scm,
		cloudTokenPrefix,
		decisionModel,
		models: models.map(({ vendor, hostings, ...model }) => ({ ...model, kinds: [...model.kinds] })),
		providers: providers.map(({ slug, label }) => ({
			slug,
			label,
			models: models.filter(({ hostings }) => hostings.some(({ provider }) => provider === slug)).map(({ id }) => id),
		})),
		providerPrefixes: providerPrefixes.map(entry => ({ ...entry })),
		aliases: structuredClone(aliases),
		agents: structuredClone(agents),
	};
}
