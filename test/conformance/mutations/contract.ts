import { type Mutation, of } from './mutation.ts';

const CHAT = ['chatClient'];
const ROUTING = ['modelIdentifiers', 'provider'];

/** Changes of what is known about requests and replies. */
export const contractMutations: readonly Mutation[] = [
	...of('src/contract/chatRequest.ts', CHAT, [
		['a temperature above 2', 'temperature: numberBetween(0, 2)', 'temperature: numberBetween(0, 3)'],
		['a temperature below 0', 'temperature: numberBetween(0, 2)', 'temperature: numberBetween(-1, 2)'],
		['a top_p above 1', 'top_p: numberAbove(0, 1)', 'top_p: numberAbove(0, 2)'],
		['a top_k of 0', 'top_k: integerFrom(1)', 'top_k: integerFrom(0)'],
		[
			'a frequency penalty below -2',
			'frequency_penalty: numberBetween(-2, 2)',
			'frequency_penalty: numberBetween(-3, 2)',
		],
		['a presence penalty above 2', 'presence_penalty: numberBetween(-2, 2)', 'presence_penalty: numberBetween(-2, 3)'],
		['a repetition penalty above 2', 'repetition_penalty: numberAbove(0, 2)', 'repetition_penalty: numberAbove(0, 3)'],
		['a min_p below 0', 'min_p: numberBetween(0, 1)', 'min_p: numberBetween(-1, 1)'],
		['a top_a above 1', 'top_a: numberBetween(0, 1)', 'top_a: numberBetween(0, 2)'],
		['max_tokens of 0', 'max_tokens: integerFrom(1)', 'max_tokens: integerFrom(0)'],
		['a negative top_logprobs', 'top_logprobs: integerFrom(0)', 'top_logprobs: integerFrom(-1)'],
		['a seed that is no whole number', "seed: z.int('allowed: a whole number')", 'seed: z.number()'],
		['a text in place of stop', 'stop: z.array(z.string())', 'stop: z.any()'],
		['a result that names no call', "(role === 'tool') === (tool_call_id !== undefined)", 'true'],
		['a role of chat is not known', "'assistant', 'tool'])", "'assistant'])"],
		['no messages', 'z.array(messageSchema).min(1)', 'z.array(messageSchema)'],
		[
			'a format without a type',
			'z.looseObject({ type: z.string() })',
			'z.looseObject({ type: z.string().optional() })',
		],
	]),
	...of('src/contract/ranges.ts', CHAT, [
		['a bound that is exclusive is taken', '.gt(minimum, error)', '.min(minimum, error)'],
		[
			'a bound that is inclusive is refused',
			'z.number(error).min(minimum, error)',
			'z.number(error).gt(minimum, error)',
		],
	]),
	...of(
		'src/contract/routingPolicy.ts',
		['provider'],
		[
			['another word for the use of data', "z.enum(['allow', 'deny'])", 'z.string()'],
			['a word in place of zdr', 'zdr: z.boolean()', 'zdr: z.any()'],
			[
				'an object in sort is refused',
				"z.enum(['price', 'throughput', 'latency']), opaqueObject]",
				"z.enum(['price', 'throughput', 'latency'])]",
			],
			['the latency is no criterion', "'throughput', 'latency']), opaqueObject]", "'throughput']), opaqueObject]"],
		],
	),
	...of(
		'src/contract/zeroDataRetention.ts',
		['provider'],
		[
			['one code-oriented alternative is enough', 'names.every(name', 'names.some(name'],
			['zdr of the request does not count', '.zdr === true) {\n', '.zdr === undefined) {\n'],
			[
				'an account that is not known counts as free',
				"return { inForce: 'as-account-is-set', because: 'account' };",
				"return { inForce: 'no', because: 'account' };",
			],
			['an account that forces it does not', "accountZdr ? 'yes' : 'no'", "accountZdr ? 'no' : 'yes'"],
		],
	),
	...of(
		'src/contract/eligibility.ts',
		['provider', 'localService/routing'],
		[
			[
				'an unknown data policy counts as zdr',
				'zeroDataRetention = false, storesData',
				'zeroDataRetention = true, storesData',
			],
			['an unknown data policy counts as storing nothing', 'storesData = !zeroDataRetention', 'storesData = false'],
			['a provider that is ignored may serve', 'if (isNamed(provider, ignore)) {', 'if (false) {'],
			['only restricts nobody', 'only !== undefined && !isNamed(provider, only)', 'false'],
			['a quantization may be any', '!quantizations?.some(level => wanted.includes(level))', 'false'],
			['required parameters are not looked at', 'routingPolicy.require_parameters === true', 'false'],
		],
	),
	...of('src/contract/modelIdentifier.ts', ROUTING, [
		['a prefix forbids fallbacks', 'allow_fallbacks: true } : {}', 'allow_fallbacks: false } : {}'],
		['an alias has no provider', "typeof provider === 'string' ? { order: [provider] } : (provider ?? {})", '{}'],
		['the service’s own slug is no prefix', 'isListed ? providerPrefixes : [', 'true ? providerPrefixes : ['],
		['a full path is a plain name', 'ai` && vendor && model', 'ai` && vendor && false'],
		['a prefix needs no name', ' && text.length > prefix.length + 1', ''],
	]),
	...of('src/contract/routing.ts', ROUTING, [
		[
			'the alias wins over the request',
			'{ ...impliedRoutingPolicy(parseModelIdentifier(connection, model)), ...provider }',
			'{ ...provider, ...impliedRoutingPolicy(parseModelIdentifier(connection, model)) }',
		],
		['a prefix goes to any host', "if (connection.plan === 'enterprise') {", 'if (true) {'],
		['the service’s own slug is refused on the public host', ' || identifier.via.prefix === connection.service)', ')'],
		['a closed model may be dedicated', '?.openWeights === false', '?.openWeights === null'],
		['an empty only is sent', 'if (only?.every(isOut)) {', 'if (only?.some(isOut)) {'],
	]),
	...of(
		'src/contract/lenient.ts',
		['openRules', 'chatReplies'],
		[
			['the word None is a value', " || value === 'None';", ';'],
			['null is a value', 'value === undefined || value === null || ', 'value === undefined || '],
		],
	),
	...of(
		'src/contract/errorBody.ts',
		['chatReplies', 'sources'],
		[
			['a detail is not read', "'error', 'detail', ", "'error', "],
			['the word of an error is its sentence', "['message', 'errormessage', ", "['errormessage', "],
		],
	),
	...of(
		'src/contract/search.ts',
		['search'],
		[
			['a query costs nothing', 'query: 0.03', 'query: 0'],
			['output costs as much as input', 'outputToken: 0.0005', 'outputToken: 0.0002'],
		],
	),
	...of(
		'src/contract/citations.ts',
		['search'],
		[
			['a source without its excerpt', 'excerpt: source?.content', 'excerpt: undefined'],
			['a source runs past the text', 'Math.min(text.length, end)', 'end'],
		],
	),
	...of(
		'src/contract/images.ts',
		['images', 'localService/images'],
		[
			[
				'an address of any scheme is an image',
				"url?.protocol === 'https:' || url?.protocol === 'http:' ? text",
				'url ? text',
			],
			['a prompt may be empty', "prompt.trim() !== ''", 'true'],
		],
	),
	...of(
		'src/contract/responses.ts',
		['responses'],
		[
			['a response may be kept', 'store: z.literal(false)', 'store: z.boolean()'],
			['a response need not stream', 'stream: z.literal(true)', 'stream: z.boolean()'],
			['required is a choice of responses', "z.enum(['auto', 'none'])", "z.enum(['auto', 'none', 'required'])"],
		],
	),
	...of(
		'src/contract/decisions.ts',
		['decisions'],
		[['no questions', 'an object of at least one question', 'an object of questions']],
	),
	...of(
		'src/contract/tasks.ts',
		['tasksClient', 'taskLogClient'],
		[
			['a timeout is not final', "'stopped', 'timeout', ...OTHER", "'stopped', ...OTHER"],
			['saving is not active', "'processing', 'saving', 'running'", "'processing', 'running'"],
			['an unknown state is final', '!isFinalStatus(task.status) && task.completedAt === undefined', 'false'],
			['a list of 101', 'limit: integerBetween(1, 100)', 'limit: integerBetween(1, 101)'],
			['a list of none', 'limit: integerBetween(1, 100)', 'limit: integerBetween(0, 100)'],
			['a negative offset', 'offset: integerFrom(0)', 'offset: integerFrom(-1)'],
			['a task without a prompt', "prompt.trim() !== '', 'must not be empty'", "true, 'must not be empty'"],
			['a duration of 0', '.positive(', '.nonnegative('],
			['agents beside an agent', '(selectedAgent === undefined && selectedModel === undefined)', 'true'],
		],
	),
	...of(
		'src/contract/channel.ts',
		['channelSession', 'localService/channel'],
		[
			['a session begins at 1001', 'FIRST_NONCE = 1000', 'FIRST_NONCE = 1001'],
			['a reply is 2001 above', 'REPLY_NONCE_DISTANCE = 2000', 'REPLY_NONCE_DISTANCE = 2001'],
		],
	),
	...of(
		'src/contract/routes.ts',
		['responses', 'decisions', 'tasksClient', 'everyCall'],
		[
			[
				'responses go to the public host',
				"responses: { method: 'POST', host: 'enterprise'",
				"responses: { method: 'POST', host: 'inference'",
			],
			[
				'decisions go to the public host',
				"decisions: { method: 'POST', host: 'enterprise'",
				"decisions: { method: 'POST', host: 'inference'",
			],
			['stop is a POST', "taskStop: { method: 'PATCH'", "taskStop: { method: 'POST'"],
			['the agent API gets the token of the cloud', "host: 'agent', key: 'agent'", "host: 'agent', key: 'cloud'"],
			['health gets a key', "health: { method: 'GET', key: undefined", "health: { method: 'GET', key: 'inference'"],
		],
	),
];
