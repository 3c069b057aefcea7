import {
	all,
	type Change,
	type Fault,
	inEachEvent,
	inEvent,
	inEvents,
	inReply,
	inRequest,
	missing,
	nameOf,
	withoutEvent,
	withStatus,
} from './fault.ts';

const CHAT = /^POST \/(v1\/)?chat\/completions$/;
const RESPONSES = /^POST \/v1\/responses$/;
const DECISIONS = /^POST \/typesafe\/v1\/systemone$/;
const ANY = /./;

const requestFields: readonly Fault[] = (
	[
		['model'],
		['messages', value => (value as unknown[]).toReversed()],
		['models'],
		['provider', missing],
		['stream'],
		['max_tokens'],
		['temperature'],
		['seed'],
		['top_p', missing],
		['top_k'],
		['frequency_penalty'],
		['presence_penalty'],
		['repetition_penalty'],
		['logit_bias', missing],
		['top_logprobs'],
		['min_p', missing],
		['top_a', missing],
		['stop', missing],
		['tools', missing],
		['tool_choice', missing],
		['response_format', missing],
		['user', missing],
	] satisfies [string, Change?][]
).map(([field, change]: [string, Change?], index) => ({
	what: `a chat request with another ${field}`,
	breaks: `inference/chat-completion-request/${index + 1}`,
	tampering: inRequest(CHAT, `json.${field}`, change),
}));

const routingPolicies: readonly Fault[] = [
	'sort',
	'order',
	'only',
	'ignore',
	'allow_fallbacks',
	'require_parameters',
	'data_collection',
	'quantizations',
	'preferred_min_throughput',
	'preferred_max_latency',
	'zdr',
].map((field, index) => ({
	what: `a chat request whose provider has no ${field}`,
	breaks: `inference/provider-object/${index + 1}`,
	tampering: inRequest(CHAT, `json.provider.${field}`, missing),
}));

const replyFields: readonly Fault[] = (
	[
		[1, 'id'],
		[2, 'created'],
		[3, 'model'],
		[4, 'object'],
		[6, 'choices.*.finish_reason'],
		[6, 'choices.*.provider_specific_fields.native_finish_reason'],
		[7, 'usage.prompt_tokens'],
		[7, 'usage.completion_tokens_details.reasoning_tokens'],
		[7, 'usage.prompt_tokens_details.cached_tokens'],
		[8, 'provider'],
	] as const
).map(([position, field]) => ({
	what: `a completion without ${field}`,
	breaks: `inference/chat-completion-response/${position}`,
	tampering: all(inReply(CHAT, `json.${field}`, missing), inEachEvent(CHAT, field, missing)),
}));

const responseEvents: readonly Fault[] = [
	'response.created',
	'response.in_progress',
	'response.output_item.added',
	'response.content_part.added',
	'response.output_text.delta',
	'response.output_text.done',
	'response.content_part.done',
	'response.output_item.done',
	'response.function_call_arguments.delta',
	'response.function_call_arguments.done',
	'response.completed',
].map((name, index) => ({
	what: `a response without ${name}`,
	breaks: `inference/events/${index + 1}`,
	tampering: withoutEvent(RESPONSES, name),
}));

const responseErrors: readonly Fault[] = [1, 2, 3, 4, 5].map(position => ({
	what: 'a response in place of the documented error',
	breaks: `inference/errors/${position}`,
	tampering: withStatus(RESPONSES, 400, 500, { error: { code: '500', message: 'Something else' } }),
}));

const responsesFields: readonly Fault[] = (
	[
		[3, 'input', value => (value as unknown[]).slice(-1)],
		[7, 'tool_choice', missing],
		[8, 'parallel_tool_calls', missing],
		[10, 'input.*.content.*.type'],
		[11, 'input.*.role'],
		[12, 'input.*.arguments'],
		[12, 'input.*.name', missing],
	] satisfies [number, string, Change?][]
).map(([position, field, change]: [number, string, Change?]) => ({
	what: `a responses request with another ${field}`,
	breaks: `inference/responses-request/${position}`,
	tampering: inRequest(RESPONSES, `json.${field}`, change),
}));

const identifiers: readonly Fault[] = [
	'inference/model-identifiers/2',
	'inference/model-identifiers/3',
	'inference/model-identifiers/4',
	'inference/provider-prefix-shorthand/2',
	'inference/model-alias/1',
].map(breaks => ({
	what: 'a chat request with the last part of the model’s name alone',
	breaks,
	tampering: inRequest(CHAT, 'json.model', value =>
		String(value)
			.split('/')
			.at(-1)
			?.replace(/^team-/, ''),
	),
}));

const routingRules: readonly Fault[] = [
	...[12, 13, 14, 15, 16].map(position => `inference/provider-object/${position}`),
	'inference/model-alias/3',
	'inference/zero-data-retention-zdr/2',
].map(breaks => ({
	what: 'a completion that another provider served',
	breaks,
	tampering: inReply(CHAT, 'json.provider'),
}));

const answers: readonly Fault[] = (
	[
		[4, 'probabilities.*'],
		[4, 'confidence'],
		[5, 'legend.*'],
		[5, 'probabilities.*'],
		[5, 'confidence'],
		[6, 'type'],
	] as const
).map(([position, field]) => ({
	what: `a decision with another ${field}`,
	breaks: `inference/decision-request-and-response/${position}`,
	tampering: inReply(DECISIONS, `json.answers.*.${field}`),
}));

const openPoints: readonly Fault[] = (
	[
		[1, inReply(/^GET \/v1\/models$/, 'json.data')],
		[2, inEvents(CHAT, events => events.filter(({ data }) => !JSON.stringify(data).includes('reasoning_content')))],
		[4, inRequest(CHAT, 'json.messages.*.tool_calls', missing)],
		[8, inEvents(CHAT, events => events.filter(({ data }) => !JSON.stringify(data).includes('"usage"')))],
		[10, inRequest(CHAT, 'json.response_format.type')],
		[11, inRequest(CHAT, 'json.provider.sort')],
		[12, inRequest(CHAT, 'json.messages.*.content', () => 'text')],
		[13, withStatus(CHAT, 402, 400)],
		[14, withStatus(RESPONSES, 422, 418)],
		[15, withoutEvent(RESPONSES, 'response.incomplete')],
		[16, withStatus(CHAT, 429, 400)],
		[18, inReply(DECISIONS, 'json.model')],
	] as const
).map(([position, tampering]) => ({
	what: 'what the contract leaves open, done in another way',
	breaks: `unspecified/inference/${position}`,
	tampering,
}));

/** What inference.md demands, falsified. */
export const inferenceFaults: readonly Fault[] = [
	...requestFields,
	...routingPolicies,
	...replyFields,
	...responseEvents,
	...responseErrors,
	...responsesFields,
	...identifiers,
	...routingRules,
	...answers,
	...openPoints,
	{
		what: 'a completion without its text',
		breaks: 'inference/chat-completion-response/6',
		tampering: inReply(CHAT, 'json.choices.*.message.content', missing),
		unseenBy: ['client: reads a function_call'],
	},
	{
		what: 'a message of another role',
		breaks: 'inference/message-chat-completions/1',
		tampering: inRequest(CHAT, 'json.messages.*.role'),
	},
	{
		what: 'a message of another text',
		breaks: 'inference/message-chat-completions/2',
		tampering: inRequest(CHAT, 'json.messages.*.content'),
	},
	{
		what: 'a tool result of another call',
		breaks: 'inference/message-chat-completions/3',
		tampering: inRequest(CHAT, 'json.messages.*.tool_call_id'),
	},
	{
		what: 'a request without its key',
		breaks: 'inference/authentication/1',
		tampering: inRequest(ANY, 'headers.authorization', missing),
		unseenBy: ['client: tells of a key that is refused'],
	},
	{
		what: 'a key that nobody looks at',
		breaks: 'inference/authentication/1',
		tampering: withStatus(ANY, 401, 200),
	},
	{
		what: 'a chat request on another path',
		breaks: 'inference/endpoints/1',
		tampering: inRequest(CHAT, 'path'),
	},
	{
		what: 'a search on the path without a version',
		breaks: 'inference/endpoints/2',
		tampering: inRequest(CHAT, 'path', () => '/chat/completions'),
		unseenBy: ['client: gives the sources with their places'],
	},
	{
		what: 'a stream without its end',
		breaks: 'unspecified/inference/2',
		tampering: inEvents(CHAT, events =>
			events.filter(({ data }) => data !== '[DONE]' && !JSON.stringify(data).includes('"finish_reason":"')),
		),
	},
	{
		what: 'a stream that goes on where the error was',
		breaks: 'unspecified/inference/3',
		tampering: inEvents(CHAT, events =>
			events.filter(event => nameOf(event) !== 'error' && !JSON.stringify(event.data).includes('"error"')),
		),
	},
	{
		what: 'a response to another model',
		breaks: 'inference/responses-request/1',
		tampering: inRequest(RESPONSES, 'json.model'),
	},
	{
		what: 'a responses request without instructions',
		breaks: 'inference/responses-request/2',
		tampering: inRequest(RESPONSES, 'json.instructions', missing),
	},
	{
		what: 'a responses request that stores',
		breaks: 'inference/responses-request/4',
		tampering: inRequest(RESPONSES, 'json.store'),
	},
	{
		what: 'a responses request that does not stream',
		breaks: 'inference/responses-request/5',
		tampering: inRequest(RESPONSES, 'json.stream'),
	},
	{
		what: 'a responses request without its tools',
		breaks: 'inference/responses-request/6',
		tampering: inRequest(RESPONSES, 'json.tools', missing),
	},
	{
		what: 'a tool result of another call in a responses request',
		breaks: 'inference/responses-request/13',
		tampering: inRequest(RESPONSES, 'json.input.*.call_id'),
	},
	{
		what: 'a piece of text with other words',
		breaks: 'inference/events/5',
		tampering: inEvent(RESPONSES, 'response.output_text.delta', 'delta'),
	},
	{
		what: 'arguments with other letters',
		breaks: 'inference/events/9',
		tampering: inEvent(RESPONSES, 'response.function_call_arguments.delta', 'delta'),
	},
	{
		what: 'another usage at the end of a response',
		breaks: 'inference/events/11',
		tampering: inEvent(RESPONSES, 'response.completed', 'response.usage.total_tokens'),
		unseenBy: ['the local service: a reply is the documented events'],
	},
	{
		what: 'encrypted reasoning that is changed on its way back',
		breaks: 'inference/zero-data-retention-zdr/3',
		tampering: inRequest(RESPONSES, 'json.input.*.encrypted_content'),
	},
	{
		what: 'a decision on another state',
		breaks: 'inference/decision-request-and-response/1',
		tampering: inRequest(DECISIONS, 'json.state.*'),
	},
	{
		what: 'a decision by another model',
		breaks: 'inference/decision-request-and-response/2',
		tampering: inRequest(DECISIONS, 'json.model'),
		unseenBy: ['client: tells no version'],
	},
	{
		what: 'a choice with another option',
		breaks: 'inference/decision-request-and-response/4',
		tampering: inReply(DECISIONS, 'json.answers.*.choice'),
	},
	{
		what: 'a score with another number',
		breaks: 'inference/decision-request-and-response/5',
		tampering: inReply(DECISIONS, 'json.answers.*.score'),
	},
	{
		what: 'a noul with another probability',
		breaks: 'inference/decision-request-and-response/6',
		tampering: inReply(DECISIONS, 'json.answers.*.noul'),
	},
	{
		what: 'another version of the decision model',
		breaks: 'inference/versioning/3',
		tampering: inReply(DECISIONS, 'json.model'),
	},
	{
		what: 'a plain name with a prefix',
		breaks: 'inference/model-identifiers/1',
		tampering: inRequest(CHAT, 'json.model', value => `openhub/${value}`),
	},
	{
		what: 'a decision under another id',
		breaks: 'inference/decision-request-and-response/3',
		tampering: {
			reply(reply, request) {
				const { answers } = (reply.json ?? {}) as { answers?: Record<string, unknown> };
				if (DECISIONS.test(`${request.method} ${request.path}`) && answers) {
					const renamed = Object.entries(answers).map(([id, answer]) => [`${id}x`, answer]);
					(reply.json as { answers: unknown }).answers = Object.fromEntries(renamed);
				}
			},
		},
	},
	{
		what: 'a searched answer with its first source alone',
		breaks: 'inference/endpoints/2',
		tampering: inReply(CHAT, 'json.choices.*.message.annotations', value => (value as unknown[]).slice(0, 1)),
	},
	{
		what: 'a search that counted other tokens',
		breaks: 'inference/limits/2',
		tampering: inEvents(CHAT, events => {
			for (const { data } of events) {
				const { usage } = (typeof data === 'object' ? data : {}) as {
					usage?: { prompt_tokens: number; completion_tokens: number };
				};
				if (usage) {
					usage.prompt_tokens = 0;
					usage.completion_tokens = 0;
				}
			}
			return events;
		}),
	},
	{
		what: 'a wait that nobody asked for',
		breaks: 'inference/limits/3',
		tampering: withStatus(CHAT, 429, 400),
	},
	{
		what: 'no cached tokens under zdr',
		breaks: 'inference/zero-data-retention-zdr/4',
		tampering: inReply(CHAT, 'json.usage.prompt_tokens_details.cached_tokens', () => 0),
	},
	{
		what: 'a final response with another status',
		breaks: 'inference/events/11',
		tampering: inEvent(RESPONSES, 'response.completed', 'response.status'),
		unseenBy: ['the local service: usage counts'],
	},
	{
		what: 'a final response without its time',
		breaks: 'inference/events/11',
		tampering: inEvent(RESPONSES, 'response.completed', 'response.created_at', missing),
		unseenBy: ['the local service: usage counts'],
	},
	{
		what: 'a final response whose text has no sources',
		breaks: 'inference/events/11',
		tampering: inEvent(RESPONSES, 'response.completed', 'response.output.*.content.*.annotations', () => []),
	},
	{
		what: 'a request without zdr',
		breaks: 'inference/zero-data-retention-zdr/1',
		tampering: inRequest(CHAT, 'json.provider.zdr'),
	},
];
