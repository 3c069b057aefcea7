import { type Mutation, of } from './mutation.ts';

/** Changes of the local service. */
export const serviceMutations: readonly Mutation[] = [
	...of(
		'src/service/inference/chatRoutes.ts',
		['localService/chat'],
		[
			['a chunk is called a completion', "headOf('chat.completion.chunk', reply)", "headOf('chat.completion', reply)"],
			['a reply does not name who served', 'created, model, provider, system', 'created, model, system'],
			['a whole reply counts no tokens', 'usage: usage && withDetails(usage)', 'usage: undefined'],
			[
				'the tokens have no details',
				'prompt_tokens_details: { ...NO_PROMPT_DETAILS, ...usage.prompt_tokens_details },',
				'',
			],
			[
				'the native reason is missing',
				'undefined : { native_finish_reason: native }',
				'undefined : undefined',
				'The servers that are asked say themselves why they stopped.',
			],
			['both paths know prefixes', 'takesPrefixes = route === routes.chatCompletions', 'takesPrefixes = true'],
		],
	),
	...of(
		'src/service/inference/gateway.ts',
		['localService/routing', 'localService/modelServers'],
		[
			['zdr is not kept', "inForce === 'yes';", "inForce === 'no';"],
			['prefixes are known everywhere', 'if (!takesPrefixes && ', 'if (false && '],
			['alternates are not tried', '...(request.models ?? [])];', '];'],
		],
	),
	...of(
		'src/service/inference/ranking.ts',
		['localService/modelServers', 'localService/routing'],
		[
			[
				'the dearest is the cheapest',
				'(prices.get(one) ?? 0) - (prices.get(other) ?? 0)',
				'(prices.get(other) ?? 0) - (prices.get(one) ?? 0)',
			],
			['the slowest is the fastest', "return what === 'latency' ? value : -value;", 'return value;'],
			['the latest is the first', "return what === 'latency' ? value : -value;", 'return -value;'],
			[
				'the order does not count',
				'const { order = [], allow_fallbacks } = routing;',
				'const { allow_fallbacks } = routing;\n\tconst order: string[] = [];',
			],
			[
				'an object does not sort',
				"typeof sort === 'object' ? sort['by'] : sort",
				"typeof sort === 'object' ? undefined : sort",
			],
		],
	),
	...of(
		'src/service/inference/wholeReply.ts',
		['localService/chat', 'localService/search'],
		[
			['a whole reply has no sources', 'append(message.annotations, delta.annotations);', ''],
			['the reason of a choice is missing', 'choice.finish_reason = finish_reason;', ''],
		],
	),
	...of(
		'src/service/responses/responsesRequest.ts',
		['localService/responses'],
		[
			['instructions may be missing', "throw refusal('Instructions are required');", ''],
			['a text is taken for input', 'if (!Array.isArray(input)) {', 'if (false) {'],
			['a response may be kept', "throw refusal('Store must be set to false');", ''],
			['a response need not stream', "throw refusal('Stream must be set to true');", ''],
			['an earlier response may be named', "if (received['previous_response_id'] !== undefined) {", 'if (false) {'],
			['an empty input is taken', 'if (input.length === 0) {', 'if (false) {'],
		],
	),
	...of(
		'src/service/responses/responseEvents.ts',
		['localService/responses'],
		[
			['a response has no time', '\t\t\tcreated_at: this.createdAt,\n', ''],
			['a response counts no tokens', 'usage: usageOf(this.usage)', 'usage: null'],
			['a response does not begin', "this.event('response.created', { response }), ", ''],
		],
	),
	...of(
		'src/service/decisions/decisionRoutes.ts',
		['localService/decisions'],
		[
			['any number of questions', 'ids.length > MAXIMUM_QUESTIONS', 'ids.length > 1000'],
			['any number of criteria', 'count > MAXIMUM_CRITERIA', 'count > 1000'],
			['any model decides', 'if (model !== latest && ', 'if (false && '],
			['the version is not told', 'model: latest }', 'model }'],
		],
	),
	...of(
		'src/service/decisions/evaluate.ts',
		['localService/decisions'],
		[
			['the least likely option wins', 'share > best.share', 'share < best.share'],
			[
				'a score is the likeliest level',
				'shares === undefined ? Number(chosen.name) : meanLevel(shares)',
				'Number(chosen.name)',
			],
			['a score has no legend', '\t\t\t\tlegend: { ...question.criteria },\n', ''],
		],
	),
	...of(
		'src/service/channel/channelSession.ts',
		['localService/channel'],
		[
			['any nonce is the next one', 'if (nonce !== this.nonce) {', 'if (false) {'],
			['a nonce stays the next one', '\t\tthis.nonce++;\n', ''],
			['an IV may be used again', 'if (this.ivs.has(iv)) {', 'if (false) {'],
			[
				'a text may have any size',
				'if (ciphertext.length > MAXIMUM_CIPHERTEXT_MEGABYTES * 1024 * 1024) {',
				'if (false) {',
			],
			['an expired session is any refusal', 'new RequestRefused(409, ', 'new RequestRefused(400, '],
		],
	),
	...of(
		'src/service/tasks/taskRequests.ts',
		['localService/tasks'],
		[
			['a page has 20 tasks', 'DEFAULT_LIMIT = 50', 'DEFAULT_LIMIT = 20'],
			['a log begins at its second entry', 'fromIndex: query.fromIndex ?? 0', 'fromIndex: query.fromIndex ?? 1'],
			[
				'a log is silent by default',
				'includeStatus: query.includeStatus ?? true',
				'includeStatus: query.includeStatus ?? false',
			],
		],
	),
	...of(
		'src/service/tasks/taskRoutes.ts',
		['localService/tasks'],
		[
			['a missing task is told in other words', "'Task not found'", "'No such task'"],
			['the page is not told', 'tasks: views, hasMore, ...page }', 'tasks: views, hasMore }'],
		],
	),
	...of(
		'src/service/tasks/logStream.ts',
		['localService/tasks'],
		[
			['a state every 20 seconds', 'STATUS_INTERVAL_MS = 2_000', 'STATUS_INTERVAL_MS = 20_000'],
			[
				'the number of entries is wrong',
				'totalLogs: await store.entryCount(task)',
				'totalLogs: 1 + await store.entryCount(task)',
			],
			['an entry has another index', 'index: next + offset', 'index: next + offset + 1'],
			['states come though nobody wants them', 'if (includeStatus && (', 'if ((true) && ('],
			['the greeting does not tell where it begins', 'taskId: id, fromIndex, message', 'taskId: id, message'],
		],
	),
	...of(
		'src/service/store/taskRecord.ts',
		['localService/tasks'],
		[
			['saving is not active', "['pending', 'processing', 'saving']", "['pending', 'processing']"],
			['a timeout is no failure', "failed: ['error', 'timeout']", "failed: ['error']"],
		],
	),
	...of(
		'src/service/sources/sourceRoutes.ts',
		['localService/sources'],
		[
			['no branch is the default', 'isDefault: branch === current', 'isDefault: false'],
			['a missing owner is no fault', "value === undefined || value.trim() === ''", 'false'],
			['a repository that cannot be read is missing', 'runOrRefuse(502, ', 'runOrRefuse(404, '],
			['a repository has another full name', 'full_name: `', 'full_name: `x'],
		],
	),
	...of(
		'src/service/guard.ts',
		['localService/chat'],
		[
			['any token will do', "if (sent === 'wrong') {", 'if (false) {'],
			['no token is needed', "if (sent === 'none') {", 'if (false) {'],
		],
	),
];
