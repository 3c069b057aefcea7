import { type Mutation, of } from './mutation.ts';

const CHAT = ['chatClient', 'chatReplies', 'provider'];
const LOG = ['taskLogClient'];
const TASKS = ['tasksClient'];
const CHANNEL = ['channelSession', 'channelRenewal', 'channelEvidence', 'channelClient'];

/** Every field of a chat request but the model and the messages, without which nothing works. */
const FIELDS = [
	'models',
	'provider',
	'max_tokens',
	'temperature',
	'seed',
	'top_p',
	'top_k',
	'frequency_penalty',
	'presence_penalty',
	'repetition_penalty',
	'logit_bias',
	'top_logprobs',
	'min_p',
	'top_a',
	'stop',
	'tools',
	'tool_choice',
	'response_format',
	'user',
];

/** Changes of the client. */
export const clientMutations: readonly Mutation[] = [
	...FIELDS.flatMap(field => [
		...of('src/client/chat.ts', CHAT, [
			[
				`a streamed request loses ${field}`,
				'request), stream: true }',
				`request), stream: true, ${field}: undefined }`,
			],
			[`a request for a whole reply loses ${field}`, '{ stream: _, ...body }', `{ stream: _, ${field}: __, ...body }`],
		]),
	]),
	...of('src/client/chat.ts', CHAT, [
		[
			'the other path serves chat',
			'streamChat(caller, routes.chatCompletions,',
			'streamChat(caller, routes.chatCompletionsV1,',
		],
		['a whole reply is asked for once only', "retry: 'turned-away' as const", "retry: 'never' as const"],
		['a reply may be as long as the context', 'maximum >= contextLength)', 'maximum > contextLength)'],
		['the ranges of a request are not checked', 'checkRequest(chatRequestSchema, request);', ''],
		['a routing policy that leaves nobody is sent', 'if (problem) {', 'if (false) {'],
		['every choice is read as the first one', '(choice.index ?? 0) === 0', 'true'],
		['the end mark ends nothing', "if (chunk === 'end') {\n\t\t\tthis.isEnded = true;", "if (chunk === 'end') {"],
		['a finish reason does not let a stream close', 'this.mayClose = true;', ''],
		['one of the names of reasoning is not read', ' || present(message.reasoning_content)', ''],
		['a stream counts no tokens', '\t\treadUsage(chunk.usage, into);', ''],
		['a stream does not name who serves', '\t\tthis.readServed(chunk, into);', ''],
		['sources are dropped', 'if (known.length > 0) {', 'if (known.length > 9) {'],
		['the native reason is dropped', "'native_finish_reason'", "'native_reason'"],
	]),
	...of(
		'src/client/toolCalls.ts',
		['chatReplies'],
		[
			['fragments of a call are not joined', "text = parts.join('')", "text = parts[0] ?? ''"],
			['a message that called has no content', "content: text ?? ''", "content: text || '?'"],
			['calls are not sent back', 'toolCalls.length === 0 ? undefined', 'toolCalls.length >= 0 ? undefined'],
		],
	),
	...of(
		'src/client/chat.ts',
		['search', 'chatReplies'],
		[['search goes to the path without a version', 'routes.chatCompletionsV1', 'routes.chatCompletions']],
	),
	...of(
		'src/client/chat.ts',
		['images'],
		[
			['words are taken for an image', 'url === undefined', 'false'],
			[
				'a digest stays in the name of the model',
				'...splitDigest(reply.model ?? model, model)',
				'model: reply.model ?? model',
			],
		],
	),
	...of(
		'src/client/models.ts',
		['models'],
		[
			['a list that is not there is an error', "ClientError.is(error, 'not-found') || ", ''],
			['a list is asked for again and again', "retry: 'never'", "retry: 'idempotent'"],
		],
	),
	...of(
		'src/client/responses.ts',
		['responses'],
		[
			['a response is not said to be kept', 'store: false, ', ''],
			['a response does not stream', ', stream: true', ''],
			['a code-oriented model does without instructions', '!instructions && ', 'false && '],
			['a documented refusal is not recognised', 'if (field === undefined) {', 'if (field !== "") {'],
		],
	),
	...of(
		'src/client/responses.ts',
		['responses', 'openRules'],
		[
			['any event ends a response', "known.type === 'response.completed'", 'true'],
			['no event ends a response', "this.isEnded = known.type === 'response.completed';", ''],
			['an incomplete response is whole', "?.['type'] === 'response.incomplete'", "?.['type'] === 'response.half'"],
		],
	),
	...of(
		'src/client/core/responseData.ts',
		['responses', 'openRules'],
		[
			['a failed response is no error', "type === 'response.failed'", "type === 'response.fallen'"],
			['the word None is a type', ' || isAbsent(named)', ''],
		],
	),
	...of(
		'src/client/responseOutput.ts',
		['responses'],
		[
			['the completed output is not looked at', 'if (this.completed.length > 0) {', 'if (false) {'],
			['fragments replace each other', "entry.arguments + (event.delta ?? '')", "event.delta ?? ''"],
			['reasoning is dropped', "case 'reasoning':\n\t\t\t\treturn [item];", "case 'reasoning':\n\t\t\t\treturn [];"],
		],
	),
	...of(
		'src/client/decisions.ts',
		['decisions'],
		[
			['the model of a decision is left out', '{ ...request, model })', '{ ...request })'],
			['the version that answered is dropped', 'model: read.model', 'model: undefined'],
			['the tokens of a decision are dropped', 'usage: read.usage', 'usage: undefined'],
		],
	),
	...of(
		'src/client/agentTasks.ts',
		['agentTasks'],
		[
			['a missing plan is any refusal', "{ 403: 'plan-required' }", '{}'],
			['the page is left out', 'query: { page, limit, status }', 'query: { limit, status }'],
			['the state is left out', 'query: { page, limit, status }', 'query: { page, limit }'],
		],
	),
	...of(
		'src/client/sources.ts',
		['sources'],
		[
			['a missing link is any 404', ", 404: 'source-link-missing'", ''],
			['a look-up loses its query', '\t\tquery,\n', ''],
			['another segment', 'values: { scm }', "values: { scm: 'git' }"],
		],
	),
	...of('src/client/tasks.ts', TASKS, [
		['a task may be created twice', "retry: 'never',", "retry: 'turned-away',"],
		['a follow-up may be sent twice', "retry: 'never' as const", "retry: 'turned-away' as const"],
		['stop is another word', "action: 'stop'", "action: 'halt'"],
		['a follow-up loses its agent', 'selectedAgent: agent, ', ''],
		['a refused follow-up is taken for accepted', '.data?.success === false', '.data?.success === null'],
		['a task that is in the list alone is not found', "!ClientError.is(error, 'not-found')", 'true'],
		['a missing link is any 404', 'codes: CREATE_CODES,', ''],
	]),
	...of('src/client/tasks.ts', TASKS, [
		['a list loses its limit', 'query: { limit, offset, filter, status }', 'query: { offset, filter, status }'],
		['a list loses its offset', 'query: { limit, offset, filter, status }', 'query: { limit, filter, status }'],
		['a list loses its filter', 'query: { limit, offset, filter, status }', 'query: { limit, offset, status }'],
		['a list loses its state', 'query: { limit, offset, filter, status }', 'query: { limit, offset, filter }'],
		['the offset that was used is not told', 'page.offset ?? offset ?? 0', 'offset ?? 0'],
		['the limit that was used is not told', 'page.limit ?? limit', 'limit'],
		['a list never goes on', 'hasMore: page.hasMore ?? false', 'hasMore: false'],
		['the default limit is another', 'DEFAULT_LIMIT = 50', 'DEFAULT_LIMIT = 20'],
	]),
	...of('src/client/follow.ts', LOG, [
		['a log is always read from its begin', 'fromIndex: log.nextIndex, includeStatus }', 'fromIndex, includeStatus }'],
		['a log is not told whether states are wanted', 'log.nextIndex, includeStatus }', 'log.nextIndex }'],
		['states are not wanted by default', 'id, includeStatus = true }', 'id, includeStatus = false }'],
		['a log begins at its second entry', 'fromIndex = 0, includeStatus = true', 'fromIndex = 1, includeStatus = true'],
		['a log that is not allowed is asked for again', '[401, 403, 404]', '[401, 404]'],
		['silence does not count', 'includeStatus ? limits.followSilenceMs : limits.idleMs', 'limits.idleMs * 1e6'],
	]),
	...of('src/client/logReader.ts', LOG, [
		['an entry that was seen is dropped one too late', 'index < this.nextIndex', 'index < this.nextIndex - 1'],
		[
			'an entry that is missing is not asked for',
			'if (!this.isAskedAgain()) {\n\t\t\tthis.early.clear();\n\t\t\treturn ENTRIES_MISSING;',
			'if (false) {\n\t\t\tthis.early.clear();\n\t\t\treturn ENTRIES_MISSING;',
		],
		['a gap ends too early', 'this.tellGap(totalLogs - 1, events)', 'this.tellGap(totalLogs - 2, events)'],
		['a gap is not told', "into.push({ type: 'gap', from: this.nextIndex, to });", ''],
		['the greeting is not told', "into.push({ type: 'connected', fromIndex: this.nextIndex });", ''],
		['the time of sending is dropped', 'sentAt: timestamp', 'sentAt: undefined'],
		['an error is an event like others', "if (event === 'error') {", "if (event === 'failure') {"],
		['the end is told without its state', 'status: status ?? this.finalStatus', 'status: this.finalStatus'],
		['the number of entries is not told', 'totalLogs: total,', 'totalLogs: null,'],
	]),
	...of(
		'src/client/core/retry.ts',
		['chatReplies'],
		[
			['a fourth try', 'count >= options.tries', 'count > options.tries'],
			['503 is final', 'error.status === 429 || error.status === 503', 'error.status === 429'],
			['429 is final', 'error.status === 429 || error.status === 503', 'error.status === 503'],
			['any wait is waited', '|| (error.retryAfterMs ?? 0) > maximumWaitMs', ''],
		],
	),
	...of(
		'src/client/core/caller.ts',
		['chatReplies', 'sources'],
		[
			[
				'a wait that is asked for is not told',
				'...defined({ retryAfterMs, serviceMessage: body.message, upstreams: body.upstreams })',
				'...defined({ serviceMessage: body.message, upstreams: body.upstreams })',
			],
			[
				'the words of the service are dropped',
				'...defined({ retryAfterMs, serviceMessage: body.message, upstreams: body.upstreams })',
				'...defined({ retryAfterMs, upstreams: body.upstreams })',
			],
		],
	),
	...of(
		'src/client/core/failures.ts',
		['chatReplies', 'tasksClient', 'channelSession'],
		[
			['402 is any refusal', "\t[402, 'payment-required'],\n", ''],
			['413 is any refusal', "\t[413, 'too-large'],\n", ''],
			['502 is any failure', "\t[502, 'upstream'],\n", ''],
			['a key that is refused is a missing right', "[401, 'unauthorised']", "[401, 'forbidden']"],
		],
	),
	...of('src/client/channel/attest.ts', CHANNEL, [
		['another verdict is not asked about', ' || (current !== undefined && hasOtherVerdicts(current, now))', ''],
		['another key is not asked about', 'const isOther = isOtherKey || ', 'const isOther = '],
		[
			'what nobody agreed to is used',
			'if (!(await isYes(async () => confirm?.(known, now, { wasSent }), signal))) {',
			'if (false) {',
		],
		['what was sent is not told', 'wasSent = false,', 'wasSent = true,'],
	]),
	...of('src/client/channel/session.ts', CHANNEL, [
		['a session goes on after tampering', 'this.tampering = error;', ''],
		['an expired session is not renewed', 'if (!isExpired && (isFirst || !isRefusal(error))) {', 'if (error) {'],
		['the first nonce is another', 'nonce: FIRST_NONCE, replies', 'nonce: FIRST_NONCE + 1, replies'],
		['the nonce stays', '\t\tsession.nonce++;\n', ''],
		['a session that is bound to a key is used again', 'memory.noteSessionPerMessage(this.address);', ''],
	]),
	...of('src/client/channel/ladder.ts', CHANNEL, [
		[
			'a bad nonce is let pass',
			"\t'nonce',\n\t'gpu-evidence',\n\t'gpu-token',\n]);",
			"\t'gpu-evidence',\n\t'gpu-token',\n]);",
		],
		[
			'a bad signature is let pass',
			"\t'signature',\n\t'nonce',\n\t'gpu-evidence',\n\t'gpu-token',\n]);",
			"\t'nonce',\n\t'gpu-evidence',\n\t'gpu-token',\n]);",
		],
	]),
	...of('src/client/channel/verdicts.ts', CHANNEL, [
		['no verdict ever changes', 'return verdictsOf(before) !== verdictsOf(now);', 'return false;'],
	]),
	...of('src/client/channel/checks.ts', CHANNEL, [
		['a nonce of 15 bytes will do', 'MINIMUM_NONCE_BYTES = 16', 'MINIMUM_NONCE_BYTES = 15'],
		['a nonce of 65 bytes will do', 'MAXIMUM_NONCE_BYTES = 64', 'MAXIMUM_NONCE_BYTES = 65'],
		['a nonce may come again', 'if (isKnown(input)) {', 'if (false) {'],
		['a report may say something else', 'isDeepStrictEqual(report, signed)', 'true'],
		['one hash of a signature is not tried', "['SHA-256', 'SHA-384'] satisfies", "['SHA-256'] satisfies"],
		['one form of a signature is not tried', 'signature.length === RAW_SIGNATURE_LENGTH ? [{', 'false ? [{'],
	]),
	...of('src/client/channel/checks.ts', CHANNEL, [
		['the nonce of the report is not compared', "...claims(fieldOf(report, 'eat_nonce'), 'report_json'),", ''],
		[
			'the nonce of the token is not compared',
			"...tokensOf(token).flatMap(jwt => claims(fieldOf(unprovenClaims(jwt), 'eat_nonce'), 'gpu_eat')),",
			'',
		],
		['one spelling of a nonce is not known', ", bytes.toString('base64url')]", ']'],
	]),
	...of('src/client/channel/handshake.ts', CHANNEL, [
		['a part may come twice', 'if (this.ivs.has(iv)) {', 'if (false) {'],
	]),
	...of('src/client/channel/message.ts', CHANNEL, [
		['nonces may not grow', 'this.count === 1 && nonce === this.next + 1', 'false'],
		['a later nonce may be any', 'return isNext;', 'return isNext || this.count > 2;'],
	]),
	...of('src/client/channel/address.ts', CHANNEL, [
		['the shared address serves all', 'orgUrl !== undefined && model !== undefined && provider !== undefined', 'false'],
		['the provider of a model is not known', 'provider = providerOf(connection, model)', 'provider'],
	]),
];
