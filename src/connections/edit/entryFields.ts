// The fields of a connection and of what it lists, with their words.
import * as vscode from 'vscode';
import { choose } from '../../platform/pick.ts';
import {
	choiceField,
	type EntryList,
	type Field,
	flagField,
	groupField,
	numberField,
	severalField,
	textField,
	textsField,
} from './form.ts';

export function serviceNameField(): Field {
	return textField('service', vscode.l10n.t('Service’s own name'), {
		prompt: vscode.l10n.t('The service’s own name inside its identifiers, as in “<name>-search”'),
		isRequired: true,
	});
}

/** The fields that are neither addresses nor lists. */
export function serviceFields(): Field[] {
	return [
		textField('label', vscode.l10n.t('Name in the interface'), {
			prompt: vscode.l10n.t('The connection’s name in the interface; empty for its name in the settings'),
		}),
		serviceNameField(),
		textField('scm', vscode.l10n.t('Source hosting for look-ups'), {
			prompt: vscode.l10n.t(
				'The part of the path that names the source-hosting provider, as in /api/<name>/repos; the service’s documents have it',
			),
		}),
		textField('cloudTokenPrefix', vscode.l10n.t('Beginning of cloud tokens'), {
			prompt: vscode.l10n.t('How every cloud token of this service begins; not a token itself'),
		}),
		textField('decisionModel', vscode.l10n.t('Model for decisions'), {
			prompt: vscode.l10n.t('The name of its latest release, or one version'),
		}),
		flagField('accountZdr', vscode.l10n.t('The account keeps no data, whatever a request says')),
	];
}

export type ListField = 'models' | 'providers' | 'providerPrefixes' | 'aliases' | 'agents';

/** Returns the words and fields of a list of a connection, which is called `name`. */
export function listWords(
	list: ListField,
	name: string,
): Pick<EntryList, 'title' | 'nameField' | 'fields' | 'addition' | 'removal'> {
	switch (list) {
		case 'models':
			return {
				title: vscode.l10n.t('Models of {0}', name),
				nameField: 'id',
				fields: modelFields(),
				addition: vscode.l10n.t('Add a Model by Its Id…'),
				removal: vscode.l10n.t('Remove the Model'),
			};
		case 'providers':
			return {
				title: vscode.l10n.t('Providers of {0}', name),
				nameField: 'slug',
				fields: providerFields(),
				addition: vscode.l10n.t('Add a Provider…'),
				removal: vscode.l10n.t('Remove the Provider'),
			};
		case 'providerPrefixes':
			return {
				title: vscode.l10n.t('Provider Prefixes of {0}', name),
				nameField: 'prefix',
				fields: prefixFields(),
				addition: vscode.l10n.t('Add a Prefix…'),
				removal: vscode.l10n.t('Remove the Prefix'),
			};
		case 'aliases':
			return {
				title: vscode.l10n.t('Aliases of {0}', name),
				nameField: 'name',
				fields: aliasFields(),
				addition: vscode.l10n.t('Add an Alias…'),
				removal: vscode.l10n.t('Remove the Alias'),
			};
		case 'agents':
			return {
				title: vscode.l10n.t('Agents of {0}', name),
				nameField: 'id',
				fields: agentFields(),
				addition: vscode.l10n.t('Add an Agent…'),
				removal: vscode.l10n.t('Remove the Agent'),
			};
	}
}

export function planField(): Field {
	return choiceField('plan', vscode.l10n.t('Host that chat uses'), [
		{ label: vscode.l10n.t('Public'), value: undefined },
		{ label: vscode.l10n.t('Enterprise'), value: 'enterprise' },
	]);
}

function modelFields(): Field[] {
	const kinds = [
		{ value: 'chat', label: vscode.l10n.t('Chat') },
		{ value: 'responses', label: vscode.l10n.t('Responses') },
		{ value: 'image', label: vscode.l10n.t('Images') },
		{ value: 'search', label: vscode.l10n.t('Search') },
		{ value: 'encrypted', label: vscode.l10n.t('Encrypted channel') },
	];
	return [
		textField('id', vscode.l10n.t('Id'), { prompt: vscode.l10n.t('The id that requests name'), isRequired: true }),
		labelField(),
		severalField('kinds', vscode.l10n.t('Used for'), vscode.l10n.t('What the model can be used for'), kinds, ['chat']),
		numberField(
			'contextLength',
			vscode.l10n.t('Context length'),
			vscode.l10n.t('How many tokens a request and its reply may have together'),
			true,
		),
		numberField(
			'maxOutputTokens',
			vscode.l10n.t('Longest reply'),
			vscode.l10n.t('How many tokens a reply may have'),
			true,
		),
		flagField('images', vscode.l10n.t('Reads images')),
		flagField('tools', vscode.l10n.t('Calls tools')),
		flagField('openWeights', vscode.l10n.t('Open weights')),
		flagField('codeOriented', vscode.l10n.t('Made for code, needs instructions')),
		pricesField(),
		textField('channelProvider', vscode.l10n.t('Provider of the encrypted channel'), {
			prompt: vscode.l10n.t('The provider that runs the model behind the encrypted channel'),
		}),
	];
}

function providerFields(): Field[] {
	const dataPolicies = ['zero data retention', 'stores no data', 'stores data'].map(value => ({ label: value, value }));
	return [
		textField('slug', vscode.l10n.t('Slug'), {
			prompt: vscode.l10n.t('The slug that a routing policy names'),
			isRequired: true,
		}),
		labelField(),
		textsField(
			'models',
			vscode.l10n.t('Models'),
			vscode.l10n.t('Ids of the models that it hosts, with commas between'),
		),
		pricesField(),
		choiceField<string | undefined>('dataPolicy', vscode.l10n.t('Data policy'), [
			...dataPolicies,
			{ label: vscode.l10n.t('Not known'), value: undefined },
		]),
		textsField(
			'quantizations',
			vscode.l10n.t('Quantizations'),
			vscode.l10n.t('The quantizations that it serves, such as fp8, with commas between'),
		),
		textsField(
			'parameters',
			vscode.l10n.t('Supported fields'),
			vscode.l10n.t('The request fields that it supports, with commas between; empty if that is not known'),
		),
	];
}

function prefixFields(): Field[] {
	return [
		textField('prefix', vscode.l10n.t('Prefix'), {
			prompt: vscode.l10n.t('What stands before the model’s id'),
			isRequired: true,
		}),
		textField('provider', vscode.l10n.t('Provider'), {
			prompt: vscode.l10n.t('The slug of the provider that the prefix means'),
			isRequired: true,
		}),
	];
}

function aliasFields(): Field[] {
	return [
		textField('name', vscode.l10n.t('Alias'), {
			prompt: vscode.l10n.t('The alias that requests name'),
			isRequired: true,
		}),
		textField('model', vscode.l10n.t('Model'), {
			prompt: vscode.l10n.t('The id of the model that it stands for'),
			isRequired: true,
		}),
		aliasProviderField(),
	];
}

/** Either the provider that is tried first, or a whole routing policy. */
function aliasProviderField(): Field {
	const label = vscode.l10n.t('Provider');
	const first = textField('provider', label, {
		prompt: vscode.l10n.t('The slug of the provider that is tried first, or empty'),
	});
	const routingPolicy = groupField('provider', vscode.l10n.t('Routing policy'), routingPolicyFields());
	const fieldOf = (value: unknown) => (typeof value === 'object' ? routingPolicy : first);
	return {
		key: 'provider',
		label,
		shown: value => fieldOf(value).shown(value),
		async edit(value) {
			const kinds = [
				{ label: vscode.l10n.t('A Provider That Is Tried First…'), value: first },
				{ label: vscode.l10n.t('A Routing Policy…'), value: routingPolicy },
			];
			const chosen = await choose(label, kinds, { active: fieldOf(value) });
			return chosen?.edit(value);
		},
	};
}

function pricesField(): Field {
	const prompt = vscode.l10n.t('In US dollars for a million tokens');
	return groupField('prices', vscode.l10n.t('Prices'), [
		numberField('input', vscode.l10n.t('Prompt'), prompt, false),
		numberField('output', vscode.l10n.t('Reply'), prompt, false),
		numberField('cachedInput', vscode.l10n.t('Cached part of a prompt'), prompt, false),
	]);
}

function agentFields(): Field[] {
	return [
		textField('id', vscode.l10n.t('Id'), { prompt: vscode.l10n.t('The agent’s id'), isRequired: true }),
		labelField(),
		textsField(
			'models',
			vscode.l10n.t('Models'),
			vscode.l10n.t('Ids of the models that the agent can use, with commas between'),
		),
	];
}

function labelField(): Field {
	return textField('label', vscode.l10n.t('Name in the interface'), {
		prompt: vscode.l10n.t('Its name in the interface; empty for its id'),
	});
}

/** The fields of a routing policy (contract: inference.md, Provider object), as an alias may have one. */
function routingPolicyFields(): Field[] {
	const notSet = { label: vscode.l10n.t('Not set'), value: undefined };
	return [
		choiceField<string | undefined>('sort', vscode.l10n.t('Sorted by'), [
			{ label: vscode.l10n.t('Price'), value: 'price' },
			{ label: vscode.l10n.t('Throughput'), value: 'throughput' },
			{ label: vscode.l10n.t('Latency'), value: 'latency' },
			notSet,
		]),
		slugsField('order', vscode.l10n.t('Tried first, in this order')),
		slugsField('only', vscode.l10n.t('The only ones that may serve')),
		slugsField('ignore', vscode.l10n.t('Those that may not serve')),
		flagField('allow_fallbacks', vscode.l10n.t('Others may serve when the first cannot')),
		flagField('require_parameters', vscode.l10n.t('Every parameter of the request must be supported')),
		choiceField<string | undefined>('data_collection', vscode.l10n.t('Providers that may store data'), [
			{ label: vscode.l10n.t('May serve'), value: 'allow' },
			{ label: vscode.l10n.t('May not serve'), value: 'deny' },
			notSet,
		]),
		textsField(
			'quantizations',
			vscode.l10n.t('Quantizations that may serve'),
			vscode.l10n.t('Such as fp8, with commas between'),
		),
		numberField(
			'preferred_min_throughput',
			vscode.l10n.t('Preferred throughput at least'),
			vscode.l10n.t('In tokens per second'),
			false,
		),
		numberField(
			'preferred_max_latency',
			vscode.l10n.t('Preferred latency at most'),
			vscode.l10n.t('In seconds'),
			false,
		),
		flagField('zdr', vscode.l10n.t('Zero data retention')),
	];
}

function slugsField(key: string, label: string): Field {
	return textsField(key, label, vscode.l10n.t('Slugs of providers, with commas between'));
}
