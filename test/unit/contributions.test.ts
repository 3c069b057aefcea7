import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import {
	CHANGE_SCHEME,
	COMMENT_CONTROLLER,
	COMMENT_PROMPT_SCHEME,
	COMPARISON_PAGE,
	commands,
	EXTENSION_ID,
	FILE_CONTEXT,
	internalCommands,
	LANGUAGE_MODEL_VENDOR,
	LOG_LANGUAGE,
	LOG_SCHEME,
	MCP_PROVIDER,
	PROMPT_SCHEME,
	rowContext,
	STEP_CONTEXT,
	STEPS_PAGE,
	settingScopes,
	TASK_SCHEME,
	type TaskRowFlags,
	viewContainers,
	views,
} from '../../src/platform/ids.ts';
import { TEXT_COLUMN } from '../../src/tasks/model/formatEntry.ts';

interface Property {
	scope?: string;
	enum?: string[];
	default?: unknown;
	description?: string;
	markdownDescription?: string;
}

interface Manifest {
	publisher: string;
	name: string;
	engines: { vscode: string };
	type: string;
	devDependencies: Record<string, string>;
	activationEvents: string[];
	extensionKind: string[];
	capabilities: {
		untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] };
		virtualWorkspaces: { supported: string };
	};
	contributes: {
		mcpServerDefinitionProviders: { id: string }[];
		viewsContainers: Record<string, { id: string; icon: string }[]>;
		views: Record<string, { id: string }[]>;
		viewsWelcome: { view: string; contents: string; when: string }[];
		walkthroughs: {
			when: string;
			steps: { description: string; media: { svg: string; altText: string }; completionEvents: string[] }[];
		}[];
		commands: { command: string; title: string; category?: string }[];
		languages: { id: string }[];
		languageModelChatProviders: { vendor: string; managementCommand: string }[];
		configurationDefaults: Record<string, Record<string, unknown>>;
		submenus: { id: string }[];
		menus: Record<string, { command?: string; submenu?: string; when?: string }[]>;
		keybindings: { command: string; args?: { commands: string[] } }[];
		configuration: { properties: Record<string, Property> }[];
	};
}

const text = readFileSync('package.json', 'utf8');
const manifest: Manifest = JSON.parse(text);
const strings: Record<string, string> = JSON.parse(readFileSync('package.nls.json', 'utf8'));
const { contributes } = manifest;
const properties = Object.assign({}, ...contributes.configuration.map(section => section.properties)) as Record<
	string,
	Property
>;
const source = globSync('src/**/*.ts')
	.map(file => readFileSync(file, 'utf8'))
	.join('\n');

/** Ours, and those by which the editor shows our views. */
const runnable = new Set<string>([
	...Object.values(commands),
	...Object.values(internalCommands),
	...Object.values(views).map(view => `${view}.focus`),
]);

describe('what package.json contributes', () => {
	it('names exactly the commands of ids.ts, each with Errand in its category or its title', () => {
		assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), Object.values(commands).sort());
		assert.deepEqual(
			contributes.commands.filter(
				({ category, title }) => (category === 'Errand') === /Errand/.test(strings[title.slice(1, -1)] ?? ''),
			),
			[],
		);
	});

	it('names exactly the views of ids.ts, the chat in the secondary side bar and the tasks in the activity bar', () => {
		const idsOf = (all: readonly { id: string }[] | undefined) => all?.map(({ id }) => id);
		const { activitybar, secondarySidebar } = contributes.viewsContainers;
		assert.deepEqual(idsOf(activitybar), [viewContainers.tasks]);
		assert.deepEqual(idsOf(secondarySidebar), [viewContainers.chat]);
		const shown = Object.entries(contributes.views).map(([container, all]) => [container, idsOf(all)]);
		assert.deepEqual(Object.fromEntries(shown), {
			[viewContainers.chat]: [views.chat],
			[viewContainers.tasks]: [views.tasks],
		});
	});

	it('names the provider of the MCP server as ids.ts does', () => {
		assert.deepEqual(
			contributes.mcpServerDefinitionProviders.map(({ id }) => id),
			[MCP_PROVIDER],
		);
	});

	it('names exactly the settings of ids.ts, each with the scope that it must have', () => {
		const scopes = Object.fromEntries(Object.entries(properties).map(([id, { scope }]) => [id, scope]));
		assert.deepEqual(scopes, settingScopes);
	});

	it('never lets a repository choose a host, start a program or weaken privacy', () => {
		const guarded =
			/^errand\.(connections?|chat\.(routing|instructions|zeroDataRetention|titles)|tasks\.(agent|maxCost)|languageModels\..*|agents\..*|channel\..*|local\..*)$/;
		for (const [id, { scope }] of Object.entries(properties)) {
			if (guarded.test(id)) {
				const isOfMachine = id.startsWith('errand.local.') || id === 'errand.agents.mcpServers';
				assert.equal(scope, isOfMachine ? 'machine' : 'application', id);
			} else {
				assert.ok(
					manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(id) || !id.includes('agent'),
					`${id} must be restricted in an untrusted workspace`,
				);
			}
		}
	});

	it('tells zero data retention that is not asked for from one that is not demanded', () => {
		const { enum: choices, default: chosen } = properties['errand.chat.zeroDataRetention'] ?? {};
		assert.deepEqual([choices, chosen], [['account', 'on', 'off'], 'account']);
	});

	it('describes every setting', () => {
		for (const [id, { description, markdownDescription }] of Object.entries(properties)) {
			assert.ok(description ?? markdownDescription, id);
		}
	});

	it('uses only commands and views that exist in menus, and context values that the code sets', () => {
		const flags: (keyof TaskRowFlags)[] = [
			'branch',
			'race',
			'keepable',
			'comments',
			'failed',
			'steps',
			'sandbox',
			'dashboard',
		];
		const contexts = [
			FILE_CONTEXT,
			STEP_CONTEXT,
			...(['task active', 'task final', 'result'] as const).flatMap(kind => [
				rowContext(kind, {}),
				...flags.map(flag => rowContext(kind, { [flag]: true })),
			]),
		];
		const known = new Set<string>([...Object.values(commands), ...contributes.submenus.map(({ id }) => id)]);
		for (const { command, submenu, when = '' } of Object.values(contributes.menus).flat()) {
			assert.ok(known.has(command ?? submenu ?? ''), command ?? submenu);
			for (const [, view] of when.matchAll(/view == (\S+)/g)) {
				assert.ok(Object.values<string>(views).includes(view ?? ''), when);
			}
			const [, pattern] = /viewItem =~ \/(.*)\/$/.exec(when) ?? [];
			if (pattern !== undefined) {
				assert.ok(
					contexts.some(context => new RegExp(pattern).test(context)),
					when,
				);
			}
			assert.doesNotMatch(when, /viewItem ==/);
			for (const [, controller] of when.matchAll(/commentController == (\S+)/g)) {
				assert.equal(controller, COMMENT_CONTROLLER);
			}
		}
	});

	it('links only to commands that exist in welcome texts and in the walkthrough, and has keys only for such', () => {
		const steps = contributes.walkthroughs.flatMap(walkthrough => walkthrough.steps);
		const welcomes = contributes.viewsWelcome.map(welcome => welcome.contents);
		for (const contents of [...welcomes, ...steps.map(step => step.description)]) {
			const shown = strings[contents.slice(1, -1)] ?? '';
			assert.match(shown, /\(command:/);
			for (const [, command] of shown.matchAll(/\(command:([^)]+)\)/g)) {
				assert.ok(runnable.has(command ?? ''), command);
			}
		}
		assert.deepEqual(
			contributes.keybindings
				.flatMap(({ command, args }) => args?.commands ?? [command])
				.filter(command => !runnable.has(command)),
			[],
		);
	});

	it('has a walkthrough of four steps, each with an image in the colours of the theme, that opens uninvited nowhere', () => {
		const [walkthrough, ...others] = contributes.walkthroughs;
		assert.deepEqual([walkthrough?.when, others], ['errand.isActive', []]);
		assert.equal(walkthrough?.steps.length, 4);
		for (const { media, completionEvents } of walkthrough?.steps ?? []) {
			assert.match(readFileSync(media.svg, 'utf8'), /var\(--vscode-/);
			assert.doesNotMatch(readFileSync(media.svg, 'utf8'), /#[\da-f]{3}|<script|href/i);
			assert.ok(strings[media.altText.slice(1, -1)]);
			for (const event of completionEvents) {
				const [, kind, id = ''] = /^on(Command|Context):(.*)$/.exec(event) ?? [];
				const ids = readFileSync('src/platform/ids.ts', 'utf8');
				assert.ok(kind === 'Context' ? ids.includes(`'${id}': boolean;`) : runnable.has(id), event);
			}
		}
	});

	it('names the vendor of the language models, whose keys are managed by the command for keys', () => {
		const [provider, ...others] = contributes.languageModelChatProviders;
		assert.deepEqual([provider?.vendor, provider?.managementCommand], [LANGUAGE_MODEL_VENDOR, commands.manageKeys]);
		assert.deepEqual(others, []);
	});

	it('has a text for every placeholder, and a placeholder for every text', () => {
		const used = new Set([...text.matchAll(/%([\w.]+)%/g)].map(([, key]) => key ?? ''));
		assert.deepEqual([...used].sort(), Object.keys(strings).sort());
	});

	it('wraps the lines of a log under their text', () => {
		assert.deepEqual(
			contributes.languages.map(({ id }) => id),
			[LOG_LANGUAGE],
		);
		const defaults = contributes.configurationDefaults[`[${LOG_LANGUAGE}]`];
		assert.equal(defaults?.['editor.wordWrap'], 'on');
		// One stop of tabs from the beginning of the line, and that is as wide as what stands before the text.
		assert.equal(defaults['editor.wrappingIndent'], 'indent');
		assert.equal(defaults['editor.tabSize'], TEXT_COLUMN);
	});

	it('registers every command somewhere', () => {
		for (const name of Object.keys({ ...commands, ...internalCommands })) {
			assert.match(
				source,
				new RegExp(`\\bregister(?:Command)?\\(\\s*(?:commands|internalCommands)\\.${name}\\b`),
				name,
			);
		}
	});

	it('starts late, in the workspace host, as an ES module, on the oldest editor it is typed for', () => {
		assert.deepEqual(manifest.activationEvents, [
			...['onStartupFinished', 'onUri'],
			...[PROMPT_SCHEME, CHANGE_SCHEME, COMMENT_PROMPT_SCHEME, LOG_SCHEME, TASK_SCHEME].map(
				scheme => `onFileSystem:${scheme}`,
			),
			`onWebviewPanel:errand.${COMPARISON_PAGE}`,
			`onWebviewPanel:errand.${STEPS_PAGE}`,
		]);
		assert.deepEqual(manifest.extensionKind, ['workspace']);
		assert.equal(manifest.type, 'module');
		assert.equal(manifest.engines.vscode, `^${manifest.devDependencies['@types/vscode']}`);
		assert.equal(`${manifest.publisher}.${manifest.name}`, EXTENSION_ID);
		assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
		assert.equal(manifest.capabilities.virtualWorkspaces.supported, 'limited');
	});
});
