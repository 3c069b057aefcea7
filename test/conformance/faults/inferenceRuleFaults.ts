import { all, type Fault, inEachEvent, inEvent, inEvents, inReply, inRequest, missing, withStatus } from './fault.ts';

const CHAT = /^POST \/(v1\/)?chat\/completions$/;
const RESPONSES = /^POST \/v1\/responses$/;
const DECISIONS = /^POST \/typesafe\/v1\/systemone$/;
const MODELS = /^GET \/v1\/models$/;
const ANY = /./;

const OK = 200;
const BAD_REQUEST = 400;
const UNAUTHORISED = 401;
const NOT_FOUND = 404;

const fault = (breaks: string, what: string, tampering: Fault['tampering'], unseenBy?: readonly string[]): Fault => ({
	what,
	breaks: `inference/${breaks}`,
	tampering,
	...(unseenBy && { unseenBy }),
});

const completion = {
	choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Served.' } }],
};

/** Another provider than the one that serves, in a whole reply and in a stream. */
const otherProvider = all(inReply(CHAT, 'json.provider'), inEachEvent(CHAT, 'provider'));

/** Chunks without their text. */
const withoutText = inEachEvent(CHAT, 'choices.*.delta.content', missing);

const withoutTitles = all(
	inReply(CHAT, 'json.choices.*.message.annotations.*.url_citation.title', missing),
	inEachEvent(CHAT, 'choices.*.delta.annotations.*.url_citation.title', missing),
);

/** Says something else each time, as a service does that remembers what was asked before. */
function remembering() {
	let count = 0;
	return inReply(CHAT, 'json.choices.*.message.content', value => `${value} ${count++}`);
}

/** Falsifies answers that do not stand alone. */
const influenced = {
	reply(...[reply, request]: Parameters<NonNullable<ReturnType<typeof inReply>['reply']>>) {
		const { questions = {} } = (request.json ?? {}) as { questions?: object };
		if (Object.keys(questions).length > 1) {
			inReply(DECISIONS, 'json.answers.*.confidence').reply?.(reply, request);
			inReply(DECISIONS, 'json.answers.*.noul').reply?.(reply, request);
		}
	},
};

/** What inference.md and its part of unspecified.md demand beyond single fields, falsified. */
export const inferenceRuleFaults: readonly Fault[] = [
	fault('chat-completion-response/5', 'another fingerprint', inReply(CHAT, 'json.system_fingerprint')),
	fault('chat-completion-response/prose/1', 'chunks without their text', withoutText),
	fault('provider-object/prose/1', 'another provider than the one that was named', otherProvider),
	fault(
		'provider-prefix-shorthand/1',
		'a request that has lost its prefix',
		inRequest(CHAT, 'json.model', value => String(value).split('/').at(-1)),
	),
	fault('provider-prefix-shorthand/1', 'a prefix that is taken elsewhere', withStatus(CHAT, BAD_REQUEST, OK)),
	fault('provider-prefix-shorthand/3', 'another provider than the one that served', otherProvider),
	fault('provider-prefix-shorthand/prose/1', 'a name that is there after all', withStatus(CHAT, NOT_FOUND, OK)),
	fault('provider-prefix-shorthand/prose/2', 'another provider than the one of the prefix', otherProvider),
	fault('dedicated-deployments/prose/1', 'another provider than the service itself', otherProvider),
	fault('dedicated-deployments/prose/2', 'a closed model that is served', withStatus(CHAT, NOT_FOUND, OK)),
	fault('dedicated-deployments/prose/2', 'another provider beside the service itself', otherProvider),
	fault('model-alias/2', 'another provider than that of the base model', otherProvider),
	fault(
		'model-alias/prose/1',
		'a request for aliases',
		inRequest(MODELS, 'path', () => '/v1/aliases'),
	),
	fault('web-search-annotation/prose/1', 'sources without a title', withoutTitles, ['client: keeps the place']),
	fault('responses-request/9', 'a request that refers to an earlier one', {
		request(request) {
			request.text += '{"previous_response_id":"resp_1"}';
		},
	}),
	fault('responses-request/9', 'a refusal in other words', inReply(RESPONSES, 'json.error.message')),
	fault(
		'responses-request/prose/1',
		'a final response without its time',
		inEvent(RESPONSES, 'response.completed', 'response.created_at', missing),
		['the local service: usage counts'],
	),
	fault(
		'responses-request/prose/1',
		'a final response with another sum of tokens',
		inEvent(RESPONSES, 'response.completed', 'response.usage.total_tokens'),
		['the local service: a reply is'],
	),
	fault(
		'responses-request/prose/2',
		'a tool call that is not completed',
		inEvent(RESPONSES, 'response.completed', 'response.output.*.status'),
	),
	fault('decision-request-and-response/prose/1', 'a question that is taken as it is', withStatus(DECISIONS, 400, OK)),
	fault(
		'decision-request-and-response/prose/1',
		'an answer to another type of question',
		inReply(DECISIONS, 'json.answers.*.type'),
	),
	fault(
		'decision-request-and-response/prose/2',
		'an answer of another type',
		inReply(DECISIONS, 'json.answers.*.type'),
	),
	fault(
		'decision-request-and-response/prose/3',
		'a decision that counts no input',
		inReply(DECISIONS, 'json.usage.input_tokens', missing),
	),
	fault('decision-request-and-response/prose/4', 'answers that depend on each other', influenced),
	fault(
		'states-and-transitions/prose/1',
		'a chat request that leaves its text to an earlier one',
		inRequest(CHAT, 'json.messages.*.content'),
	),
	fault(
		'states-and-transitions/prose/1',
		'a decision that leaves its state to an earlier one',
		inRequest(DECISIONS, 'json.state.*'),
	),
	fault('states-and-transitions/prose/1', 'a reply that remembers', remembering, [
		'client: asks the service for nothing',
	]),
	fault(
		'states-and-transitions/prose/2',
		'a request without what was said before',
		inRequest(RESPONSES, 'json.input', value => (value as unknown[]).slice(-1)),
	),
	fault(
		'states-and-transitions/prose/3',
		'a response that never is completed',
		inEvent(RESPONSES, 'response.completed', 'response.status'),
	),
	fault('endpoints/3', 'a request on another path', inRequest(RESPONSES, 'path')),
	fault(
		'endpoints/3',
		'a stream that does not begin',
		inEvents(RESPONSES, events => events.filter(({ event }) => event !== 'response.created')),
		['client: asks the enterprise host'],
	),
	fault('endpoints/3', 'the endpoint on the other host', withStatus(RESPONSES, NOT_FOUND, OK)),
	fault('endpoints/4', 'a decision on another path', inRequest(DECISIONS, 'path')),
	fault('endpoints/4', 'a decision without its answers', inReply(DECISIONS, 'json.answers', missing)),
	fault('endpoints/4', 'the endpoint on the other host', withStatus(DECISIONS, NOT_FOUND, OK)),
	fault('endpoints/prose/1', 'a request without its key', inRequest(ANY, 'headers.authorization', missing)),
	fault('endpoints/prose/1', 'a request that is not said to be JSON', inRequest(ANY, 'headers.content-type', missing)),
	fault('endpoints/prose/1', 'a key that nobody looks at', withStatus(ANY, UNAUTHORISED, OK)),
	fault('endpoints/prose/2', 'another description', inRequest(CHAT, 'json.messages.*.content')),
	fault('endpoints/prose/2', 'an image of nothing', withStatus(CHAT, BAD_REQUEST, OK)),
	fault('endpoints/prose/2', 'an image that is nowhere', inReply(CHAT, 'json.choices.*.message.content')),
	fault(
		'endpoints/prose/3',
		'words around the address of an image',
		inReply(CHAT, 'json.choices.*.message.content', value => `Here it is: ${value}`),
	),
	fault('endpoints/prose/4', 'a search that streams no text', withoutText),
	fault(
		'events/prose/1',
		'a result that is not appended',
		inRequest(RESPONSES, 'json.input', value => (value as unknown[]).slice(0, -1)),
	),
	fault('errors/prose/1', 'an error without its message', inReply(RESPONSES, 'json.error.message', missing)),
	fault('errors/prose/2', 'a missing parameter that is not told', inReply(RESPONSES, 'json.error.message', missing)),
	fault('errors/prose/2', 'another code of an error', inReply(RESPONSES, 'json.error.code'), [
		'client: tells of a parameter',
	]),
	fault('authentication/2', 'a request without its key', inRequest(ANY, 'headers.authorization', missing)),
	fault('authentication/2', 'a key that nobody looks at', withStatus(ANY, UNAUTHORISED, OK)),
	fault(
		'authentication/3',
		'a request that manages keys',
		inRequest(MODELS, 'path', () => '/v1/keys'),
	),
	fault('limits/1', 'another temperature', inRequest(CHAT, 'json.temperature')),
	fault('limits/1', 'a parameter beyond its range that is taken', withStatus(CHAT, BAD_REQUEST, OK)),
	fault(
		'versioning/1',
		'a field that is not documented, changed',
		inEvent(RESPONSES, 'response.output_text.delta', 'extra'),
	),
	fault(
		'versioning/2',
		'a version in every path',
		inRequest(CHAT, 'path', () => '/v1/chat/completions'),
	),
	fault('versioning/2', 'another answer where the path has a version', {
		reply(reply, request) {
			if (request.path.startsWith('/v1')) {
				inReply(CHAT, 'json.choices.*.message.content').reply?.(reply, request);
			}
		},
	}),
	fault('versioning/4', 'another model', inRequest(CHAT, 'json.model')),
	fault(
		'versioning/4',
		'a list without models',
		inReply(MODELS, 'json.data', () => []),
	),
	fault(
		'zero-data-retention-zdr/4',
		'other cached tokens',
		all(inReply(CHAT, 'json.usage.prompt_tokens_details.cached_tokens'), inEachEvent(CHAT, 'usage.total_tokens')),
	),
	fault(
		'zero-data-retention-zdr/5',
		'a provider that serves all the same',
		withStatus(CHAT, NOT_FOUND, OK, completion),
	),
	fault('zero-data-retention-zdr/6', 'a request that is not whole', inRequest(CHAT, 'json.messages.*.content')),
	...(
		[
			[5, 'another provider than the one of the request', otherProvider],
			[
				6,
				'a user that nobody set',
				{
					request({ json }) {
						if (typeof json === 'object' && json !== null) {
							Reflect.set(json, 'user', 'somebody');
						}
					},
				},
			],
			[7, 'a request that stores', inRequest(RESPONSES, 'json.store')],
			[7, 'a contradiction that is taken', withStatus(RESPONSES, BAD_REQUEST, OK)],
			[9, 'another provider than the account allows', otherProvider],
			[17, 'a request for a video', inRequest(MODELS, 'path', () => '/v1/videos')],
		] satisfies [number, string, Fault['tampering']][]
	).map(([position, what, tampering]): Fault => ({ what, breaks: `unspecified/inference/${position}`, tampering })),
	...(
		[
			[1, 'a reply that fails', withStatus(ANY, OK, 500)],
			[2, 'a field that nobody knows, changed', all(inReply(ANY, 'json.berth'), inEachEvent(ANY, 'berth'))],
			[
				3,
				'a field that is not documented',
				{
					request({ json }) {
						if (typeof json === 'object' && json !== null) {
							Reflect.set(json, 'berth', 7);
						}
					},
				},
			],
			[4, 'another text', inEachEvent(CHAT, 'choices.*.delta.content')],
		] satisfies [number, string, Fault['tampering']][]
	).map(
		([position, what, tampering]): Fault => ({
			what,
			breaks: `unspecified/what-the-contract-leaves-open-and-what-we-do-there/prose/${position}`,
			tampering,
		}),
	),
];
