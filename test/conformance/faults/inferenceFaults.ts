import {
	type Change,
	type Fault,
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

const preferences: readonly Fault[] = [
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
		[6, 'choices.*.message.content'],
		[7, 'usage.prompt_tokens'],
		[7, 'usage.completion_tokens_details.reasoning_tokens'],
		[7, 'usage.prompt_tokens_details.cached_tokens'],
		[8, 'provider'],
	] as const
).map(([position, field]) => ({
	what: `a completion with another ${field}`,
	breaks: `inference/chat-completion-response/${position}`,
	tampering: inReply(CHAT, `json.${field}`),
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

/** What inference.md demands, falsified. */
export const inferenceFaults: readonly Fault[] = [
	...requestFields,
	...preferences,
	...replyFields,
	...responseEvents,
	...responseErrors,
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
		what: 'a request without zdr',
		breaks: 'inference/zero-data-retention-zdr/1',
		tampering: inRequest(CHAT, 'json.provider.zdr'),
	},
];
