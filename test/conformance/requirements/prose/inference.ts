import { INTRODUCTION, NOT_SHOWN, OVERVIEW, type ProseSection, type Sentence } from './sentence.ts';

const section = (heading: string, sentences: readonly Sentence[]): ProseSection => ({
	document: 'inference',
	heading,
	sentences,
});

/** The prose of inference.md. */
export const inferenceProse: readonly ProseSection[] = [
	section('Inference Service: Chat, Responses, Routing, Search, Image and Decision APIs', [
		{
			text: 'This document covers the chat completion endpoint with provider routing, model aliases, zero data retention, web search and image generation; the stateless responses endpoint; and the typed decision endpoint.',
			obligesNobody: OVERVIEW,
		},
		{ text: 'Document 2 covers the end-to-end encrypted message channel.', obligesNobody: OVERVIEW },
		{
			text: 'Document 3 covers the cloud task service, its log stream, the source-hosting lookup endpoints and the agent task API key rules.',
			obligesNobody: OVERVIEW,
		},
		{ text: 'Placeholders used: `{api_url}` is the public host.', obligesNobody: INTRODUCTION },
		{
			text: '`{enterprise_url}` is the enterprise host; enterprise-plan users send the same paths to it instead of the public host.',
			repeats: ['inference/endpoints/1', 'inference/endpoints/2'],
		},
		{
			text: "`<service>` stands for the service's own name inside identifiers, and `<vendor>`, `<model>` and `<provider_slug>` stand for the vendor, model and provider names.",
			repeats: ['inference/model-identifiers/2', 'inference/model-identifiers/3'],
		},
	]),
	section('What the service does', [
		{
			text: 'Accepts chat completion requests in an OpenAI-compatible shape and routes each one to a model hosted by one of several providers.',
			repeats: ['inference/endpoints/1', 'inference/provider-object/12'],
		},
		{
			text: 'The response names the provider that served it.',
			repeats: ['inference/chat-completion-response/8'],
		},
		{
			text: 'Lets the caller steer routing in three ways: a provider prefix on the model name, a `provider` object in the body, or a model alias defined by the organisation.',
			repeats: [
				'inference/model-identifiers/2',
				'inference/chat-completion-request/4',
				'inference/model-identifiers/4',
				'inference/model-alias/3',
			],
		},
		{
			text: 'Offers web search through a dedicated search model; answers carry URL citations.',
			repeats: ['inference/endpoints/2', 'inference/web-search-annotation/prose/1'],
		},
		{
			text: 'Generates images through the chat endpoint; the reply content is the image URL.',
			repeats: ['inference/endpoints/prose/2', 'inference/endpoints/prose/3'],
		},
		{
			text: 'Offers a stateless responses endpoint (beta) that only works in streaming mode.',
			repeats: ['inference/states-and-transitions/prose/2', 'inference/responses-request/5', 'inference/versioning/1'],
		},
		{
			text: 'Offers a decision endpoint that evaluates a JSON state against typed questions (`choice`, `score`, `noul`) and returns structured answers.',
			repeats: [4, 5, 6].map(position => `inference/decision-request-and-response/${position}`),
		},
		{
			text: 'It does not produce chat, code or free text.',
			repeats: ['inference/decision-request-and-response/prose/2'],
		},
		{
			text: 'Supports per-request zero data retention (ZDR) routing.',
			repeats: ['inference/zero-data-retention-zdr/1'],
		},
		{
			text: 'Video generation is mentioned as a capability, but no interface for it is given.',
			repeats: ['unspecified/inference/17'],
		},
	]),
	section('Chat completion response', [
		{
			text: 'Choice: `finish_reason` (string, e.g. `stop`), `index` (integer), `message` {`content` string, `role` string, `tool_calls`, `function_call`, optional `annotations`}, `provider_specific_fields` {`native_finish_reason` string}.',
			repeats: ['inference/chat-completion-response/6'],
		},
		{
			text: 'Usage: `completion_tokens`, `prompt_tokens`, `total_tokens` (integers); `completion_tokens_details` {`accepted_prediction_tokens`, `audio_tokens`, `reasoning_tokens`, `rejected_prediction_tokens`}; `prompt_tokens_details` {`audio_tokens`, `cached_tokens`}.',
			repeats: ['inference/chat-completion-response/7'],
		},
		{
			text: 'Streaming: each chunk has `object` = `chat.completion.chunk` and carries text in `choices[].delta.content`.',
			demands: ['a chunk is a chat.completion.chunk, and carries its text in choices[].delta.content'],
		},
		{
			text: 'Structure of `response_format` and of chunk objects beyond `choices[].delta.content`: not shown.',
			obligesNobody: NOT_SHOWN,
		},
		{ text: 'Valid model IDs, their capabilities and context lengths: not shown.', obligesNobody: NOT_SHOWN },
	]),
	section('Provider object', [
		{
			text: 'Object forms of `sort`, `preferred_min_throughput` and `preferred_max_latency`: not shown.',
			obligesNobody: NOT_SHOWN,
		},
		{ text: 'Rules:', obligesNobody: INTRODUCTION },
		{
			text: "Provider slugs accepted in `order`, `only` and `ignore` are lowercase names, one for each of: the first-party developers of two model families, a cloud-hosted model service of a large cloud vendor, a search-company cloud model platform, three open-model hosting services, one low-latency inference service, one managed model service of another cloud vendor, a European model developer, and the service's own slug `<service>`.",
			demands: ['order, only and ignore take the slug of each of the eleven providers, the service’s own among them'],
		},
	]),
	section('Provider prefix shorthand', [
		{
			text: 'The prefix is a lowercase provider name followed by `/`.',
			demands: ['a prefix is a lowercase name before a slash, and nothing else is one'],
		},
		{
			text: 'Thirteen prefixes are recognised: one each for the two first-party developers, the cloud-hosted model service, the search-company model developer and its managed platform (that platform has two prefixes, both routing to it), three open-model hosting services, the low-latency inference service, the managed model service of the other cloud vendor (two prefixes, both routing to it), and the European developer.',
			demands: ['each of the thirteen prefixes leads to its provider, two of them to the same one in two cases'],
		},
		{ text: 'Rules:', obligesNobody: INTRODUCTION },
	]),
	section('Dedicated deployments', [
		{
			text: "The slug `<service>` routes a request to dedicated capacity on the service's own inference engine, through `<service>/<model>` or through `order` / `only`.",
			demands: ['the service’s own slug leads to dedicated capacity, before a name, in order and in only'],
		},
		{
			text: 'Only open-source models are available there; closed or proprietary models cannot be routed through it.',
			demands: ['a closed model cannot be asked for on dedicated capacity'],
		},
	]),
	section('Model alias', [
		{ text: 'Aliases are supported on the enterprise host only.', repeats: ['inference/model-alias/1'] },
		{
			text: 'They are created in the organisation dashboard (Manage Organization, Models tab), not through an endpoint shown here.',
			demands: ['no endpoint makes aliases: none is called'],
		},
	]),
	section('Web search annotation', [
		{
			text: 'When the search model `<service>-search` is used, `message.annotations` is an array of objects: `type` (string; `url_citation`) and `url_citation` {`url` string, `title` string, `content` string (excerpt, when available), `start_index` integer, `end_index` integer (character positions in the message content)}.',
			demands: ['a searched answer names each source: address, title, an excerpt where there is one, and its place'],
		},
	]),
	section('Responses request', [
		{ text: 'Input items:', obligesNobody: INTRODUCTION },
		{
			text: 'Tool definition (flat): `{type: function, name, description, parameters (JSON Schema object)}`.',
			repeats: ['inference/responses-request/6'],
		},
		{
			text: 'The chat shape nests these under `function`; the responses shape does not.',
			repeats: ['inference/chat-completion-request/19', 'inference/responses-request/6'],
		},
		{
			text: 'Tool results use `role: tool` + `tool_call_id` in chat and `type: function_call_output` + `call_id` in responses.',
			repeats: ['inference/message-chat-completions/3', 'inference/responses-request/13'],
		},
		{
			text: 'Final response object (inside `response.completed`): `id`, `created_at` (integer), `model`, `object` = `response`, `output` (array of items: `id`, `type` = `message`, `role`, `status`, `content` [ {`type` = `output_text`, `text`, `annotations` array} ]), `status`, `usage` {`input_tokens`, `output_tokens`, `total_tokens`, `input_tokens_details` {`cached_tokens`}, `output_tokens_details` {`reasoning_tokens`}}.',
			demands: ['the final response has every documented field, its output and its usage'],
		},
		{
			text: 'A tool call output item is `{id, type: function_call, name, arguments (JSON string), call_id, status}`.',
			demands: ['a tool call in the output has id, type, name, arguments, call_id and status'],
		},
	]),
	section('Decision request and response', [
		{ text: 'Request body:', obligesNobody: INTRODUCTION },
		{
			text: 'Question: `type` (`choice`, `score` or `noul`), `instructions` (string; may name state paths), `criteria`:',
			demands: ['a question has a type of three, instructions and criteria'],
		},
		{ text: 'Each answer also carries `type`.', demands: ['each answer carries its type, and no free text'] },
		{
			text: 'Response: `model` (resolved model ID), `answers` (map of the supplied question IDs to answers), `usage` {`input_tokens`, `output_tokens`}.',
			demands: ['a decision has the resolved model, an answer for each question, and the tokens of both directions'],
		},
		{
			text: 'Questions on the same state are evaluated independently and in parallel.',
			demands: ['each question is answered as if it were the only one'],
		},
	]),
	section('States and transitions', [
		{
			text: 'Chat completions and the decision endpoint are stateless request/response operations.',
			demands: ['chat and decisions keep nothing from one request to the next'],
		},
		{
			text: 'The responses endpoint persists nothing between requests (multi-turn context is sent in full in `input`).',
			demands: ['the responses endpoint keeps nothing from one request to the next: input has the whole context'],
		},
		{
			text: 'The only lifecycle value shown is `status` = `completed` on a response and on its output items.',
			demands: ['a response that has ended is completed, and so are its items'],
		},
		{ text: 'Other `status` values: not shown.', obligesNobody: NOT_SHOWN },
		{ text: 'Transitions: none defined.', obligesNobody: NOT_SHOWN },
	]),
	section('Endpoints', [
		{
			text: 'Headers on all: `Authorization: Bearer <API_KEY>`, `Content-Type: application/json`.',
			demands: ['every request of the four endpoints brings its key and says that it is JSON'],
		},
		{
			text: 'Image generation uses `POST {api_url}/chat/completions` with `model` = an image model ID and `messages` = one `user` message whose `content` is the descriptive prompt.',
			demands: ['an image is asked for by one message of a user, at the chat endpoint'],
		},
		{
			text: 'The reply is a normal chat completion whose `choices[0].message.content` is the URL of the generated image; `usage` token counts are 0 and `model` may carry a `:<digest>` suffix.',
			demands: ['an image comes as its address; no tokens are counted, and the model may carry a digest'],
		},
		{
			text: 'Specific, descriptive prompts (style, lighting, composition, mood) give better results.',
			obligesNobody: 'It is advice for whoever writes a prompt.',
		},
		{
			text: 'Web search: send `model` = `<service>-search` with system and user messages to the chat endpoint; streaming works the same as for other models.',
			demands: ['a search takes messages of system and user, and streams as any other model does'],
		},
		{ text: 'Video generation endpoint: not shown.', obligesNobody: NOT_SHOWN },
		{
			text: 'Endpoints that create or manage model aliases, and that list models: not shown.',
			obligesNobody: NOT_SHOWN,
		},
	]),
	section('Events', [
		{
			text: 'The chat endpoint streams `chat.completion.chunk` objects over SSE when `stream` is true.',
			repeats: ['inference/chat-completion-request/5', 'inference/chat-completion-response/prose/1'],
		},
		{
			text: 'The responses endpoint always streams SSE events; the stream ends with `response.completed`.',
			repeats: ['inference/endpoints/3', 'inference/events/11'],
		},
		{
			text: 'The model emitting a tool call is followed by the client executing it and sending a new request with the `function_call` and `function_call_output` items appended to `input`; the model then answers in text.',
			demands: ['a tool call is answered by a new request with the call and its result appended; the answer is text'],
		},
		{ text: 'Outbound webhooks or notifications: not shown.', obligesNobody: NOT_SHOWN },
	]),
	section('Errors', [
		{
			text: 'Responses endpoint error body: `{error: {code (string), message (string)}}`.',
			demands: ['an error of the responses endpoint has a code and a message, both texts'],
		},
		{
			text: 'Example: code `400` with a missing-parameter message.',
			demands: ['a missing parameter is told with the code 400'],
		},
		{
			text: 'HTTP status of each message above other than the missing-parameter case: not shown.',
			obligesNobody: NOT_SHOWN,
		},
		{
			text: 'Error bodies and status codes of chat completions and of the decision endpoint: not shown.',
			obligesNobody: NOT_SHOWN,
		},
	]),
];
