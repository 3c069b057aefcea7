import assert from 'node:assert/strict';
import { previewOf, providerProblem } from '../../../../src/chat/model/preview.ts';
import type { ReplySettings } from '../../../../src/chat/model/settings.ts';
import { type Connection, connectionSchema } from '../../../../src/contract/connection.ts';
import type { RoutingPolicy } from '../../../../src/contract/routingPolicy.ts';

const PROVIDERS = [
	{
		slug: 'cheap',
		prices: { input: 1, output: 2 },
		dataPolicy: 'stores data',
		quantizations: ['int4'],
		parameters: ['temperature'],
		models: ['large', 'small'],
	},
	{
		slug: 'safe',
		prices: { input: 5, output: 9 },
		dataPolicy: 'Zero data retention.',
		quantizations: ['fp8', 'bf16'],
		parameters: ['temperature', 'seed'],
		models: ['large'],
	},
	{ slug: 'quiet', models: ['large'] },
	{ slug: 'other', models: ['small'] },
];

function connection(name = 'acme', others: object = {}): Connection {
	return {
		...connectionSchema.parse({
			apiUrl: 'https://api.example',
			service: 'acme',
			models: [{ id: 'large', openWeights: false }, { id: 'small' }],
			providers: PROVIDERS,
			...others,
		}),
		name,
	};
}

const rowsOf = (provider: RoutingPolicy, others: Partial<ReplySettings> = {}, of = connection()) =>
	Object.fromEntries(
		previewOf(of, { model: 'large', provider, ...others }).map(({ slug, verdict, reasons }) => [
			slug,
			[verdict, ...reasons.map(({ kind }) => kind)].join(' '),
		]),
	);

describe('the preview of a policy', () => {
	it('keeps every provider of the model, and says what each costs', () => {
		assert.deepEqual(rowsOf({}), {
			cheap: 'remains balanced price',
			safe: 'remains balanced price',
			quiet: 'remains balanced price-unknown',
			other: 'out other-models',
		});
	});

	it('excludes providers by only and ignore', () => {
		assert.equal(rowsOf({ only: ['safe'] })['cheap'], 'out not-in-only');
		assert.equal(rowsOf({ only: ['safe'] })['safe'], 'remains in-only balanced price');
		assert.equal(rowsOf({ ignore: ['safe'] })['safe'], 'out ignored');
		assert.equal(rowsOf({ only: ['safe'], ignore: ['safe'] })['safe'], 'out ignored');
	});

	it('puts the providers in order first, and excludes the others if fallbacks are off', () => {
		const [first, second, third] = previewOf(connection(), {
			model: 'large',
			provider: { order: ['quiet', 'safe'] },
		});
		assert.deepEqual([first?.slug, second?.slug, third?.slug], ['quiet', 'safe', 'cheap']);
		assert.deepEqual(first?.reasons[0], { kind: 'in-order', place: 1 });
		assert.equal(third?.reasons[0]?.kind, 'after-order');
		assert.equal(rowsOf({ order: ['quiet'], allow_fallbacks: false })['cheap'], 'out not-in-order');
		assert.equal(rowsOf({ allow_fallbacks: false })['cheap'], 'remains balanced price');
	});

	it('excludes providers by a data policy that is known, and leaves open what is not', () => {
		const deny = rowsOf({ data_collection: 'deny' });
		assert.deepEqual(
			[deny['cheap'], deny['safe'], deny['quiet']],
			['out stores-data', 'remains balanced price', 'unclear policy-unclear'],
		);
		const unread = connection('acme', { providers: [{ slug: 'free', dataPolicy: 'see our terms' }] });
		assert.equal(rowsOf({ data_collection: 'deny' }, {}, unread)['free'], 'unclear policy-unclear');
	});

	it('says once what two fields rule out', () => {
		assert.equal(rowsOf({ data_collection: 'deny', zdr: true })['cheap'], 'out stores-and-retains-data');
	});

	it('excludes providers by zero data retention, for which it is not enough to store no data', () => {
		const quiet = connection('acme', { providers: [{ slug: 'some', dataPolicy: 'stores no data' }, ...PROVIDERS] });
		const rows = rowsOf({ zdr: true }, {}, quiet);
		assert.deepEqual(
			[rows['some'], rows['cheap'], rows['safe']],
			['out retains-data', 'out retains-data', 'remains balanced price'],
		);
		assert.equal(rowsOf({ data_collection: 'deny' }, {}, quiet)['some'], 'remains balanced price-unknown');
		assert.equal(rowsOf({ zdr: false })['cheap'], 'remains balanced price');
	});

	it('counts a provider without a data policy as storing data if only the connection can tell', () => {
		assert.equal(rowsOf({ data_collection: 'deny' }, {}, connection('local'))['quiet'], 'out stores-data');
		assert.equal(rowsOf({ zdr: true }, {}, connection('local'))['quiet'], 'out retains-data');
		assert.equal(rowsOf({ quantizations: ['fp8'] }, {}, connection('local'))['quiet'], 'out quantization');
	});

	it('excludes providers by quantization, and leaves open what is not told', () => {
		const rows = rowsOf({ quantizations: ['fp8'] });
		assert.deepEqual(
			[rows['cheap'], rows['safe'], rows['quiet']],
			['out quantization', 'remains balanced price', 'unclear quantization-unknown'],
		);
	});

	it('excludes providers by parameters only if these are required', () => {
		const parameters = { temperature: 0, seed: 1 };
		const rows = rowsOf({ require_parameters: true }, { parameters });
		assert.deepEqual(
			[rows['cheap'], rows['safe'], rows['quiet']],
			['out parameters', 'remains balanced price', 'unclear parameters-unknown'],
		);
		assert.equal(rowsOf({}, { parameters })['cheap'], 'remains balanced price');
		assert.equal(rowsOf({ require_parameters: true })['quiet'], 'remains balanced price-unknown');
	});

	it('sorts by price, and says of a measured sort that it is measured', () => {
		const slugs = previewOf(connection(), { model: 'large', provider: { sort: 'price' } }).map(({ slug }) => slug);
		assert.deepEqual(slugs, ['cheap', 'safe', 'quiet', 'other']);
		assert.equal(rowsOf({ sort: 'latency' })['safe'], 'remains measured price');
		assert.equal(rowsOf({ sort: { by: 'x' } })['safe'], 'remains sorted-by-object price');
	});

	it('counts a provider that hosts an alternate, and shows one that the policy names and the connection does not list', () => {
		assert.equal(rowsOf({}, { models: ['small'] })['other'], 'remains balanced price-unknown');
		assert.equal(rowsOf({ only: ['far'] })['far'], 'unclear not-listed');
	});

	it('leaves the service’s own slug out of closed models', () => {
		const own = connection('acme', { providers: [{ slug: 'acme', models: ['large', 'small'] }] });
		assert.equal(rowsOf({}, {}, own)['acme'], 'out closed-model');
		assert.equal(rowsOf({}, { model: 'small' }, own)['acme'], 'remains balanced price-unknown');
	});

	it('lists what the slug of the local service stands for, and itself only where it is named', () => {
		const local = connection('local', { providers: [{ slug: 'acme', models: ['small'] }, ...PROVIDERS] });
		const small = { model: 'small' };
		assert.equal(rowsOf({ zdr: true }, small, local)['acme'], undefined);
		assert.equal(rowsOf({ zdr: true, only: ['acme'] }, small, local)['acme']?.split(' ')[0], 'remains');
		assert.equal(rowsOf({ only: ['acme'] }, small, local)['other']?.split(' ')[0], 'remains');
	});

	it('refuses nothing because of a guess at what the slug of the local service stands for', () => {
		const shared = { slug: 'cloud', models: ['small', 'large'] };
		const local = connection('local', { providers: [{ slug: 'acme', models: ['small'] }, shared] });
		for (const model of ['small', 'large']) {
			assert.equal(providerProblem(local, { model, provider: { ignore: ['acme'] } }), undefined, model);
		}
		assert.equal(providerProblem(local, { model: 'large', provider: { ignore: ['cloud'] } })?.kind, 'nobody');
	});

	it('takes what a prefix or an alias brings for part of the policy', () => {
		const enterprise = connection('acme', {
			plan: 'enterprise',
			enterpriseUrl: 'https://enterprise.example',
			providerPrefixes: [{ prefix: 'quiet', provider: 'quiet' }],
			aliases: [{ name: 'safely', model: 'large', provider: { only: ['safe'] } }],
		});
		assert.equal(rowsOf({}, { model: 'quiet/large' }, enterprise)['quiet'], 'remains in-order price-unknown');
		assert.equal(rowsOf({}, { model: 'safely' }, enterprise)['cheap'], 'out not-in-only');
	});
});

describe('a policy that leaves no provider', () => {
	const problemOf = (provider: RoutingPolicy, of = connection()) =>
		providerProblem(of, { model: 'large', provider })?.kind;

	it('is found before anything is sent', () => {
		assert.equal(problemOf({ only: [] }), 'routing');
		assert.equal(problemOf({ only: ['safe'], ignore: ['safe'] }), 'routing');
		assert.equal(problemOf({ only: ['cheap'], zdr: true }), 'nobody');
		assert.equal(problemOf({ only: ['cheap'], quantizations: ['fp8'] }), 'nobody');
		assert.equal(problemOf({ only: ['quiet'], zdr: true }, connection('local')), 'nobody');
	});

	it('is not claimed if the connection does not tell, or lists no provider', () => {
		assert.equal(problemOf({}), undefined);
		assert.equal(problemOf({ only: ['quiet'], zdr: true }), undefined);
		assert.equal(problemOf({ only: ['far'] }), undefined);
		assert.equal(problemOf({ zdr: true }, connection('acme', { providers: [] })), undefined);
		assert.equal(providerProblem(connection(), { model: 'unheard-of', provider: {} }), undefined);
	});
});
