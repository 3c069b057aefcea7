import assert from 'node:assert/strict';
import { RefusedParameters } from '../../../../../src/service/inference/upstreams/serverRefusals.ts';

const REQUEST = {
	model: 'small',
	messages: [{ role: 'user', content: 'Hello' }],
	stream: true,
	stream_options: { include_usage: true },
	max_tokens: 9,
	temperature: 0.2,
	top_p: 0.9,
	top_k: 3,
	min_p: 0.1,
	seed: 1,
	presence_penalty: 1,
	frequency_penalty: 1,
	logit_bias: { 5: 1 },
	top_logprobs: 2,
	logprobs: true,
	stop: ['end'],
	user: 'u',
	tools: [],
	tool_choice: 'auto',
	response_format: { type: 'json_schema' },
};

/** The names that a request has lost and gained, after a server has said this of it. */
function changes(said: string, body: object = REQUEST): { lost: string[]; gained: string[]; isAmended: boolean } {
	const draft = new RefusedParameters().draft('small', { ...body });
	const isAmended = draft.amend(said);
	return {
		isAmended,
		lost: Object.keys(body).filter(name => !(name in draft.body)),
		gained: Object.keys(draft.body).filter(name => !(name in body)),
	};
}

describe('what a server refuses of a request', () => {
	const NAMED: readonly (readonly [said: string, lost: readonly string[], gained?: readonly string[]])[] = [
		[
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
			['max_tokens'],
			['max_completion_tokens'],
		],
		['max_tokens is not supported.', ['max_tokens'], ['max_completion_tokens']],
		['This model requires max_completion_tokens.', ['max_tokens'], ['max_completion_tokens']],
		['body.max_tokens: Extra inputs are not permitted', ['max_tokens'], ['max_completion_tokens']],
		[
			"'max_tokens' and 'top_k' are not supported. Please use `max_completion_tokens`.",
			['max_tokens', 'top_k'],
			['max_completion_tokens'],
		],
		['max_tokens is not supported; use max_output_tokens instead', ['max_tokens'], ['max_output_tokens']],
		[
			"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
			['temperature'],
		],
		['temperature does not support 0.2 with this model. Only the default (1) value is supported.', ['temperature']],
		['invalid temperature: only 1 is allowed for this model', ['temperature']],
		['`temperature` is deprecated for this model.', ['temperature']],
		['`temperature` may only be set to 1 when thinking is enabled.', ['temperature']],
		['Unrecognized request argument supplied: top_k', ['top_k']],
		['Unrecognized request arguments supplied: top_k, min_p', ['top_k', 'min_p']],
		['Unrecognized request argument supplied: stream_options', ['stream_options']],
		['stream_options.include_usage: Extra inputs are not permitted', ['stream_options']],
		['body.top_k: extra fields not permitted; body.min_p: extra fields not permitted', ['top_k', 'min_p']],
		['[body, top_k]: Extra inputs are not permitted', ['top_k']],
		["property 'min_p' is unsupported, did you mean 'top_p'?", ['min_p']],
		['Invalid JSON payload received. Unknown name "top_k": Cannot find field.', ['top_k']],
		['unknown field `top_k`, expected one of `model`, `messages`, `temperature`, `seed` at line 1', ['top_k']],
		['json: unknown field "min_p"', ['min_p']],
		['Argument not supported on this model: presencePenalty', ['presence_penalty']],
		['Model grok does not support parameter frequencyPenalty.', ['frequency_penalty']],
		[
			"UnsupportedParamsError: it does not support parameters: ['top_k'], for model=x. Set `drop_params=True`",
			['top_k'],
		],
		["generate() got an unexpected keyword argument 'top_k'", ['top_k']],
		["Additional properties are not allowed ('logit_bias' was unexpected)", ['logit_bias']],
		['#: extraneous key [frequency_penalty] is not permitted, please reformat your input', ['frequency_penalty']],
		['Unknown parameter. Its name is seed.', ['seed']],
		['seed is not one of the supported parameters: temperature, top_p, stop', ['seed']],
		['The parameter "seed" is not yet supported', ['seed']],
		["This model doesn't accept stop sequences in 'stop'", ['stop']],
		['You are not allowed to request logprobs from this model', ['top_logprobs', 'logprobs']],
		["'user' is not allowed here", ['user']],
		['This server cannot use tool_choice', ['tool_choice']],
		['top_k is not supported, use top_p instead', ['top_k']],
		['Unsupported: seed. Use random_seed instead.', ['seed'], ['random_seed']],
	];
	for (const [said, lost, gained = []] of NAMED) {
		it(`is taken out: ${said}`, () => {
			assert.deepEqual(changes(said), { isAmended: true, lost: [...lost], gained: [...gained] });
		});
	}

	const LEFT = [
		'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
		'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
		'temperature must be between 0 and 1; values above are not supported',
		"This model's maximum context length is 4097 tokens, however you requested 5000 (max_tokens 9).",
		"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
		'small does not support tools',
		"Unsupported value: 'messages[0].role' does not support 'system' with this model.",
		'`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
		'The model small does not exist',
		'presence_penalty: nothing is wrong with it',
		'',
	];
	for (const said of LEFT) {
		it(`is nothing that could be taken out: ${said}`, () => {
			assert.deepEqual(changes(said), { isAmended: false, lost: [], gained: [] });
		});
	}

	it('is a name of the limit that the client gave it, as long as no other is wanted', () => {
		const { max_tokens: limit, ...others } = REQUEST;
		assert.deepEqual(
			changes('Unrecognized request argument supplied: max_completion_tokens', {
				...others,
				max_completion_tokens: limit,
			}),
			{
				isAmended: true,
				lost: ['max_completion_tokens'],
				gained: ['max_tokens'],
			},
		);
	});

	it('is left out where both names of it are refused, and amended a bounded number of times', () => {
		const draft = new RefusedParameters().draft('small', { ...REQUEST });
		assert.ok(draft.amend("'max_tokens' is not supported. Use 'max_completion_tokens' instead."));
		assert.equal(draft.body['max_completion_tokens'], 9);
		assert.ok(draft.amend("'max_completion_tokens' is not supported. Use 'max_tokens' instead."));
		assert.ok(!('max_tokens' in draft.body) && !('max_completion_tokens' in draft.body));
		assert.ok(!draft.amend("'max_tokens' is not supported."));
		const many = new RefusedParameters().draft('small', { ...REQUEST });
		const refused = Object.keys(REQUEST).filter(name => many.amend(`'${name}' is not supported`));
		assert.equal(refused.length, 8);
	});

	it('is remembered for its model alone, and only once the server has taken the rest', () => {
		const refused = new RefusedParameters();
		const draft = refused.draft('small', { ...REQUEST });
		draft.amend("'max_tokens' is not supported. Use 'max_completion_tokens' instead.");
		draft.amend("'logprobs' is not supported");
		assert.deepEqual(refused.leftOutFor('small'), []);
		assert.ok('max_tokens' in refused.draft('small', { ...REQUEST }).body);
		assert.deepEqual(
			draft.keep().map(({ field, instead }) => [field, instead]),
			[
				['max_tokens', 'max_completion_tokens'],
				['logprobs', undefined],
				['top_logprobs', undefined],
			],
		);
		assert.deepEqual(draft.keep(), []);
		assert.deepEqual(refused.leftOutFor('small'), ['top_logprobs']);
		const { body } = refused.draft('small', { ...REQUEST });
		assert.equal(body['max_completion_tokens'], 9);
		assert.ok(!('max_tokens' in body) && !('logprobs' in body));
		assert.ok('max_tokens' in refused.draft('other', { ...REQUEST }).body);
		assert.deepEqual(refused.leftOutFor('other'), []);
	});
});
